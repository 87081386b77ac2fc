//===- ReachesAllocation.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/ReachesAllocation.h"
#include "ir/AllocationFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <utility>

using namespace llvm;

namespace inmem {

/// Functions of the C library that work on what they are given.
static bool isKnownNotToAllocate(StringRef Name) {
  static const StringSet<> Names = {
      // <string.h>, <strings.h>
      "memccpy", "memchr", "memcmp", "memcpy", "memmem", "memmove", "mempcpy",
      "memrchr", "memset", "rawmemchr", "stpcpy", "stpncpy", "strcasecmp",
      "strcasestr", "strcat", "strchr", "strchrnul", "strcmp", "strcpy",
      "strcspn", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy",
      "strnlen", "strpbrk", "strrchr", "strsep", "strspn", "strstr", "strtok",
      "strtok_r", "__memcpy_chk", "__memmove_chk", "__memset_chk",
      "__stpcpy_chk", "__strcat_chk", "__strcpy_chk", "__strncat_chk",
      "__strncpy_chk",
      // <wchar.h>
      "wcscat", "wcschr", "wcscmp", "wcscpy", "wcscspn", "wcslen", "wcsncat",
      "wcsncmp", "wcsncpy", "wcsnlen", "wcspbrk", "wcsrchr", "wcsspn", "wcsstr",
      "wmemchr", "wmemcmp", "wmemcpy", "wmemmove", "wmemset",
      // <ctype.h>, <wctype.h>
      "isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit",
      "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper",
      "isxdigit", "iswalnum", "iswalpha", "iswdigit", "iswlower", "iswspace",
      "iswupper", "toascii", "tolower", "toupper", "towlower", "towupper",
      "__ctype_b_loc", "__ctype_get_mb_cur_max", "__ctype_tolower_loc",
      "__ctype_toupper_loc",
      // <stdlib.h>
      "abs", "atof", "atoi", "atol", "atoll", "div", "labs", "ldiv", "llabs",
      "strtod", "strtof", "strtol", "strtoll", "strtoul", "strtoull",
      // <math.h>
      "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "cosh", "exp",
      "exp2", "expm1", "fabs", "floor", "fmax", "fmin", "fmod", "frexp",
      "hypot", "ldexp", "log", "log10", "log1p", "log2", "modf", "pow", "rint",
      "round", "scalbn", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
      // <errno.h>, <time.h>, <pthread.h>
      "__errno_location", "clock", "clock_gettime", "time",
      "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_self"};
  return Names.contains(Name);
}

/// What a call leads to: null, and \p Ends, if to no allocation; null, if maybe
/// to one; else a function whose body decides.
static const Function *calledBy(const CallBase &Call, bool &Ends) {
  // What a call returns that does not return is no block.
  Ends = isa<IntrinsicInst>(Call) || Call.doesNotReturn();
  if (Ends || Call.isInlineAsm())
    return nullptr;
  const Function *Callee = directCallee(Call);
  if (!Callee)
    return nullptr;
  StringRef Name = Callee->getName();
  Name.consume_front("\01");
  if (const HookedFunction *Hooked = hookedCallee(Call)) {
    Ends = Hooked->Frees;
    return nullptr;
  }
  if (Callee->isDeclaration() || Callee->isInterposable()) {
    Ends = Callee->isDeclaration() &&
           (Call.onlyReadsMemory() || isKnownNotToAllocate(Name));
    return nullptr;
  }
  return Callee;
}

void ReachesAllocation::lookThroughModule() {
  Looked = true;
  DenseMap<const Function *, SmallVector<const Function *, 4>> Callers;
  SmallVector<const Function *, 32> Reaching;
  for (const Function &F : M) {
    if (F.isDeclaration() || F.isInterposable())
      continue;
    bool Reaches = false;
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      bool Ends;
      const Function *Callee = calledBy(*Call, Ends);
      if (Callee)
        Callers[Callee].push_back(&F);
      else if (!Ends)
        Reaches = true;
      if (Reaches)
        break;
    }
    if (Reaches)
      Reaching.push_back(&F);
    else
      Never.insert(&F);
  }
  while (!Reaching.empty())
    for (const Function *Caller : Callers.lookup(Reaching.pop_back_val()))
      if (Never.erase(Caller))
        Reaching.push_back(Caller);
}

/// Whether \p Element is for certain behind the beginning of what its base
/// points to: a member or element at a fixed offset, or one from there on.
static bool isWithin(const GEPOperator &Element, const DataLayout &Layout) {
  const Value *Base = &Element;
  while (auto *Step = dyn_cast<GEPOperator>(Base)) {
    APInt Offset(Layout.getIndexTypeSizeInBits(Step->getType()), 0);
    if (Step->accumulateConstantOffset(Layout, Offset)) {
      if (Offset.isNegative())
        return false; // back to a header
      if (!Offset.isZero())
        return true;
    }
    Base = Step->getPointerOperand()->stripPointerCasts();
  }
  return false;
}

/// What else \p V may be is handed to \p Add, which says if that is known to be
/// a block. A function stands for what it returns, a variable for what it
/// holds. \returns whether V may be a block by itself or by one of those.
bool ReachesAllocation::expand(const Value *V,
                               function_ref<bool(const Value *)> Add) const {
  if (auto *F = dyn_cast<Function>(V))
    return any_of(*F, [&](const BasicBlock &Block) {
      auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
      return Return && Return->getReturnValue() &&
             Return->getReturnValue()->getType()->isPointerTy() &&
             Add(Return->getReturnValue());
    });
  if (isa<AllocaInst>(V))
    return any_of(V->users(), [&](const User *U) {
      if (auto *Store = dyn_cast<StoreInst>(U))
        return Store->getPointerOperand() != V || Add(Store->getValueOperand());
      auto *Intrinsic = dyn_cast<IntrinsicInst>(U);
      return !isa<LoadInst>(U) &&
             !(Intrinsic && (Intrinsic->isLifetimeStartOrEnd() ||
                             isa<DbgInfoIntrinsic>(Intrinsic)));
    });
  if (auto *Phi = dyn_cast<PHINode>(V))
    return any_of(Phi->incoming_values(),
                  [&](const Use &U) { return Add(U.get()); });
  if (auto *Select = dyn_cast<SelectInst>(V))
    return Add(Select->getTrueValue()) || Add(Select->getFalseValue());
  if (auto *Element = dyn_cast<GEPOperator>(V))
    return !isWithin(*Element, M.getDataLayout());
  auto *Call = dyn_cast<CallBase>(V);
  if (!Call)
    return true;
  bool Ends;
  const Function *Callee = calledBy(*Call, Ends);
  if (Callee ? !Never.contains(Callee) && Add(Callee) : !Ends)
    return true;
  // It may return what it is given, as placement new and strcpy do.
  return any_of(Call->args(), [&](const Use &Given) {
    return Given->getType()->isPointerTy() && Add(Given.get());
  });
}

/// \returns what decides about \p V: the variable for what is loaded from it;
/// null if V is no block for certain.
static const Value *deciding(const Value *V) {
  V = V->stripPointerCasts();
  if (auto *Load = dyn_cast<LoadInst>(V))
    if (isa<AllocaInst>(Load->getPointerOperand()))
      V = Load->getPointerOperand();
  return isa<Argument>(V) || (isa<Constant>(V) && !isa<Function>(V)) ? nullptr
                                                                     : V;
}

bool ReachesAllocation::mayBeBlock(const Value &Of) {
  if (!Looked)
    lookThroughModule();
  const Value *Asked = deciding(&Of);
  if (!Asked)
    return false;
  auto [Known, IsNew] = IsBlock.try_emplace(Asked, false);
  if (!IsNew)
    return Known->second;
  // All that it may be is looked at once and decided here, also what does not
  // matter to this question, so that many questions take linear time.
  SmallVector<const Value *, 16> Undecided = {Asked}, Blocks;
  DenseMap<const Value *, SmallVector<const Value *, 2>> Dependents;
  for (size_t I = 0; I < Undecided.size(); ++I) {
    const Value *V = Undecided[I];
    if (expand(V, [&](const Value *MayBe) {
          MayBe = deciding(MayBe);
          if (!MayBe)
            return false;
          auto [It, New] = IsBlock.try_emplace(MayBe, false);
          if (New)
            Undecided.push_back(MayBe);
          Dependents[MayBe].push_back(V);
          return It->second;
        }))
      Blocks.push_back(V);
  }
  while (!Blocks.empty()) {
    const Value *Block = Blocks.pop_back_val();
    if (!std::exchange(IsBlock[Block], true))
      append_range(Blocks, Dependents.lookup(Block));
  }
  return IsBlock.lookup(Asked);
}

bool ReachesAllocation::returnsBlock(const Function &F) {
  if (F.isDeclaration() || F.isInterposable())
    return true;
  if (!Looked)
    lookThroughModule();
  return !Never.contains(&F) && mayBeBlock(F);
}

} // namespace inmem

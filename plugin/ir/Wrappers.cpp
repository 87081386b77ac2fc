//===- Wrappers.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/Wrappers.h"
#include "ir/AllocationFunctions.h"
#include "ir/Pipeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace inmem {

/// The local variable that \p V is loaded from; null if there is none.
static const AllocaInst *variableOf(const Value &V) {
  auto *Load = dyn_cast<LoadInst>(&V);
  return Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
}

/// True if \p U, a use of a local variable's address, neither reads nor changes
/// the variable.
static bool isDescription(const User &U) {
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&U);
  return Intrinsic && (Intrinsic->isLifetimeStartOrEnd() ||
                       isa<DbgInfoIntrinsic>(Intrinsic));
}

/// True if \p V is computed from a parameter of its function.
static bool dependsOnParameter(const Value &V,
                               SmallPtrSetImpl<const Value *> &Seen) {
  if (isa<Argument>(V))
    return true;
  auto *I = dyn_cast<Instruction>(&V);
  if (!I || !Seen.insert(I).second)
    return false;
  if (const AllocaInst *Variable = variableOf(V))
    return any_of(Variable->users(), [&](const User *U) {
      auto *Store = dyn_cast<StoreInst>(U);
      return Store && Store->getPointerOperand() == Variable &&
             dependsOnParameter(*Store->getValueOperand(), Seen);
    });
  // Members and results of other functions do not count: they are the
  // allocator's own size.
  if (I->mayReadFromMemory() && !isa<IntrinsicInst>(I))
    return false;
  return any_of(I->operands(), [&](const Use &U) {
    return dependsOnParameter(*U.get(), Seen);
  });
}

/// True if the caller affects the size of \p Call.
static bool hasGivenSize(const CallBase &Call) {
  SmallPtrSet<const Value *, 16> Seen;
  return any_of(Call.args(), [&](const Use &U) {
    return U->getType()->isIntegerTy() && dependsOnParameter(*U.get(), Seen);
  });
}

bool WrapperFinder::forwards(const Function &F) {
  if (F.isDeclaration() || F.isInterposable() ||
      !F.getReturnType()->isPointerTy())
    return false;
  Visited.clear();
  Given.clear();
  Resized.clear();
  Found = false;
  for (const BasicBlock &Block : F)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()))
      if (!trace(Return->getReturnValue()))
        return false;
  if (!Found ||
      any_of(Given, [this](const Argument *A) { return !Resized.contains(A); }))
    return false;
  SmallVector<unsigned, 1> &Numbers = ResizedBy[&F];
  for (const Argument *A : Resized)
    Numbers.push_back(A->getArgNo());
  return true;
}

bool WrapperFinder::trace(const Value *V) {
  V = V->stripPointerCasts();
  if (!Visited.insert(V).second || isa<ConstantPointerNull>(V) ||
      isa<UndefValue>(V))
    return true;
  if (auto *Call = dyn_cast<CallBase>(V))
    return traceCall(*Call);
  if (auto *Parameter = dyn_cast<Argument>(V)) {
    Given.insert(Parameter);
    return true;
  }
  if (auto *Phi = dyn_cast<PHINode>(V))
    return all_of(Phi->incoming_values(),
                  [this](const Use &U) { return trace(U.get()); });
  if (auto *Select = dyn_cast<SelectInst>(V))
    return trace(Select->getTrueValue()) && trace(Select->getFalseValue());
  if (const AllocaInst *Variable = variableOf(*V))
    return traceVariable(*Variable);
  return MayReuse && isa<LoadInst>(V);
}

bool WrapperFinder::traceCall(const CallBase &Call) {
  if (!IsUntyped(Call) || (MayReuse && !hasGivenSize(Call)))
    return false;
  if (const HookedFunction *Hooked = hookedCallee(Call)) {
    if (Hooked->Kind == INMEM_SITE_REALLOC)
      noteResized(*Call.getArgOperand(Hooked->PointerArgument));
  } else if (const Function *Callee = directCallee(Call)) {
    for (const unsigned Number : ResizedBy.lookup(Callee))
      if (Number < Call.arg_size())
        noteResized(*Call.getArgOperand(Number));
  }
  return Found = true;
}

void WrapperFinder::noteResized(const Value &Old) {
  const Value *V = Old.stripPointerCasts();
  if (auto *Parameter = dyn_cast<Argument>(V)) {
    Resized.insert(Parameter);
  } else if (const AllocaInst *Variable = variableOf(*V)) {
    for (const User *U : Variable->users())
      if (auto *Store = dyn_cast<StoreInst>(U))
        if (auto *Kept = dyn_cast<Argument>(Store->getValueOperand()))
          Resized.insert(Kept);
  }
}

bool WrapperFinder::traceVariable(const AllocaInst &Slot) {
  for (const User *U : Slot.users()) {
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      if (Store->getPointerOperand() != &Slot ||
          !trace(Store->getValueOperand()))
        return false;
      continue;
    }
    if (isa<LoadInst>(U) || isDescription(*U))
      continue;
    auto *Call = dyn_cast<CallBase>(U);
    const HookedFunction *Hooked = Call ? hookedCallee(*Call) : nullptr;
    if (!Hooked || Hooked->Name != "posix_memalign" ||
        Call->getArgOperand(0) != &Slot || !IsUntyped(*Call))
      return false;
    Found = true;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Allocators that know the type
//===----------------------------------------------------------------------===//

/// True if \p Block is only compared with null, cleared, freed and returned.
static bool isOnlyReturned(const Value &Block,
                           SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(&Block).second)
    return true;
  return all_of(Block.users(), [&](const User *U) {
    if (isa<ReturnInst, ICmpInst, PtrToIntInst>(U) || isDescription(*U))
      return true;
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      auto *Slot = dyn_cast<AllocaInst>(Store->getPointerOperand());
      return Slot && all_of(Slot->users(), [&](const User *Other) {
               return !isa<LoadInst>(Other) || isOnlyReturned(*Other, Seen);
             });
    }
    if (isa<PHINode, SelectInst, CastInst>(U))
      return isOnlyReturned(*U, Seen);
    if (isa<MemSetInst>(U))
      return true;
    auto *Call = dyn_cast<CallBase>(U);
    const HookedFunction *Hooked = Call ? hookedCallee(*Call) : nullptr;
    return Hooked && Hooked->Frees;
  });
}

bool TypedAllocatorFinder::handsOut(const Function &F) {
  if (F.isDeclaration() || F.isInterposable() || F.isPresplitCoroutine() ||
      !F.getReturnType()->isPointerTy())
    return false;
  Visited.clear();
  Found = false;
  for (const BasicBlock &Block : F)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()))
      if (!trace(Return->getReturnValue()))
        return false;
  return Found && Known.insert(&F).second;
}

/// True for functions that take a size in bytes. A new-expression does not
/// count: it constructs an object for the function that contains it.
bool TypedAllocatorFinder::isAllocation(const CallBase &Call) const {
  const Function *Callee = directCallee(Call);
  if (Callee && Known.contains(Callee))
    return true;
  const HookedFunction *Hooked = hookedCallee(Call);
  if (!Hooked || Hooked->Frees || Call.hasFnAttr(kSkipAttribute))
    return false;
  const uint8_t Kind =
      Call.hasFnAttr(kSiteAttribute) ? readCall(Call).Kind : uint8_t{};
  return Kind != INMEM_SITE_NEW && Kind != INMEM_SITE_NEW_ARRAY &&
         Kind != INMEM_SITE_COROUTINE;
}

bool TypedAllocatorFinder::trace(const Value *V) {
  V = V->stripPointerCasts();
  if (!Visited.insert(V).second || isa<ConstantPointerNull>(V) ||
      isa<UndefValue>(V))
    return true;
  if (auto *Phi = dyn_cast<PHINode>(V))
    return all_of(Phi->incoming_values(),
                  [this](const Use &U) { return trace(U.get()); });
  if (auto *Select = dyn_cast<SelectInst>(V))
    return trace(Select->getTrueValue()) && trace(Select->getFalseValue());
  if (const AllocaInst *Variable = variableOf(*V))
    return all_of(Variable->users(), [&](const User *U) {
      auto *Store = dyn_cast<StoreInst>(U);
      return Store ? Store->getPointerOperand() == Variable &&
                         trace(Store->getValueOperand())
                   : isa<LoadInst>(U) || isDescription(*U);
    });
  auto *Call = dyn_cast<CallBase>(V);
  SmallPtrSet<const Value *, 16> Used;
  if (!Call || !isAllocation(*Call) || !hasGivenSize(*Call) ||
      !isOnlyReturned(*Call, Used))
    return false;
  return Found = true;
}

} // namespace inmem

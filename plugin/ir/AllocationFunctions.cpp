//===- AllocationFunctions.cpp - functions known by name ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/AllocationFunctions.h"
#include "ir/LibrarySignatures.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

namespace {

/// LLVM matches an allocation with its deallocation by this name.
StringRef family(StringRef Name) {
  if (!Name.starts_with("_Z"))
    return "malloc";
  bool Array = Name.starts_with("_Zna") || Name.starts_with("_Zda");
  if (Name.contains("St11align_val_t"))
    return Array ? "_ZnamSt11align_val_t" : "_ZnwmSt11align_val_t";
  return Array ? "_Znam" : "_Znwm";
}

HookedFunction describe(StringRef Name, StringRef Hook, bool Frees) {
  HookedFunction Result{Name, Hook, Frees, 0, family(Name), {}, -1, -1};
  if (Frees) {
    Result.AllocKind = AllocFnKind::Free;
    Result.PointerArgument = 0;
    return Result;
  }
  const CAllocator *OfC = findCAllocator(Name);
  Result.Kind = OfC                        ? OfC->Kind
                : Name.starts_with("_Zna") ? INMEM_SITE_NEW_ARRAY
                                           : INMEM_SITE_NEW;
  if (Result.Kind == INMEM_SITE_REALLOC) {
    Result.AllocKind = AllocFnKind::Realloc;
    Result.PointerArgument = 0;
    return Result;
  }
  Result.AllocKind = AllocFnKind::Alloc | (Result.Kind == INMEM_SITE_CALLOC
                                               ? AllocFnKind::Zeroed
                                               : AllocFnKind::Uninitialized);
  if (OfC)
    Result.AlignArgument = OfC->AlignArgument;
  else if (Name.contains("St11align_val_t"))
    Result.AlignArgument = 1;
  if (Result.AlignArgument >= 0)
    Result.AllocKind |= AllocFnKind::Aligned;
  return Result;
}

const StringMap<HookedFunction> &hookedFunctions() {
  static const StringMap<HookedFunction> Map = [] {
    StringMap<HookedFunction> Result;
#define INMEM_ADD(Name)                                                        \
  Result[#Name] = describe(#Name, "__inmem_" #Name, false);                    \
  Result[#Name].Number = INMEM_HOOK_##Name;
    INMEM_ALLOCATING_FUNCTIONS(INMEM_ADD)
#undef INMEM_ADD
#define INMEM_ADD(Name)                                                        \
  Result[#Name] = describe(#Name, "__inmem_" #Name, true);                     \
  Result[#Name].Number = INMEM_HOOK_##Name;
    INMEM_FREEING_FUNCTIONS(INMEM_ADD)
#undef INMEM_ADD
    return Result;
  }();
  return Map;
}

constexpr StringRef kChar = "_ZTSc";
constexpr OwningFunction kOwningFunctions[] = {
    {"strdup", kChar, -1, -1, false},
    {"__strdup", kChar, -1, -1, false},
    {"strndup", kChar, -1, -1, false},
    {"__strndup", kChar, -1, -1, false},
    {"wcsdup", "_ZTSw", -1, -1, false},
    {"asprintf", kChar, 0, -1, true},
    {"vasprintf", kChar, 0, -1, true},
    {"__asprintf", kChar, 0, -1, true},
    {"__asprintf_chk", kChar, 0, -1, true},
    {"__vasprintf_chk", kChar, 0, -1, true},
    {"getline", kChar, 0, -1, false},
    {"getdelim", kChar, 0, -1, false},
    {"__getdelim", kChar, 0, -1, false},
    {"realpath", kChar, -1, 1, false},
    {"__realpath_chk", kChar, -1, 1, false},
    {"canonicalize_file_name", kChar, -1, -1, false},
    {"getcwd", kChar, -1, 0, false},
    {"__getcwd_chk", kChar, -1, 0, false},
    {"get_current_dir_name", kChar, -1, -1, false},
    {"tempnam", kChar, -1, -1, false},
    {"__cxa_demangle", kChar, -1, 1, false},
    {"scandir", "_ZTS6dirent", 1, -1, true, "_ZTSP6dirent"},
    {"scandir64", "_ZTS8dirent64", 1, -1, true, "_ZTSP8dirent64"},
    // std::string's, if it is in libstdc++.so: it ends in a jump to operator
    // new, which then appears to be called by its caller.
    {"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm",
     kChar, -1, -1, false},
};

/// True if the parameters match the hook in abi.h, apart from the site.
bool hasExpectedSignature(const HookedFunction &Hooked,
                          const FunctionType &Type) {
  if (Type.isVarArg() || !Type.getNumParams())
    return false;
  if (!hasLibrarySignature(Hooked.Name, Type))
    return false;
  if (Hooked.Frees)
    return Type.getReturnType()->isVoidTy() &&
           Type.getParamType(0)->isPointerTy();
  if (!Hooked.Name.starts_with("_Z"))
    return true;
  if (!Type.getReturnType()->isPointerTy())
    return false;
  unsigned Count = StringSwitch<unsigned>(Hooked.Name)
                       .Case("_Znwm", 1)
                       .Case("_Znam", 1)
                       .EndsWith("St11align_val_tRKSt9nothrow_t", 3)
                       .Default(2);
  return Type.getNumParams() == Count;
}

} // namespace

const HookedFunction *findHookedFunction(StringRef Name) {
  auto It = hookedFunctions().find(Name);
  if (It == hookedFunctions().end())
    It = hookedFunctions().find(unprefixedAllocator(Name));
  return It == hookedFunctions().end() ? nullptr : &It->second;
}

Function *directCallee(const CallBase &Call) {
  Value *Callee = Call.getCalledOperand()->stripPointerCasts();
  for (int Depth = 0; Depth < 4; ++Depth) {
    auto *Alias = dyn_cast<GlobalAlias>(Callee);
    if (!Alias || Alias->isInterposable())
      break;
    Callee = Alias->getAliasee()->stripPointerCasts();
  }
  return dyn_cast<Function>(Callee);
}

/// char *malloc(), as before ANSI C. (Clang completes declarations that match
/// the library's.)
static bool isDeclaredWithoutParameters(const Function &F) {
  return F.isDeclaration() && F.getFunctionType()->isVarArg() &&
         F.getFunctionType()->getNumParams() == 0;
}

static const Function *externalCallee(const CallBase &Call) {
  auto *Callee =
      dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  if (!Callee || Callee->hasLocalLinkage() ||
      (Callee->getFunctionType() != Call.getFunctionType() &&
       !isDeclaredWithoutParameters(*Callee)) ||
      Callee->hasFnAttribute(kForeignAttribute))
    return nullptr;
  return Callee;
}

FunctionType *calledType(const CallBase &Call) {
  const Function *Callee = directCallee(Call);
  FunctionType *Type = Call.getFunctionType();
  const bool Before = Callee && isDeclaredWithoutParameters(*Callee);
  if (!Callee || !Callee->isDeclaration() || (Type->isVarArg() && !Before))
    return Type;
  StringRef Name = Callee->getName();
  Name.consume_front("\01");
  const StringRef Wanted = librarySignature(Name).drop_front(
      std::min<size_t>(1, librarySignature(Name).size()));
  SmallVector<llvm::Type *, 4> Given;
  for (const Use &Argument : Call.args()) {
    llvm::Type *T = Argument->getType();
    const size_t I = Given.size();
    bool IsSize = I < Wanted.size() && (Wanted[I] == 'z' || Wanted[I] == 's');
    Given.push_back(IsSize && T->isIntegerTy(32)
                        ? llvm::Type::getInt64Ty(Call.getContext())
                        : T);
  }
  return FunctionType::get(Type->getReturnType(), Given, /*isVarArg=*/false);
}

const HookedFunction *hookedCallee(const CallBase &Call) {
  const Function *Callee = externalCallee(Call);
  if (!Callee || isa<CallBrInst>(Call))
    return nullptr;
  StringRef Name = Callee->getName();
  Name.consume_front("\01");
  Name.consume_front(kOwnPrefix);
  const HookedFunction *Hooked = findHookedFunction(Name);
  if (!Hooked || !hasExpectedSignature(*Hooked, *calledType(Call)) ||
      (!Callee->isDeclaration() && !Name.starts_with("_Z") &&
       !isReplaceable(Hooked->Name)))
    return nullptr;
  return Hooked;
}

const OwningFunction *findOwningFunction(StringRef Name) {
  static const StringMap<const OwningFunction *> Map = [] {
    StringMap<const OwningFunction *> Result;
    for (const OwningFunction &Row : kOwningFunctions)
      Result[Row.Name] = &Row;
    return Result;
  }();
  return Map.lookup(Name);
}

const OwningFunction *owningCallee(const CallBase &Call) {
  const Function *Callee = externalCallee(Call);
  if (!Callee || isa<CallBrInst>(Call))
    return nullptr;
  StringRef Name = Callee->getName();
  Name.consume_front("\01");
  const OwningFunction *Row = findOwningFunction(Name);
  if (!Row || !Callee->isDeclaration() ||
      !hasLibrarySignature(Name, *Call.getFunctionType()))
    return nullptr; // the program's, or std::string's, instrumented itself
  auto IsPointer = [&Call](int Index) {
    return Call.arg_size() > unsigned(Index) &&
           Call.getArgOperand(Index)->getType()->isPointerTy();
  };
  if (Call.arg_size() && !IsPointer(0))
    return nullptr; // another function of that name
  if (Row->ResultArgument >= 0
          ? !Call.getType()->isIntegerTy() || !IsPointer(Row->ResultArgument)
          : !Call.getType()->isPointerTy())
    return nullptr;
  if (Row->NullArgument >= 0 &&
      (!IsPointer(Row->NullArgument) ||
       !isa<ConstantPointerNull>(Call.getArgOperand(Row->NullArgument))))
    return nullptr;
  return Row;
}

} // namespace inmem

//===- References.cpp - a module's references to allocation functions -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/AllocationFunctions.h"
#include "ir/FunctionFacts.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace inmem {

static StructType *layoutOf(LLVMContext &Context) {
  Type *Ptr = PointerType::getUnqual(Context);
  Type *I32 = Type::getInt32Ty(Context);
  return StructType::get(Context, {Ptr, Ptr, I32, I32});
}

static Constant *rowOf(Constant *Function, Constant *By,
                       const HookedFunction &Hooked, uint32_t Flags) {
  LLVMContext &Context = Function->getContext();
  Type *I32 = Type::getInt32Ty(Context);
  return ConstantStruct::get(
      layoutOf(Context), {Function, By, ConstantInt::get(I32, Hooked.Number),
                          ConstantInt::get(I32, Flags)});
}

static void place(GlobalVariable &Row) {
  Row.setSection(INMEM_SECTION_REFERENCES);
  Row.setAlignment(Align(8));
  // No code refers to the row.
  appendToUsed(*Row.getParent(), {&Row});
}

static void shareInModule(GlobalObject &Object, Comdat *Group) {
  Object.setComdat(Group);
  Object.setVisibility(GlobalValue::HiddenVisibility);
  Object.setDSOLocal(true);
}

FunctionCallee calleeBy(Module &M, const HookedFunction &Hooked,
                        FunctionType *Type, bool From) {
  SmallVector<llvm::Type *, 6> Parameters(Type->params());
  Parameters.push_back(PointerType::getUnqual(M.getContext()));
  FunctionCallee By = M.getOrInsertFunction(
      (INMEM_BY_PREFIX + Twine(From ? "from_" : "") + Hooked.Name).str(),
      FunctionType::get(Type->getReturnType(), Parameters, false));
  if (auto *F = dyn_cast<Function>(By.getCallee()))
    F->addFnAttr(Attribute::NonLazyBind);
  return By;
}

/// Fills in \p F, which replaces the hook: a jump to __inmem_by_f with the
/// module's own \p Original.
static void fillJump(Function &F, const HookedFunction &Hooked,
                     Function &Original, GlobalVariable &Row, bool From) {
  Module &M = *F.getParent();
  IRBuilder<> Builder(BasicBlock::Create(M.getContext(), "", &F));
  SmallVector<Value *, 6> Arguments;
  for (Argument &A : F.args())
    Arguments.push_back(&A);
  // Without -fPIC, use the row's value: an address in code makes the linker
  // create a stub that all other files then use as the function. With -fPIC,
  // load from the GOT: gold leaves a row unrelocated if --defsym defines the
  // function.
  Arguments.push_back(M.getPICLevel() == PICLevel::NotPIC
                          ? cast<Value>(Builder.CreateLoad(
                                PointerType::getUnqual(M.getContext()), &Row))
                          : &Original);
  CallInst *Result = Builder.CreateCall(
      calleeBy(M, Hooked, F.getFunctionType(), From), Arguments);
  Result->setTailCallKind(CallInst::TCK_Tail);
  if (F.getReturnType()->isVoidTy())
    Builder.CreateRetVoid();
  else
    Builder.CreateRet(Result);
}

void addReference(const HookedFunction &Hooked, Function &Original,
                  FunctionType *Type, bool From) {
  Module &M = *Original.getParent();
  const std::string Suffix = ((From ? "from_" : "") + Hooked.Name).str();
  const std::string Name = "__inmem_ref_" + Suffix;
  if (M.getNamedGlobal(Name))
    return;
  Comdat *Group = M.getOrInsertComdat(Name);
  auto *Row = new GlobalVariable(
      M, layoutOf(M.getContext()),
      /*isConstant=*/false, GlobalValue::LinkOnceODRLinkage, nullptr, Name);
  shareInModule(*Row, Group);
  auto *By = Function::Create(Type, GlobalValue::LinkOnceODRLinkage,
                              "__inmem_own_" + Suffix, &M);
  shareInModule(*By, Group);
  for (const auto Kind :
       {Attribute::DisableSanitizerInstrumentation, Attribute::NoProfile,
        Attribute::NoInline, Attribute::Cold})
    By->addFnAttr(Kind);
  By->setUWTableKind(UWTableKind::Default);
  fillJump(*By, Hooked, Original, *Row, From);
  Row->setInitializer(
      rowOf(&Original, By, Hooked, From ? INMEM_REFERENCE_FROM : 0));
  place(*Row);
}

void addDefinitions(Module &M) {
  for (Function &F : M) {
    const HookedFunction *Hooked = isInstrumentable(F) &&
                                           !F.hasLocalLinkage() &&
                                           !F.isDiscardableIfUnused()
                                       ? findHookedFunction(F.getName())
                                       : nullptr;
    if (!Hooked)
      continue;
    // Use a local alias: the function's own name may resolve to another
    // module's.
    auto *Local = GlobalAlias::create(GlobalValue::InternalLinkage,
                                      "__inmem_local_" + F.getName(), &F);
    Constant *Nothing =
        ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
    place(*new GlobalVariable(
        M, layoutOf(M.getContext()), /*isConstant=*/false,
        GlobalValue::InternalLinkage,
        rowOf(Local, Nothing, *Hooked, INMEM_REFERENCE_DEFINED),
        "__inmem_def_" + F.getName()));
  }
}

} // namespace inmem

//===- RuntimeHooks.cpp - every function of the runtime that code calls ---===//
#include "ir/RuntimeHooks.h"

using namespace llvm;

namespace inmem {

FunctionCallee RuntimeHooks::replacement(const HookedFunction &Hooked,
                                         Function &Original) {
  FunctionType *Signature = Original.getFunctionType();
  if (!Hooked.Frees) {
    SmallVector<Type *, 4> Parameters(Signature->params());
    Parameters.push_back(PointerType::getUnqual(M.getContext()));
    Signature =
        FunctionType::get(Signature->getReturnType(), Parameters, false);
  }
  FunctionCallee Hook = M.getOrInsertFunction(Hooked.Hook, Signature);
  auto *F = dyn_cast<Function>(Hook.getCallee());
  if (F && F->isDeclaration() && F->getAttributes().isEmpty()) {
    F->setAttributes(Original.getAttributes());
    F->setCallingConv(Original.getCallingConv());
    F->setDSOLocal(false);
  }
  return Hook;
}

FunctionCallee RuntimeHooks::leaf(StringRef Name, unsigned Pointers) {
  LLVMContext &Context = M.getContext();
  SmallVector<Type *, 2> Parameters(Pointers, PointerType::getUnqual(Context));
  FunctionCallee Hook = M.getOrInsertFunction(
      Name, FunctionType::get(Type::getVoidTy(Context), Parameters, false));
  if (auto *F = dyn_cast<Function>(Hook.getCallee()))
    F->addFnAttr(Attribute::NoUnwind);
  return Hook;
}

FunctionCallee RuntimeHooks::copyBegin() {
  Type *I64 = Type::getInt64Ty(M.getContext());
  FunctionCallee Hook = M.getOrInsertFunction(
      "__inmem_copy_begin",
      FunctionType::get(StructType::get(I64, I64), false));
  if (auto *F = dyn_cast<Function>(Hook.getCallee()))
    F->addFnAttr(Attribute::NoUnwind);
  return Hook;
}

FunctionCallee RuntimeHooks::copyEnd() {
  LLVMContext &Context = M.getContext();
  Type *I64 = Type::getInt64Ty(Context);
  FunctionCallee Hook = M.getOrInsertFunction(
      "__inmem_copy_end",
      FunctionType::get(Type::getVoidTy(Context),
                        {PointerType::getUnqual(Context), I64, I64}, false));
  if (auto *F = dyn_cast<Function>(Hook.getCallee()))
    F->addFnAttr(Attribute::NoUnwind);
  return Hook;
}

void addAllocationAttributes(const HookedFunction &Hooked, CallBase &Call) {
  LLVMContext &Context = Call.getContext();
  Call.addFnAttr(Attribute::get(Context, Attribute::AllocKind,
                                uint64_t(Hooked.AllocKind)));
  Call.addFnAttr(Attribute::get(Context, "alloc-family", Hooked.Family));
  if (Hooked.PointerArgument >= 0)
    Call.addParamAttr(Hooked.PointerArgument, Attribute::AllocatedPointer);
  if (Hooked.AlignArgument >= 0)
    Call.addParamAttr(Hooked.AlignArgument, Attribute::AllocAlign);
}

} // namespace inmem

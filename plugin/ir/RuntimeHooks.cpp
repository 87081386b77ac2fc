//===- RuntimeHooks.cpp - every function of the runtime that code calls ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/RuntimeHooks.h"
#include "Compat.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

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
    F->addFnAttr(Attribute::NonLazyBind); // no stub on the way to each block
  }
  return Hook;
}

FunctionCallee RuntimeHooks::nounwind(StringRef Name,
                                      ArrayRef<Type *> Parameters) {
  FunctionCallee Hook = M.getOrInsertFunction(
      Name,
      FunctionType::get(Type::getVoidTy(M.getContext()), Parameters, false));
  if (auto *F = dyn_cast<Function>(Hook.getCallee()))
    F->addFnAttr(Attribute::NoUnwind);
  return Hook;
}

FunctionCallee RuntimeHooks::leaf(StringRef Name, unsigned Pointers) {
  Type *Ptr = PointerType::getUnqual(M.getContext());
  return nounwind(Name, SmallVector<Type *, 2>(Pointers, Ptr));
}

FunctionCallee RuntimeHooks::retagEntries() {
  Type *Ptr = PointerType::getUnqual(M.getContext());
  return nounwind("__inmem_retag_entries",
                  {Ptr, Type::getInt32Ty(M.getContext()), Ptr, Ptr});
}

FunctionCallee RuntimeHooks::retagSized() {
  Type *Ptr = PointerType::getUnqual(M.getContext());
  Type *I64 = Type::getInt64Ty(M.getContext());
  return nounwind(kRetagSized, {Ptr, Ptr, I64, I64, I64});
}

Value *RuntimeHooks::newestBlock(Instruction *Where) {
  IRBuilder<> Builder(Where);
  PointerType *Ptr = PointerType::getUnqual(M.getContext());
  auto *Newest =
      cast<GlobalVariable>(M.getOrInsertGlobal("__inmem_newest", Ptr));
  Newest->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
  // Volatile: at link time the optimiser would take it that an allocation
  // function changes nothing that others see.
  LoadInst *Load = Builder.CreateLoad(
      Ptr, compat::threadLocalAddress(Builder, Newest), /*isVolatile=*/true);
  Load->setMetadata(LLVMContext::MD_nosanitize,
                    MDNode::get(M.getContext(), {}));
  return Load;
}

FunctionCallee RuntimeHooks::objectsConstructed() {
  Type *Ptr = PointerType::getUnqual(M.getContext());
  Type *I64 = Type::getInt64Ty(M.getContext());
  return nounwind("__inmem_objects_constructed", {Ptr, Ptr, I64, I64});
}

Instruction *pointAfter(CallBase &Call) {
  if (Call.isMustTailCall())
    return &Call;
  auto *Invoke = dyn_cast<InvokeInst>(&Call);
  if (!Invoke)
    return Call.getNextNode();
  BasicBlock *Normal = Invoke->getNormalDest();
  if (!Normal->getSinglePredecessor())
    Normal = SplitEdge(Invoke->getParent(), Normal);
  return &*Normal->getFirstInsertionPt();
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

CallInst *emitConditionalRetag(Module &M, CallBase &Call, Instruction *Where) {
  IRBuilder<> Builder(Where);
  Builder.SetCurrentDebugLocation(Call.getDebugLoc());
  // What was requested is in the last two numbers.
  Value *Requested[2] = {Builder.getInt64(1), Builder.getInt64(1)};
  for (Value *Argument : Call.args()) {
    auto *Number = dyn_cast<IntegerType>(Argument->getType());
    if (!Number || Number->getBitWidth() < 32 || Number->getBitWidth() > 64)
      continue;
    Requested[0] = Requested[1];
    Requested[1] = Builder.CreateZExt(Argument, Builder.getInt64Ty());
  }
  CallInst *Retag = Builder.CreateCall(
      RuntimeHooks(M).retagSized(),
      {&Call, ConstantPointerNull::get(PointerType::getUnqual(M.getContext())),
       Builder.getInt64(1), Requested[0], Requested[1]});
  // What it seems to cost the inliner, it gives back (InstrumentObjects.cpp).
  Retag->addFnAttr(
      Attribute::get(M.getContext(), "call-threshold-bonus", "45"));
  return Retag;
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

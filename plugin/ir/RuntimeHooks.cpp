//===- RuntimeHooks.cpp - every function of the runtime that code calls ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/RuntimeHooks.h"
#include "Compat.h"
#include "SiteTable.h"
#include "ir/AllocationFunctions.h"
#include "ir/Pipeline.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace inmem {

FunctionCallee RuntimeHooks::replacement(const HookedFunction &Hooked,
                                         const CallBase &Call, bool From) {
  Function &Original = *cast<Function>(Call.getCalledOperand());
  FunctionType *Signature = calledType(Call);
  if (!Hooked.Frees) {
    SmallVector<Type *, 4> Parameters(Signature->params());
    Parameters.append(From ? 2 : 1, PointerType::getUnqual(M.getContext()));
    Signature =
        FunctionType::get(Signature->getReturnType(), Parameters, false);
  }
  if (ownAllocator(Call))
    return calleeBy(M, Hooked, Signature, From);
  FunctionCallee Hook =
      M.getOrInsertFunction(From ? (INMEM_FROM_PREFIX + Hooked.Name).str()
                                 : StringRef(Hooked.Hook).str(),
                            Signature);
  auto *F = dyn_cast<Function>(Hook.getCallee());
  if (F && F->isDeclaration() && F->getAttributes().isEmpty()) {
    F->setAttributes(Original.getAttributes());
    F->setCallingConv(Original.getCallingConv());
    F->setDSOLocal(false);
    F->addFnAttr(Attribute::NonLazyBind); // calls need no PLT stub
    addReference(Hooked, Original, Signature, From);
  }
  return Hook;
}

FunctionCallee RuntimeHooks::allocation(StringRef Name, Type *Result,
                                        ArrayRef<Value *> Arguments,
                                        bool From) {
  SmallVector<Type *, 4> Parameters;
  for (const Value *Argument : Arguments)
    Parameters.push_back(Argument->getType());
  FunctionCallee Hook =
      M.getOrInsertFunction(From ? (INMEM_FROM_PREFIX + Name).str()
                                 : (INMEM_HOOK_PREFIX + Name).str(),
                            FunctionType::get(Result, Parameters, false));
  auto *F = dyn_cast<Function>(Hook.getCallee());
  if (F && F->isDeclaration() && F->getAttributes().isEmpty()) {
    F->addFnAttr(Attribute::NoUnwind);
    F->addFnAttr(Attribute::NonLazyBind);
  }
  return Hook;
}

FunctionCallee RuntimeHooks::nounwind(StringRef Name,
                                      ArrayRef<Type *> Parameters,
                                      Type *Result) {
  FunctionCallee Hook = M.getOrInsertFunction(
      Name, FunctionType::get(Result ? Result : Type::getVoidTy(M.getContext()),
                              Parameters, false));
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

CallBase &insertCall(CallBase &Call, FunctionCallee Hook,
                     ArrayRef<Value *> Arguments) {
  IRBuilder<> Builder(&Call);
  SmallVector<OperandBundleDef, 1> Bundles;
  Call.getOperandBundlesAsDefs(Bundles);
  CallBase *New;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    New = Builder.CreateInvoke(Hook, Invoke->getNormalDest(),
                               Invoke->getUnwindDest(), Arguments, Bundles);
  } else {
    auto *NewCall = Builder.CreateCall(Hook, Arguments, Bundles);
    NewCall->setTailCallKind(cast<CallInst>(Call).getTailCallKind());
    New = NewCall;
  }
  New->setCallingConv(Call.getCallingConv());
  New->setAttributes(Call.getAttributes());
  New->copyMetadata(Call);
  New->setDebugLoc(Call.getDebugLoc());
  return *New;
}

Value *RuntimeHooks::threadsPointer(IRBuilder<> &Builder, StringRef Name) {
  auto *Variable = cast<GlobalVariable>(
      M.getOrInsertGlobal(Name, PointerType::getUnqual(M.getContext())));
  Variable->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
  return compat::threadLocalAddress(Builder, Variable);
}

Value *RuntimeHooks::loadThreads(IRBuilder<> &Builder, StringRef Name) {
  // Volatile: at link time, the optimiser would assume that an allocation
  // function leaves it unchanged.
  LoadInst *Load = Builder.CreateLoad(PointerType::getUnqual(M.getContext()),
                                      threadsPointer(Builder, Name),
                                      /*isVolatile=*/true);
  Load->setMetadata(LLVMContext::MD_nosanitize,
                    MDNode::get(M.getContext(), {}));
  return Load;
}

Value *RuntimeHooks::newestBlock(IRBuilder<> &Builder) {
  return loadThreads(Builder, "__inmem_newest");
}

Value *RuntimeHooks::returnedBlock(IRBuilder<> &Builder) {
  return loadThreads(Builder, "__inmem_returned");
}

void RuntimeHooks::setReturnedBlock(IRBuilder<> &Builder, Value *Block) {
  StoreInst *Store = Builder.CreateStore(
      Block, threadsPointer(Builder, "__inmem_returned"), /*isVolatile=*/true);
  Store->setMetadata(LLVMContext::MD_nosanitize,
                     MDNode::get(M.getContext(), {}));
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
  return nounwind("__inmem_copy_begin", {}, StructType::get(I64, I64));
}

FunctionCallee RuntimeHooks::copyEnd() {
  Type *I64 = Type::getInt64Ty(M.getContext());
  return nounwind("__inmem_copy_end",
                  {PointerType::getUnqual(M.getContext()), I64, I64});
}

FunctionCallee RuntimeHooks::isJump() {
  Type *Ptr = PointerType::getUnqual(M.getContext());
  return nounwind("__inmem_is_jump", {Ptr, Ptr},
                  Type::getInt8Ty(M.getContext()));
}

/// The pairs of numbers that may be the size of \p Call, as one of them or as
/// their product: the number that names the type with either neighbour, or else
/// the last two.
static SmallVector<std::pair<Value *, Value *>, 2>
requestsOf(const CallBase &Call) {
  SmallVector<Value *, 4> Numbers;
  for (Value *Argument : Call.args())
    if (auto *Number = dyn_cast<IntegerType>(Argument->getType());
        Number && Number->getBitWidth() >= kLeastBitsOfNumber &&
        Number->getBitWidth() <= kMostBitsOfNumber)
      Numbers.push_back(Argument);
  const size_t Count = Numbers.size();
  if (Count < 2)
    return {{nullptr, Count ? Numbers[0] : nullptr}};
  // "COUNT,INDEX". Check the count: a class passed in registers may look like
  // numbers.
  size_t Known = 0, Index = 0;
  auto [First, Second] =
      Call.getFnAttr(kNumbersAttribute).getValueAsString().split(',');
  if (First.getAsInteger(10, Known) || Second.getAsInteger(10, Index) ||
      Known != Count || Index < 1 || Index > Count)
    return {{Numbers[Count - 2], Numbers[Count - 1]}};
  SmallVector<std::pair<Value *, Value *>, 2> Pairs;
  if (Index > 1)
    Pairs.push_back({Numbers[Index - 2], Numbers[Index - 1]});
  if (Index < Count)
    Pairs.push_back({Numbers[Index - 1], Numbers[Index]});
  return Pairs;
}

SmallVector<CallInst *, 2> emitConditionalRetags(Module &M, CallBase &Call,
                                                 Value &Block,
                                                 Instruction *Where) {
  IRBuilder<> Builder(Where);
  Builder.SetCurrentDebugLocation(Call.getDebugLoc());
  auto Wide = [&](Value *Number) -> Value * {
    return Number ? Builder.CreateZExt(Number, Builder.getInt64Ty())
                  : Builder.getInt64(1);
  };
  SmallVector<CallInst *, 2> Retags;
  for (auto [One, Other] : requestsOf(Call)) {
    Value *Requested[2] = {Wide(One), Wide(Other)};
    Retags.push_back(Builder.CreateCall(
        RuntimeHooks(M).retagSized(),
        {&Block,
         ConstantPointerNull::get(PointerType::getUnqual(M.getContext())),
         Builder.getInt64(1), Requested[0], Requested[1]}));
    // Compensates for its cost in the inliner's model (InstrumentObjects.cpp).
    Retags.back()->addFnAttr(
        Attribute::get(M.getContext(), "call-threshold-bonus", "45"));
  }
  return Retags;
}

SmallVector<CallBase *, 4> sameRetags(CallBase &First) {
  SmallVector<CallBase *, 4> Same = {&First};
  for (Instruction *I = First.getNextNode(); I; I = I->getNextNode()) {
    auto *Call = dyn_cast<CallBase>(I);
    if (!Call || isa<IntrinsicInst>(Call))
      continue;
    if (Call->getCalledOperand() != First.getCalledOperand() ||
        Call->getArgOperand(0) != First.getArgOperand(0))
      break;
    Same.push_back(Call);
  }
  return Same;
}

bool hasFrameRecords(const Module &M) { return compat::target(M).isAArch64(); }

Value *RuntimeHooks::returnSlot(IRBuilder<> &Builder) {
  Type *Ptr = PointerType::getUnqual(M.getContext());
  if (!hasFrameRecords(M))
    return Builder.CreateIntrinsic(Intrinsic::addressofreturnaddress, {Ptr},
                                   {});
  Value *Frame = Builder.CreateIntrinsic(Intrinsic::frameaddress, {Ptr},
                                         {Builder.getInt32(0)});
  return Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Frame, 8);
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

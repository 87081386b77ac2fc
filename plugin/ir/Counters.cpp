//===- Counters.cpp - code that counts ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a cell and a displacement for each thread? Plain increments lose counts
// if threads share a cell, and atomic increments prevent vectorisation.
// Thread-local counters are as fast, but a library loaded late soon runs out of
// static TLS, and the counts are lost if the program is killed. A displacement
// of 0 is valid before anything is set up (docs/design/tried.md).
//
//===----------------------------------------------------------------------===//
#include "ir/Counters.h"
#include "Compat.h"
#include "PluginOptions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/ModRef.h"

using namespace llvm;

namespace inmem {

CounterBuilder::CounterBuilder(Module &M, DescriptorEmitter &Emitter)
    : M(M), Emitter(Emitter), I64(Type::getInt64Ty(M.getContext())) {
  // Distinct TBAA tags: counters alias neither program memory nor each other,
  // so that loops that contain counters still vectorise.
  MDBuilder Types(M.getContext());
  MDNode *Root = Types.createTBAARoot("Simple C++ TBAA");
  auto Tag = [&](StringRef Name) {
    MDNode *Type = Types.createTBAAScalarTypeNode(Name, Root);
    return Types.createTBAAStructTagNode(Type, Type, 0);
  };
  CounterTag = Tag("inmem counter");
  BaseTag = Tag("inmem displacement");
}

/// A counter adds to the inline cost of its function. Without compensation, the
/// function might no longer be inlined, and code that inlining removes,
/// including allocations, would remain. A "call-threshold-bonus" on a call in
/// the callee's body compensates for that.
static void addBonus(CallBase &Call, StringRef Bonus) {
  Call.addFnAttr(
      Attribute::get(Call.getContext(), "call-threshold-bonus", Bonus));
}

void CounterBuilder::emitCount(IRBuilder<> &Builder, GlobalVariable &Cell) {
  FunctionCallee Count =
      M.getOrInsertFunction(kCountFunction, Builder.getVoidTy(),
                            PointerType::getUnqual(M.getContext()));
  auto *F = cast<Function>(Count.getCallee());
  if (!F->doesNotThrow()) {
    for (Attribute::AttrKind Kind :
         {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoSync,
          Attribute::NoFree, Attribute::NoCallback, Attribute::NoRecurse})
      F->addFnAttr(Kind);
    // The placeholder must neither be removed nor order the program's own loads
    // and stores. A function that writes only inaccessible memory has both
    // properties.
    F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  }
  CallInst *Call = Builder.CreateCall(Count, {&Cell});
  // Two calls with different cells would be merged into one call on a select.
  Call->addFnAttr(Attribute::NoMerge);
  addBonus(*Call, "50");
}

void CounterBuilder::addOutOfLine(IRBuilder<> &Builder, GlobalVariable &Cell,
                                  Value *Step) {
  Builder.CreateCall(adder(), {&Cell, Step});
}

/// void __inmem_add(ptr Cell, i64 Step), for one of the two forms of cells.
Function *CounterBuilder::adder() {
  StringRef Name = Emitter.usesTable() ? "__inmem_add_pic" : "__inmem_add";
  if (Function *Made = M.getFunction(Name))
    return Made;
  Type *Void = Type::getVoidTy(M.getContext());
  Type *Ptr = PointerType::getUnqual(M.getContext());
  Function *F = Function::createWithDefaultAttr(
      FunctionType::get(Void, {Ptr, I64}, /*isVarArg=*/false),
      GlobalValue::LinkOnceODRLinkage, /*AddrSpace=*/0, Name, &M);
  F->setComdat(M.getOrInsertComdat(Name));
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setDSOLocal(true);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  IRBuilder<> Builder(BasicBlock::Create(M.getContext(), "", F));
  add(Builder,
      Builder.CreateGEP(Builder.getInt8Ty(), F->getArg(0),
                        displacement(Builder)),
      F->getArg(1));
  Builder.CreateRetVoid();
  return F;
}

Value *CounterBuilder::threadLocal(IRBuilder<> &Builder,
                                   GlobalVariable *Variable) {
  Value *Address = compat::threadLocalAddress(Builder, Variable);
  if (auto *Call = dyn_cast<CallBase>(Address))
    addBonus(*Call, "20");
  return Address;
}

Value *CounterBuilder::displacement(IRBuilder<> &Builder) {
  LLVMContext &Context = M.getContext();
  auto Load = [&](Type *T, Value *From, Align A) {
    LoadInst *Result = Builder.CreateAlignedLoad(T, From, A);
    Result->setMetadata(LLVMContext::MD_tbaa, BaseTag);
    Result->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(Context, {}));
    return Result;
  };
  if (GlobalVariable *Delta = Emitter.deltaVariable())
    return Load(I64, threadLocal(Builder, Delta), Align(8));
  Type *Ptr = PointerType::getUnqual(Context);
  auto *Table = cast<GlobalVariable>(
      M.getOrInsertGlobal("__inmem_displacement_table", Ptr));
  Table->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
  Value *Index = Builder.CreateZExt(
      Load(Builder.getInt32Ty(), Emitter.tableIndex(), Align(4)), I64);
  Value *Displacements = Load(Ptr, threadLocal(Builder, Table), Align(8));
  return Load(I64, Builder.CreateGEP(I64, Displacements, Index), Align(8));
}

void CounterBuilder::add(IRBuilder<> &Builder, Value *Address, Value *Step,
                         bool InMemory) {
  LoadInst *Old = Builder.CreateAlignedLoad(I64, Address, Align(8));
  Value *New = Builder.CreateAdd(Old, Step);
  StoreInst *Store = Builder.CreateAlignedStore(New, Address, Align(8));
  Old->setMetadata(LLVMContext::MD_tbaa, CounterTag);
  Store->setMetadata(LLVMContext::MD_tbaa, CounterTag);
  // The thread's cell is outside the object that its address is computed from,
  // but volatile accesses are not bounds-checked.
  bool Volatile = InMemory || CompilationInfo::current().ChecksBounds;
  Old->setVolatile(Volatile);
  Store->setVolatile(Volatile);
  for (Instruction *Access : {cast<Instruction>(Old), cast<Instruction>(Store)})
    Access->setMetadata(LLVMContext::MD_nosanitize,
                        MDNode::get(M.getContext(), {}));
}

} // namespace inmem

//===- Audit.cpp - the share of executed accesses that have a field -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass plugin that is loaded next to inmem's. After CountAccessesPass, it
// adds two plain counters to each block: one of the loads and stores that inmem
// marked, one of the others. Accesses to the stack, to globals, to
// thread-local variables and to inmem's own counters are not counted. The
// program prints both sums at its end:
//   audit: NAMED UNNAMED
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace {

SmallVector<const Value *, 2> addressesOf(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return {Load->getPointerOperand()};
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return {Store->getPointerOperand()};
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return {Update->getPointerOperand()};
  if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return {Exchange->getPointerOperand()};
  if (const auto *Memory = dyn_cast<AnyMemIntrinsic>(&I)) {
    SmallVector<const Value *, 2> Both{Memory->getRawDest()};
    if (const auto *Transfer = dyn_cast<AnyMemTransferInst>(&I))
      Both.push_back(Transfer->getRawSource());
    return Both;
  }
  return {};
}

bool isElsewhere(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  if (const auto *Call = dyn_cast<IntrinsicInst>(Object))
    return Call->getIntrinsicID() == Intrinsic::threadlocal_address;
  if (const auto *Argument = dyn_cast<llvm::Argument>(Object))
    return Argument->hasByValAttr() || Argument->hasStructRetAttr();
  return isa<AllocaInst, Constant>(Object);
}

bool isMark(const Instruction *I) {
  const auto *Call = dyn_cast_or_null<CallInst>(I);
  return Call && Call->getCalledFunction() &&
         Call->getCalledFunction()->getName() == "__inmem_count";
}

/// True for inmem's own counters of objects.
bool isCounter(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  const auto *Of = Tag && Tag->getNumOperands() > 1
                       ? dyn_cast<MDNode>(Tag->getOperand(1))
                       : nullptr;
  const auto *Name = Of && Of->getNumOperands()
                         ? dyn_cast<MDString>(Of->getOperand(0))
                         : nullptr;
  return Name && Name->getString() == "inmem counter";
}

GlobalVariable &sumOf(Module &M, StringRef Name) {
  auto *I64 = Type::getInt64Ty(M.getContext());
  auto *Sum = cast<GlobalVariable>(M.getOrInsertGlobal(Name, I64));
  if (Sum->isDeclaration()) {
    Sum->setInitializer(ConstantInt::get(I64, 0));
    Sum->setLinkage(GlobalValue::WeakAnyLinkage);
  }
  return *Sum;
}

/// int printf(...) at the end, once a program.
void printAtEnd(Module &M) {
  LLVMContext &C = M.getContext();
  auto *Print = Function::Create(FunctionType::get(Type::getVoidTy(C), false),
                                 GlobalValue::WeakAnyLinkage, "audit.print", M);
  IRBuilder<> B(BasicBlock::Create(C, "", Print));
  FunctionCallee Printf = M.getOrInsertFunction(
      "dprintf",
      FunctionType::get(B.getInt32Ty(), {B.getInt32Ty(), B.getPtrTy()}, true));
  auto Load = [&](StringRef Name) {
    return B.CreateLoad(B.getInt64Ty(), &sumOf(M, Name));
  };
  GlobalVariable &Done = sumOf(M, "audit.done");
  BasicBlock *First = BasicBlock::Create(C, "", Print),
             *End = BasicBlock::Create(C, "", Print);
  B.CreateCondBr(B.CreateIsNull(Load("audit.done")), First, End);
  B.SetInsertPoint(First);
  B.CreateStore(B.getInt64(1), &Done);
  B.CreateCall(Printf, {B.getInt32(2), B.CreateGlobalString("audit: %ld %ld\n"),
                        Load("audit.named"), Load("audit.unnamed")});
  B.CreateBr(End);
  B.SetInsertPoint(End);
  B.CreateRetVoid();
  appendToGlobalDtors(M, Print, 65535);
}

void add(Instruction &Before, GlobalVariable &Sum, uint64_t Count) {
  if (!Count)
    return;
  IRBuilder<> B(&Before);
  B.CreateStore(
      B.CreateAdd(B.CreateLoad(B.getInt64Ty(), &Sum), B.getInt64(Count)), &Sum);
}

void audit(Module &M) {
  GlobalVariable &Named = sumOf(M, "audit.named"),
                 &Unnamed = sumOf(M, "audit.unnamed");
  for (Function &F : M) {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage() ||
        F.getName().starts_with("__inmem") || F.getName() == "audit.print")
      continue;
    F.setMemoryEffects(MemoryEffects::unknown());
    for (BasicBlock &Block : F) {
      uint64_t Marked = 0, Left = 0;
      for (Instruction &I : Block)
        for (const Value *Pointer : addressesOf(I))
          if (!isElsewhere(Pointer) && !isCounter(I))
            ++(isMark(I.getPrevNode()) ? Marked : Left);
      Instruction &At = *Block.getTerminator();
      if (Block.isEHPad() && Block.getFirstInsertionPt() == Block.end())
        continue;
      add(At, Named, Marked);
      add(At, Unnamed, Left);
    }
  }
  printAtEnd(M);
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "inmem-audit", "1",
          [](PassBuilder &Builder) {
            auto *Callbacks = Builder.getPassInstrumentationCallbacks();
            Callbacks->registerAfterPassCallback(
                [](StringRef Pass, Any IR, const PreservedAnalyses &) {
                  const auto *Const = any_cast<const Module *>(&IR);
                  if (Const && Pass.contains("CountAccessesPass"))
                    audit(const_cast<Module &>(**Const));
                });
          }};
}

//===- CallingContext.cpp - contexts=on: the calling context, in one word -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compat.h"
#include "PluginOptions.h"
#include "ir/AllocationFunctions.h"
#include "ir/Calls.h"
#include "ir/FunctionFacts.h"
#include "ir/ModuleRecords.h"
#include "ir/Passes.h"
#include "ir/Pipeline.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace inmem {

namespace {

/// Functions that end the program, or leave the function by throwing an
/// exception that is already allocated.
bool endsAll(StringRef Name) {
  static const StringSet<> Names = {
      "abort",          "exit",          "_exit",        "_Exit",
      "quick_exit",     "__assert_fail", "__cxa_throw",  "__cxa_rethrow",
      "longjmp",        "siglongjmp",    "pthread_exit", "_Unwind_Resume",
      "_ZSt9terminatev"};
  return Names.contains(Name) || Name.starts_with("_ZSt") ||
         Name.starts_with("__clang_call_terminate") ||
         Name.starts_with("__ubsan_") || Name.starts_with("__asan_");
}

/// True if \p Name is a hook that allocates.
bool isAllocatingHook(StringRef Name) {
  const HookedFunction *Hooked = findHookedFunction(Name);
  return Hooked && !Hooked->Frees;
}

/// As targetOf(), but also counts calls that do not return: a function that
/// serves for ever may allocate.
CallTarget allocatesIn(const CallBase &Call) {
  if (Call.isInlineAsm())
    return {.MayAllocate = mayCallByAssembly(Call)};
  if (isa<IntrinsicInst>(Call))
    return {};
  const Function *Callee = directCallee(Call);
  StringRef Name = Callee ? Callee->getName() : "";
  if (Name.starts_with(kJumpName))
    return {.MayAllocate = true};
  if (Name.consume_front(INMEM_BY_PREFIX)) {
    Name.consume_front("from_");
    return {.MayAllocate = isAllocatingHook(Name)};
  }
  if (Name.consume_front(INMEM_FROM_PREFIX) ||
      Name.consume_front(INMEM_HOOK_PREFIX))
    return {.MayAllocate = isAllocatingHook(Name)};
  if (!Call.doesNotReturn())
    return targetOf(Call);
  if (Callee && !Callee->isDeclaration() && !Callee->isInterposable())
    return {.Body = Callee};
  return {.MayAllocate = !endsAll(Name)};
}

/// The functions of \p M from which no allocation is reachable.
DenseSet<const Function *> functionsWithout(const Module &M) {
  DenseMap<const Function *, SmallVector<const Function *, 4>> Callers;
  DenseSet<const Function *> Without;
  SmallVector<const Function *, 32> With;
  for (const Function &F : M) {
    if (F.isDeclaration() || F.isInterposable())
      continue;
    bool Allocates = false;
    for (const Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I)) {
        const CallTarget Target = allocatesIn(*Call);
        if (Target.Body)
          Callers[Target.Body].push_back(&F);
        Allocates |= Target.MayAllocate;
      }
    if (Allocates)
      With.push_back(&F);
    else
      Without.insert(&F);
  }
  while (!With.empty())
    for (const Function *Caller : Callers.lookup(With.pop_back_val()))
      if (Without.erase(Caller))
        With.push_back(Caller);
  return Without;
}

/// \returns the next instruction after \p I that is not an annotation.
const Instruction *afterNotes(const Instruction *I) {
  do
    I = I->getNextNode();
  while (I && (isa<DbgInfoIntrinsic>(I) || I->isLifetimeStartOrEnd()));
  return I;
}

/// True if, by all that is known here, the code generator turns \p Call into a
/// jump. If it decides otherwise, contexts through the call differ from the
/// stack, which the runtime detects.
bool isJump(const CallBase &Call) {
  auto *Plain = dyn_cast<CallInst>(&Call);
  if (!Plain || !Plain->isTailCall())
    return false;
  if (Plain->isMustTailCall())
    return true;
  const Function &F = *Call.getFunction();
  const unsigned InRegisters =
      compat::target(*F.getParent()).isAArch64() ? 8 : 6;
  if (F.getFnAttribute("disable-tail-calls").getValueAsBool() ||
      F.callsFunctionThatReturnsTwice() ||
      F.hasStructRetAttr() != Call.hasStructRetAttr() ||
      Call.hasByValArgument() || Call.arg_size() > InRegisters)
    return false;
  const Instruction *Next = afterNotes(Plain);
  // The code generator duplicates a return into the blocks that branch to it.
  const BasicBlock *From = Plain->getParent();
  const Value *Result = Plain;
  if (Next && compat::isBranch(*Next)) {
    if (compat::branchCondition(*Next))
      return false;
    const BasicBlock *To = Next->getSuccessor(0);
    Next = &To->front();
    if (auto *Phi = dyn_cast<PHINode>(Next)) {
      if (Phi->getIncomingValueForBlock(From) == Plain)
        Result = Phi;
      Next = afterNotes(Next);
    } else if (isa<DbgInfoIntrinsic>(Next)) {
      Next = afterNotes(Next);
    }
  }
  auto *Return = dyn_cast_or_null<ReturnInst>(Next);
  return Return &&
         (!Return->getReturnValue() || Return->getReturnValue() == Result ||
          isa<UndefValue>(Return->getReturnValue()));
}

class Instrumenter {
public:
  explicit Instrumenter(Module &M) : M(M), Without(functionsWithout(M)) {
    Type *Word = Type::getInt64Ty(M.getContext());
    Context =
        cast<GlobalVariable>(M.getOrInsertGlobal("__inmem_context", Word));
    Context->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
  }

  void run(Function &F) {
    SmallVector<CallBase *, 16> Calls, Jumps;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && mayAllocate(*Call))
        (isJump(*Call) ? Jumps : Calls).push_back(Call);
    const bool IsMain = F.getName() == "main" && F.hasExternalLinkage();
    // A jump passes the word on unchanged, so no code is needed.
    if (Calls.empty() && !(IsMain && !Jumps.empty()))
      return;
    SmallVector<CallBase *, 16> All(Calls);
    All.append(Jumps);
    IRBuilder<> Builder(pointToLoad(F, All));
    Value *Loaded = load(Builder);
    if (IsMain)
      Loaded = noneAtFirst(Builder, Loaded);
    Type *Word = Context->getValueType();
    Value *Own = Builder.CreateAdd(
        Builder.CreateMul(Loaded, ConstantInt::get(Word, INMEM_CONTEXT_FACTOR)),
        Builder.CreatePtrToInt(Builder.CreateIntrinsic(Intrinsic::returnaddress,
                                                       {},
                                                       {Builder.getInt32(0)}),
                               Word));
    for (CallBase *Call : Calls)
      store(*Call, Own);
    for (CallBase *Call : Jumps)
      store(*Call, Loaded);
  }

private:
  bool mayAllocate(const CallBase &Call) const {
    const CallTarget Target = allocatesIn(Call);
    return Target.Body ? !Without.contains(Target.Body) : Target.MayAllocate;
  }

  /// The last point before all of \p Calls, so that paths without these calls
  /// are unchanged.
  static Instruction *pointToLoad(Function &F, ArrayRef<CallBase *> Calls) {
    DominatorTree Dominators(F);
    BasicBlock *Common = Calls[0]->getParent();
    SmallPtrSet<BasicBlock *, 16> Storing;
    for (CallBase *Call : Calls) {
      if (!Dominators.isReachableFromEntry(Call->getParent()))
        continue; // never runs
      Storing.insert(Call->getParent());
      Common =
          Dominators.isReachableFromEntry(Common)
              ? Dominators.findNearestCommonDominator(Common, Call->getParent())
              : Call->getParent();
    }
    BasicBlock *Entry = &F.getEntryBlock();
    if (!Dominators.isReachableFromEntry(Common))
      Common = Entry;
    // The load must not run after one of the calls, which changes the word.
    while (Common != Entry && comesAgain(*Common, Storing, Dominators))
      Common = Dominators.getNode(Common)->getIDom()->getBlock();
    for (Instruction &I : *Common)
      if (is_contained(Calls, dyn_cast<CallBase>(&I)))
        return &I;
    return Common->getTerminator();
  }

  static bool comesAgain(BasicBlock &Block,
                         const SmallPtrSetImpl<BasicBlock *> &Storing,
                         const DominatorTree &Dominators) {
    SmallVector<BasicBlock *, 8> After;
    for (BasicBlock *From : Storing)
      append_range(After, successors(From));
    return !After.empty() &&
           isPotentiallyReachableFromMany(After, &Block, nullptr, &Dominators);
  }

  LoadInst *load(IRBuilder<> &Builder) {
    return unsanitized(Builder.CreateLoad(
        Context->getValueType(), compat::threadLocalAddress(Builder, Context)));
  }

  void store(CallBase &Call, Value *Word) {
    IRBuilder<> Builder(&Call);
    // Volatile: a link-time optimiser would assume that an allocation function
    // does not read it.
    unsanitized(
        Builder.CreateStore(Word, compat::threadLocalAddress(Builder, Context),
                            /*isVolatile=*/true));
  }

  template <class InstructionType>
  InstructionType *unsanitized(InstructionType *I) {
    I->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(M.getContext(), {}));
    return I;
  }

  /// Constructors leave a word that depends on all constructors run so far. So
  /// main starts with an empty context, like a thread.
  Value *noneAtFirst(IRBuilder<> &Builder, Value *Loaded) {
    Type *Flag = Builder.getInt8Ty();
    auto *Began = new GlobalVariable(
        M, Flag, /*isConstant=*/false, GlobalValue::InternalLinkage,
        ConstantInt::get(Flag, 0), "inmem.main.began");
    LoadInst *Again = unsanitized(Builder.CreateLoad(Flag, Began));
    unsanitized(Builder.CreateStore(ConstantInt::get(Flag, 1), Began));
    return Builder.CreateSelect(
        Builder.CreateICmpEQ(Again, ConstantInt::get(Flag, 0)),
        ConstantInt::get(Loaded->getType(), 0), Loaded);
  }

  Module &M;
  const DenseSet<const Function *> Without;
  GlobalVariable *Context;
};

} // namespace

PreservedAnalyses CallingContextPass::run(Module &M, ModuleAnalysisManager &) {
  if (!Options::current().Contexts || !followsCallers(M) ||
      !claimStage(M, "contexts"))
    return PreservedAnalyses::all();
  SmallVector<Function *, 32> Functions;
  for (Function &F : M)
    if (isInstrumentable(F) && !F.hasAvailableExternallyLinkage() &&
        !F.getName().starts_with("__inmem_") &&
        !F.getName().starts_with("inmem."))
      Functions.push_back(&F);
  Instrumenter Contexts(M);
  for (Function *F : Functions)
    Contexts.run(*F);
  return PreservedAnalyses::none();
}

} // namespace inmem

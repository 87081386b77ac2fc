//===- CombineCounters.cpp - few increments for many counters -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compat.h"
#include "ir/CounterRecords.h"
#include "ir/Counters.h"
#include "ir/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/ModRef.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include <map>

using namespace llvm;

namespace inmem {

namespace {

/// A multiset of cells that one increment counts: maps cell numbers to
/// multiplicities.
using Counts = std::map<unsigned, unsigned>;

/// The instructions of a block between two barriers; all execute equally often.
struct Segment {
  /// Where to count: any position in the segment is correct, but at its start
  /// no compare is separated from its load.
  Instruction *Begin;
  Counts Counted;
  DebugLoc Loc;
};

struct Node {
  SmallVector<Segment, 1> Segments;
  bool Open = false;     ///< the terminator only chooses a successor
  bool Clobbers = false; ///< has a call that may change the displacement
  /// True if the address of the thread's cells is available. KnownAtEnd is
  /// nullopt if the block does not affect that.
  bool KnownAtBegin = false, ComputesAtEnd = false;
  std::optional<bool> KnownAtEnd;
  Segment &top() { return Segments.front(); }
  Segment &bottom() { return Segments.back(); }
  bool isTransparent() const { return Open && Segments.size() == 1; }
};

/// True if \p I may leave the function, not return, or make earlier effects
/// visible to another thread.
bool isBarrier(const Instruction &I) {
  if (!isGuaranteedToTransferExecutionToSuccessor(&I) || isa<FenceInst>(I))
    return true;
  if (auto *Call = dyn_cast<CallInst>(&I))
    return Call->isMustTailCall();
  return I.isAtomic();
}

bool mayChangeDisplacement(const Instruction &I) {
  return isa<CallBase>(I) && !isa<IntrinsicInst>(I) && I.mayWriteToMemory();
}

class FunctionCombiner {
public:
  FunctionCombiner(Function &F, CounterRecords &Records,
                   CounterBuilder &Counters, DominatorTree &Dominators,
                   LoopInfo &Loops, AssumptionCache &Assumptions)
      : F(F), Records(Records), Counters(Counters), Dominators(Dominators),
        Loops(Loops), Assumptions(Assumptions),
        I64(Type::getInt64Ty(F.getContext())) {}

  /// \returns true if a loop now counts in a register.
  bool run(ArrayRef<CallInst *> Calls) {
    if (any_of(Calls, [&](const CallInst *Call) {
          return Loops.getLoopFor(Call->getParent());
        }))
      for (Loop *L : Loops)
        simplifyLoop(L, &Dominators, &Loops, nullptr, &Assumptions, nullptr,
                     /*PreserveLCSSA=*/false);
    ReversePostOrderTraversal<Function *> Traversal(&F);
    Order.assign(Traversal.begin(), Traversal.end());
    for (BasicBlock *Block : Order)
      readBlock(*Block);
    for (BasicBlock *Block : reverse(Order))
      moveToDominator(*Block);
    for (BasicBlock *Block : Order)
      moveToSuccessors(*Block);
    for (BasicBlock *Block : reverse(Order))
      moveToPredecessors(*Block);
    schedule();
    emit();
    // Unreachable blocks are not in the traversal.
    for (CallInst *Call : Calls)
      Call->eraseFromParent();
    if (!Registers.empty())
      PromoteMemToReg(Registers, Dominators, &Assumptions);
    return !Registers.empty();
  }

private:
  void readBlock(BasicBlock &Block) {
    Node &N = Nodes[&Block];
    auto First = Block.getFirstInsertionPt();
    while (First != Block.end() && isa<AllocaInst>(*First))
      ++First;
    N.Segments.push_back({First == Block.end() ? nullptr : &*First, {}, {}});
    for (Instruction &I : Block) {
      auto *Call = dyn_cast<CallInst>(&I);
      if (Call && isCount(*Call)) {
        auto *Cell =
            cast<GlobalVariable>(Call->getArgOperand(0)->stripPointerCasts());
        auto [It, New] = Numbers.try_emplace(Cell, Cells.size());
        if (New)
          Cells.push_back(Cell);
        ++N.bottom().Counted[It->second];
        if (!N.bottom().Loc)
          N.bottom().Loc = Call->getDebugLoc();
        continue;
      }
      N.Clobbers |= mayChangeDisplacement(I);
      if (!I.isTerminator() && isBarrier(I))
        N.Segments.push_back({I.getNextNode(), {}, {}});
    }
    const Instruction *Last = Block.getTerminator();
    N.Open = compat::isBranch(*Last) || isa<SwitchInst>(Last);
  }

  static bool isCount(const CallInst &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->getName() == kCountFunction;
  }

  static void move(Segment &From, Segment &To) {
    for (auto [Cell, Times] : From.Counted)
      To.Counted[Cell] += Times;
    if (!To.Loc)
      To.Loc = From.Loc;
    From.Counted.clear();
  }

  //===--------------------------------------------------------------------===//
  // Where to count
  //===--------------------------------------------------------------------===//

  /// The outermost loop around \p Block that counts in registers, or null.
  Loop *quietLoop(const BasicBlock &Block) {
    Loop *Outermost = nullptr;
    for (Loop *L = Loops.getLoopFor(&Block); L && isQuiet(*L);
         L = L->getParentLoop())
      Outermost = L;
    return Outermost;
  }

  /// True if \p L makes no calls, cannot leave the function, and has a single
  /// exit. (Search loops have several, and may run for few iterations.)
  bool isQuiet(Loop &L) {
    auto [It, New] = QuietLoops.try_emplace(&L, false);
    if (!New)
      return It->second;
    bool Found =
        L.getLoopPreheader() && L.getExitingBlock() && L.hasDedicatedExits() &&
        all_of(L.blocks(),
               [&](BasicBlock *B) { return Nodes[B].isTransparent(); });
    return QuietLoops[&L] = Found;
  }

  /// If two blocks execute equally often, the dominating one counts for both.
  void moveToDominator(BasicBlock &Block) {
    Node &N = Nodes[&Block];
    auto *InTree = Dominators.getNode(&Block);
    if (N.top().Counted.empty() || !InTree || !InTree->getIDom())
      return;
    BasicBlock *Above = InTree->getIDom()->getBlock();
    if (Nodes[Above].Open && alwaysLeads(*Above, Block))
      move(N.top(), Nodes[Above].bottom());
  }

  /// True if every path from the end of \p From leads to \p To, without a
  /// barrier or a loop, in a limited number of blocks.
  bool alwaysLeads(BasicBlock &From, BasicBlock &To) {
    constexpr unsigned kMost = 24;
    const Loop *Around = Loops.getLoopFor(&From);
    if (Loops.getLoopFor(&To) != Around ||
        (Around && Around->getHeader() == &To))
      return false;
    SetVector<BasicBlock *> Between;
    for (BasicBlock *Next : successors(&From))
      if (Next != &To)
        Between.insert(Next);
    for (unsigned I = 0; I < Between.size(); ++I) {
      BasicBlock *Block = Between[I];
      if (I == kMost || Block == &From || !Nodes[Block].isTransparent() ||
          Loops.getLoopFor(Block) != Around ||
          (Around && Around->getHeader() == Block))
        return false;
      for (BasicBlock *Next : successors(Block))
        if (Next != &To)
          Between.insert(Next);
    }
    return true;
  }

  /// If some successors count anyway, lets all of them also count for their
  /// predecessor.
  void moveToSuccessors(BasicBlock &Block) {
    Node &N = Nodes[&Block];
    if (!N.Open || N.bottom().Counted.empty() || quietLoop(Block))
      return;
    SmallSetVector<BasicBlock *, 4> Next(succ_begin(&Block), succ_end(&Block));
    unsigned Counting = 0;
    for (BasicBlock *Successor : Next) {
      if (Successor->getUniquePredecessor() != &Block || Successor == &Block ||
          Successor->isEHPad())
        return;
      Counting += !Nodes[Successor].top().Counted.empty();
    }
    if (Counting == 0 || Next.size() > 2 * Counting)
      return;
    Segment Moved = N.bottom();
    N.bottom().Counted.clear();
    for (BasicBlock *Successor : Next) {
      Segment Copy = Moved;
      move(Copy, Nodes[Successor].top());
    }
  }

  /// If some predecessors count anyway, lets all of them also count for their
  /// successor.
  void moveToPredecessors(BasicBlock &Block) {
    Node &N = Nodes[&Block];
    if (N.top().Counted.empty() || Block.isEHPad() || quietLoop(Block))
      return;
    if (const Loop *L = Loops.getLoopFor(&Block); L && L->getHeader() == &Block)
      return;
    SmallSetVector<BasicBlock *, 4> Before(pred_begin(&Block),
                                           pred_end(&Block));
    unsigned Counting = 0;
    for (BasicBlock *Predecessor : Before) {
      auto It = Nodes.find(Predecessor);
      if (It == Nodes.end() || !It->second.Open ||
          Predecessor->getUniqueSuccessor() != &Block ||
          quietLoop(*Predecessor))
        return;
      Counting += !It->second.bottom().Counted.empty();
    }
    if (Counting == 0 || Before.size() > 2 * Counting)
      return;
    Segment Moved = N.top();
    N.top().Counted.clear();
    for (BasicBlock *Predecessor : Before) {
      Segment Copy = Moved;
      move(Copy, Nodes[Predecessor].bottom());
    }
  }

  //===--------------------------------------------------------------------===//
  // Code
  //===--------------------------------------------------------------------===//

  /// An increment to insert before an instruction.
  struct Increment {
    unsigned Group;
    AllocaInst *Step; ///< the loop's register; null: add one
    DebugLoc Loc;
  };

  void schedule() {
    for (BasicBlock *Block : Order)
      for (Segment &S : Nodes[Block].Segments) {
        if (S.Counted.empty())
          continue;
        auto [It, New] = GroupNumbers.try_emplace(S.Counted, Groups.size());
        if (New)
          Groups.push_back(S.Counted);
        if (Loop *L = quietLoop(*Block))
          countInRegister(*L, It->second, S);
        else
          Schedule[S.Begin].push_back({It->second, nullptr, S.Loc});
      }
  }

  void countInRegister(Loop &L, unsigned Group, Segment &S) {
    AllocaInst *&Register = InLoop[{&L, Group}];
    if (!Register) {
      IRBuilder<> Entry(&*F.getEntryBlock().getFirstInsertionPt());
      Register = Entry.CreateAlloca(I64);
      Registers.push_back(Register);
      IRBuilder<>(L.getLoopPreheader()->getTerminator())
          .CreateStore(ConstantInt::get(I64, 0), Register);
      SmallVector<BasicBlock *, 4> Exits;
      L.getUniqueExitBlocks(Exits);
      for (BasicBlock *Exit : Exits)
        Schedule[&*Exit->getFirstInsertionPt()].push_back(
            {Group, Register, S.Loc});
    }
    IRBuilder<> Builder(S.Begin);
    Builder.CreateStore(Builder.CreateAdd(Builder.CreateLoad(I64, Register),
                                          ConstantInt::get(I64, 1)),
                        Register);
  }

  /// Creates the cells, and sets Base to the start of this function's cells.
  void makeCells() {
    std::vector<CounterRecords::CombinedCell> Combined;
    for (const Counts &Group : Groups) {
      auto &Cell = Combined.emplace_back();
      for (auto [Number, Times] : Group)
        Cell.push_back({Cells[Number], Times});
    }
    if (Combined.size() == 1 && Combined[0].size() == 1 &&
        Combined[0][0].second == 1) {
      Base = Cells.front();
      Records.describe(*Base);
    } else {
      Base = Records.addCombined(Combined, F);
    }
  }

  void emit() {
    if (Groups.empty())
      return;
    makeCells();
    IRBuilder<> Entry(&*F.getEntryBlock().getFirstInsertionPt());
    Address = Entry.CreateAlloca(Entry.getPtrTy());
    for (Loop *L : Loops.getLoopsInPreorder())
      computeAround(*L);
    findKnown();
    for (BasicBlock *Block : Order) {
      bool Known = Nodes[Block].KnownAtBegin;
      for (Instruction &I : make_early_inc_range(*Block)) {
        if (auto It = Schedule.find(&I); It != Schedule.end())
          for (const Increment &Each : It->second) {
            if (!std::exchange(Known, true))
              computeAddress(I, isOnly(I));
            emit(Each, I);
          }
        if (I.isTerminator() && !Known && Nodes[Block].ComputesAtEnd)
          computeAddress(I, /*Once=*/false);
        Known &= !changesAddress(I);
      }
    }
    PromoteMemToReg(Address, Dominators, &Assumptions);
  }

  static bool changesAddress(const Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    return mayChangeDisplacement(I) && !(Call && isCount(*Call));
  }

  /// If an iteration of \p L can avoid all calls, computes the address before
  /// the loop and after its calls, not in every iteration.
  void computeAround(Loop &L) {
    constexpr unsigned kMostCalls = 2;
    SmallVector<BasicBlock *, kMostCalls> Calling;
    bool Counting = false;
    for (BasicBlock *Block : L.blocks()) {
      const Node &N = Nodes[Block];
      Counting |= any_of(N.Segments, [&](const Segment &S) {
        return Schedule.count(S.Begin);
      });
      if (N.Clobbers)
        Calling.push_back(Block);
    }
    BasicBlock *Before = L.getLoopPreheader();
    if (!Counting || !Before || Calling.size() > kMostCalls ||
        !hasRoundWithoutCall(L))
      return;
    Nodes[Before].ComputesAtEnd = true;
    for (BasicBlock *Block : Calling)
      Nodes[Block].ComputesAtEnd |= Nodes[Block].Open;
  }

  bool hasRoundWithoutCall(const Loop &L) {
    SetVector<BasicBlock *> Reached;
    if (!Nodes[L.getHeader()].Clobbers)
      Reached.insert(L.getHeader());
    for (unsigned I = 0; I < Reached.size(); ++I)
      for (BasicBlock *Next : successors(Reached[I])) {
        if (Next == L.getHeader())
          return true;
        if (L.contains(Next) && !Nodes[Next].Clobbers)
          Reached.insert(Next);
      }
    return false;
  }

  /// Finds blocks at whose start every path has already computed the address.
  void findKnown() {
    for (BasicBlock *Block : Order) {
      Node &N = Nodes[Block];
      N.KnownAtBegin = Block != &F.getEntryBlock();
      std::optional<bool> Last;
      if (N.Clobbers || N.ComputesAtEnd ||
          any_of(N.Segments,
                 [&](const Segment &S) { return Schedule.count(S.Begin); }))
        for (const Instruction &I : *Block) {
          if (Schedule.count(&I))
            Last = true;
          if (I.isTerminator() && N.ComputesAtEnd)
            Last = true;
          if (changesAddress(I))
            Last = false;
        }
      N.KnownAtEnd = Last;
    }
    for (bool Changed = true; std::exchange(Changed, false);)
      for (BasicBlock *Block : Order) {
        Node &N = Nodes[Block];
        bool Known = N.KnownAtBegin;
        for (const BasicBlock *Before : predecessors(Block))
          if (auto It = Nodes.find(Before); It != Nodes.end())
            Known &= It->second.KnownAtEnd.value_or(It->second.KnownAtBegin);
        Changed |= std::exchange(N.KnownAtBegin, Known) != Known;
      }
  }

  /// True if the address computed at \p First is used by only one increment
  /// before a call or the end of the function.
  bool isOnly(const Instruction &First) const {
    size_t Served = 0;
    for (const Instruction *I = &First; I; I = I->getNextNode()) {
      if (auto It = Schedule.find(I); It != Schedule.end())
        Served += It->second.size();
      if (Served > 1)
        return false;
      if (changesAddress(*I) ||
          (I->isTerminator() && I->getNumSuccessors() == 0))
        return true;
    }
    return false;
  }

  void computeAddress(Instruction &Before, bool Once) {
    IRBuilder<> Builder(&Before);
    Value *First = Builder.CreateGEP(Builder.getInt8Ty(), Base,
                                     Counters.displacement(Builder));
    // Keep the sum in one register if it is used again: code generation would
    // fold the addition into each use, which takes two registers.
    if (!Once && Schedule.size() > 1 &&
        F.getParent()->getPICLevel() != PICLevel::NotPIC)
      First = Builder.CreateCall(
          InlineAsm::get(
              FunctionType::get(First->getType(), {First->getType()}, false),
              "", "=r,0", /*hasSideEffects=*/false),
          {First});
    Builder.CreateStore(First, Address);
  }

  bool clobbers(const Loop &L) {
    auto [It, New] = ClobberingLoops.try_emplace(&L, false);
    if (New)
      It->second = any_of(L.blocks(), [&](const BasicBlock *Block) {
        return Nodes[Block].Clobbers;
      });
    return It->second;
  }

  void emit(const Increment &Each, Instruction &Before) {
    IRBuilder<> Builder(&Before);
    Builder.SetCurrentDebugLocation(Each.Loc);
    Value *Step = Each.Step ? cast<Value>(Builder.CreateLoad(I64, Each.Step))
                            : ConstantInt::get(I64, 1);
    // Search loops have many exits: incrementing memory is cheaper than storing
    // a register at each of them.
    const Loop *L = Loops.getLoopFor(Before.getParent());
    Value *First = Builder.CreateLoad(Builder.getPtrTy(), Address);
    Counters.add(Builder, Builder.CreateConstGEP1_64(I64, First, Each.Group),
                 Step, L && !clobbers(*L));
  }

  Function &F;
  CounterRecords &Records;
  CounterBuilder &Counters;
  DominatorTree &Dominators;
  LoopInfo &Loops;
  AssumptionCache &Assumptions;
  IntegerType *I64;
  std::vector<BasicBlock *> Order;
  std::map<const BasicBlock *, Node> Nodes;
  DenseMap<GlobalVariable *, unsigned> Numbers;
  std::vector<GlobalVariable *> Cells;
  DenseMap<const Loop *, bool> QuietLoops, ClobberingLoops;
  std::map<Counts, unsigned> GroupNumbers;
  std::vector<Counts> Groups;
  DenseMap<const Instruction *, SmallVector<Increment, 1>> Schedule;
  std::map<std::pair<const Loop *, unsigned>, AllocaInst *> InLoop;
  SmallVector<AllocaInst *, 4> Registers;
  GlobalVariable *Base = nullptr;
  AllocaInst *Address = nullptr; ///< address of the thread's cells
};

/// LLVM inferred that some functions write only inaccessible memory, because of
/// their markers. These will write cells.
void admitCells(Module &M) {
  for (Function &F : M) {
    MemoryEffects Effects = F.getMemoryEffects();
    if (isModSet(Effects.getModRef(MemoryEffects::Location::InaccessibleMem)) &&
        !isModSet(Effects.getModRef(MemoryEffects::Location::Other)))
      F.setMemoryEffects(Effects | MemoryEffects(MemoryEffects::Location::Other,
                                                 ModRefInfo::ModRef));
  }
}

/// Analyses that counters do not invalidate.
PreservedAnalyses keptEverywhere() {
  PreservedAnalyses Kept;
  Kept.preserve<AssumptionAnalysis>();
  Kept.preserve<TargetIRAnalysis>();
  Kept.preserve<TargetLibraryAnalysis>();
  return Kept;
}

} // namespace

PreservedAnalyses CombineCountersPass::run(Module &M,
                                           ModuleAnalysisManager &Modules) {
  Function *Count = M.getFunction(kCountFunction);
  if (!Count)
    return PreservedAnalyses::all();
  FunctionAnalysisManager &Analyses =
      Modules.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  DescriptorEmitter Emitter(M, isBeforeLink(M, LTOPreLink));
  CounterRecords Records(M, Emitter, State->Counted);
  CounterBuilder Counters(M, Emitter);
  MapVector<Function *, SmallVector<CallInst *, 8>> Calls;
  for (Function &F : M) // module order, which is stable
    Calls[&F];
  for (User *U : Count->users())
    Calls[cast<CallInst>(U)->getFunction()].push_back(cast<CallInst>(U));
  admitCells(M);
  for (auto &[F, Markers] : Calls) {
    if (Markers.empty())
      continue;
    bool InLoops =
        FunctionCombiner(*F, Records, Counters,
                         Analyses.getResult<DominatorTreeAnalysis>(*F),
                         Analyses.getResult<LoopAnalysis>(*F),
                         Analyses.getResult<AssumptionAnalysis>(*F))
            .run(Markers);
    PreservedAnalyses Kept = keptEverywhere(); // plus what the combiner updates
    Kept.preserve<DominatorTreeAnalysis>();
    Kept.preserve<LoopAnalysis>();
    Analyses.invalidate(*F, Kept);
    if (!InLoops)
      continue;
    // Turn counts into multiples of the trip count before the vectoriser runs.
    LoopPassManager Passes;
    Passes.addPass(IndVarSimplifyPass());
    Analyses.invalidate(
        *F,
        createFunctionToLoopPassAdaptor(std::move(Passes)).run(*F, Analyses));
  }
  Count->eraseFromParent();
  for (const auto &Counted : State->Counted)
    if (GlobalVariable *Cell = M.getNamedGlobal(Counted.getKey());
        Cell && Cell->use_empty())
      Cell->eraseFromParent(); // another cell counts for it, or its code was
                               // unreachable
  // The CFG changed only in functions that count, and those were invalidated
  // above.
  PreservedAnalyses Kept = keptEverywhere();
  Kept.preserve<FunctionAnalysisManagerModuleProxy>();
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace inmem

//===- InstrumentObjects.cpp - counts constructions and destructions ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compat.h"
#include "PluginOptions.h"
#include "ir/AllocationFunctions.h"
#include "ir/Calls.h"
#include "ir/CounterRecords.h"
#include "ir/Counters.h"
#include "ir/FunctionFacts.h"
#include "ir/MarkerCalls.h"
#include "ir/PassedFunctions.h"
#include "ir/Passes.h"
#include "ir/RuntimeHooks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace inmem {

namespace {

#define INMEM_CASE(Value, Word)                                                \
  case Value:                                                                  \
    return Word;

StringRef storageName(uint8_t Storage) {
  switch (Storage) { INMEM_STORAGE_NAMES(INMEM_CASE) }
  return "unknown";
}

StringRef mannerName(uint8_t Manner) {
  switch (Manner) { INMEM_MANNER_NAMES(INMEM_CASE) }
  return "other";
}

#undef INMEM_CASE

class ObjectInstrumenter {
public:
  ObjectInstrumenter(Module &M, bool LTOPreLink, bool Combine,
                     CountedObjects &Counted, FunctionAnalysisManager &Analyses)
      : M(M), Analyses(Analyses), Context(M.getContext()),
        Table(SiteTable::current()), Emitter(M, LTOPreLink),
        Records(M, Emitter, Counted), Counters(M, Emitter), Combine(Combine),
        I64(Type::getInt64Ty(Context)) {}

  bool run() {
    if (CompilationInfo::current().PseudoProbes)
      callAnnotatedMarkers(M);
    // The loop also visits functions that it adds (__inmem_add), about which
    // the table has no facts.
    for (Function &F : M)
      if (mayCount(F))
        instrument(F);
    Changed |= removeMarkers(M);
    return Changed;
  }

private:
  bool mayCount(const Function &F) {
    if (!isInstrumentable(F) || Excluded.contains(F))
      return false;
    // available_externally bodies exist only for inlining, and the C++
    // library's own copies do not count.
    if (F.hasAvailableExternallyLinkage()) {
      const FunctionFacts *Facts = Table.findFunction(F.getName());
      return Facts && !Facts->System;
    }
    return true;
  }

  void instrument(Function &F) {
    struct Construction {
      CallBase *Call;
      const ClassFact *Class;
      uint8_t Storage;
      bool Repeats; ///< an opaque call within a loop
    };
    auto Repeats = [&](const CallBase &Call, const Function &Callee) {
      // In a coroutine, the allocas would become part of its frame.
      return Callee.isDeclaration() && !F.hasOptNone() &&
             !F.isPresplitCoroutine() &&
             Analyses.getResult<LoopAnalysis>(F).getLoopFor(Call.getParent());
    };
    SmallVector<Construction, 8> Constructions;
    SmallVector<std::pair<CallBase *, const ReturnFact *>, 4> Returns;
    SmallVector<std::pair<CallBase *, const AstMarker *>, 4> Markers;
    SmallVector<CallBase *, 4> Registrations, Undone;
    const FunctionFacts *Facts = Table.findFunction(F.getName());
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || isa<IntrinsicInst>(Call) || isa<CallBrInst>(Call) ||
          Call->hasFnAttr(kSkipAttribute))
        continue;
      const Function *Callee = directCallee(*Call);
      const DebugLoc &Loc = Call->getDebugLoc();
      unsigned Line = Loc ? Loc.getLine() : 0, Column = Loc ? Loc.getCol() : 0;
      StringRef Name = Callee ? Callee->getName() : StringRef();
      if (isMarkerFunction(Name)) {
        if (const AstMarker *Marker = markerOf(*Call))
          Markers.push_back({Call, Marker});
        continue;
      }
      if (Name == "__cxa_atexit" || Name == "__cxa_thread_atexit") {
        Registrations.push_back(Call);
        continue;
      }
      if (Callee && isUndone(F, *Call, Name)) {
        Undone.push_back(Call);
        continue;
      }
      if (Facts ? !Facts->Returns.empty() : isTakenOut(F.getName()))
        if (const ReturnFact *Fact =
                Table.findReturn(F.getName(), Name, Line, Column,
                                 [&] { return Orders.of(*Call); })) {
          Returns.push_back({Call, Fact});
          continue;
        }
      if (!Callee)
        continue;
      const auto &[Class, Complete] = constructor(*Callee);
      // A complete constructor that forwards to the base constructor.
      if (!Class || (Complete == constructor(F).second && Callee != &F &&
                     normalizedFunction(F.getName()) == Complete))
        continue;
      uint8_t Storage = Table.findStorage(F.getName(), Complete, Line, Column,
                                          [&] { return Orders.of(*Call); });
      if (Storage != INMEM_STORAGE_BASE && isChosen(Storage))
        Constructions.push_back(
            {Call, Class, Storage, Repeats(*Call, *Callee)});
    }
    for (const Construction &C : Constructions)
      countConstruction(F, *C.Call, *C.Class, C.Storage, C.Repeats);
    countMarkers(F, Markers);
    if (Options::current().Objects < ObjectsMode::Count)
      return splitAtInvokes();
    for (auto [Call, Fact] : Returns) {
      ObjectInfo Object = describe(F, Fact->Class, Fact->Storage, Fact->Where);
      Object.Event = INMEM_OBJECT_RECEIVED;
      increment(Object, F, pointAfter(*Call), Call->getDebugLoc());
    }
    for (CallBase *Call : Registrations)
      countConstants(F, *Call);
    for (CallBase *Call : Undone)
      increment(describe(F, *constructor(F).first, INMEM_STORAGE_UNKNOWN,
                         constructor(F).first->Where),
                F, Call, Call->getDebugLoc());
    if (const ClassFact *Class = Table.findDestructor(F.getName()))
      countDestruction(F, *Class);
    splitAtInvokes();
  }

  /// FastISel does not handle blocks that end in an invoke, and SelectionDAG
  /// takes several times as long to select a call. So counters get a separate
  /// block.
  void splitAtInvokes() {
    for (BasicBlock *Block : Counting)
      if (auto *Invoke = dyn_cast<InvokeInst>(Block->getTerminator()))
        Block->splitBasicBlock(Invoke);
    Counting.clear();
  }

  const AstMarker *markerOf(const CallBase &Call) const {
    auto *Index = dyn_cast<ConstantInt>(Call.getArgOperand(0));
    if (!Index || Index->getZExtValue() >= Table.Markers.size())
      return nullptr;
    const AstMarker *Marker = &Table.Markers[Index->getZExtValue()];
    return Marker->Class.TypeKey.empty() ? nullptr : Marker;
  }

  void
  countMarkers(Function &F,
               ArrayRef<std::pair<CallBase *, const AstMarker *>> Markers) {
    std::optional<MarkerCalls> Calls;
    // Collect the calls before markers are replaced.
    if (any_of(Markers, [](const auto &Each) {
          return Each.second->Last.Line || Each.second->Placed;
        }))
      Calls.emplace(F);
    for (auto [Call, Marker] : Markers)
      if (isChosen(Marker->Storage))
        countMarker(F, Calls ? &*Calls : nullptr, *Call, *Marker);
  }

  /// Counts an object once it exists: its last initialiser runs after the
  /// marker and may throw. \p Calls is null if no initialiser can throw.
  void countMarker(Function &F, const MarkerCalls *Calls, CallBase &Call,
                   const AstMarker &Marker) {
    StringRef Name = directName(Call);
    // A placed array may have two markers; the one with its address comes
    // second.
    if (Marker.Placed && Name == kCountMarkerFunction && follows(Marker.Class))
      return;
    CallBase *Last = Calls ? Calls->firstBehind(Call, Marker.Last) : nullptr;
    Instruction *Point = Last ? pointAfter(*Last) : &Call;
    IRBuilder<> Builder(Point);
    Builder.SetCurrentDebugLocation(Call.getDebugLoc());
    Value *Count = constant(Marker.Count);
    Value *Object = markedObject(Call);
    if (Marker.Placed) {
      if (const CallBase *Counted =
              Name == kTargetMarkerFunction ? Calls->countBefore(Call) : &Call;
          Counted && directName(*Counted) == kCountMarkerFunction)
        Count = Builder.CreateMul(Counted->getArgOperand(1), Count);
    } else if (Marker.ElementBytes) {
      auto *Bytes =
          Last && !Last->arg_empty()
              ? dyn_cast<IntegerType>(Last->getArgOperand(0)->getType())
              : nullptr;
      if (!Bytes)
        return;
      Count =
          Builder.CreateUDiv(Builder.CreateSub(Builder.CreateZExtOrTrunc(
                                                   Last->getArgOperand(0), I64),
                                               constant(Marker.CookieBytes)),
                             constant(Marker.ElementBytes));
      // A nothrow operator new may return null.
      if (!Last->hasRetAttr(Attribute::NonNull))
        Count = Builder.CreateSelect(Builder.CreateIsNotNull(Last), Count,
                                     constant(0));
      Object = offset(Builder, Last, constant(Marker.CookieBytes));
    }
    countPart(F, Point, Call.getDebugLoc(), Marker.Class, Marker.Storage,
              Marker.Where, Object, Count, bytesOf(Marker.Class));
    for (const PartFact &Part : Marker.Parts)
      countParts(F, Point, Call.getDebugLoc(), Part, Marker.Where, Object,
                 Count, bytesOf(Marker.Class));
  }

  /// Counts \p Count objects, \p Stride bytes apart from \p Object, that exist
  /// from \p Point on; \p Object is null if their address is unknown.
  void countPart(Function &F, Instruction *Point, const DebugLoc &Loc,
                 const ClassFact &Class, uint8_t Storage,
                 const SourceLoc &Where, Value *Object, Value *Count,
                 uint64_t Stride) {
    ObjectInfo Info = describe(F, Class, Storage, Where);
    increment(Info, F, Point, Loc, Count);
    if (!Object || !follows(Class))
      return;
    IRBuilder<> Builder(Point);
    Builder.SetCurrentDebugLocation(Loc);
    Builder.CreateCall(
        RuntimeHooks(M).objectsConstructed(),
        {Object, Emitter.addObjectSite(Info, F), Count, constant(Stride)});
  }

  /// Counts the parts \p Part of each of \p Count objects, \p Stride bytes
  /// apart from \p Whole.
  void countParts(Function &F, Instruction *Point, const DebugLoc &Loc,
                  const PartFact &Part, const SourceLoc &Where, Value *Whole,
                  Value *Count, uint64_t Stride) {
    ObjectInfo Info = describe(F, Part.Class, Part.Storage, Where);
    IRBuilder<> Builder(Point);
    Builder.SetCurrentDebugLocation(Loc);
    increment(Info, F, Point, Loc,
              Builder.CreateMul(Count, constant(Part.count())));
    if (!Whole || !follows(Part.Class))
      return;
    GlobalVariable *Site = Emitter.addObjectSite(Info, F);
    Value *Object = offset(Builder, Whole, constant(Part.Offset));
    // Emit one call for the innermost array, and loops for those around it.
    SmallVector<std::pair<Value *, uint64_t>, 4> Repeats = {{Count, Stride}};
    for (const PartFact::Repeat &R : Part.Repeats)
      Repeats.push_back({constant(R.Count), R.Stride});
    auto [InnerCount, InnerStride] = Repeats.pop_back_val();
    for (auto [Outer, Bytes] : Repeats)
      Point = loop(Point, Outer, constant(Bytes), Object);
    IRBuilder<> Inner(Point);
    Inner.SetCurrentDebugLocation(Loc);
    Inner.CreateCall(RuntimeHooks(M).objectsConstructed(),
                     {Object, Site, InnerCount, constant(InnerStride)});
  }

  /// Emits a loop of \p Count iterations before \p Point. \p Object, the
  /// address in the first iteration, becomes the address in each. \returns the
  /// end of the loop body.
  Instruction *loop(Instruction *Point, Value *Count, Value *Bytes,
                    Value *&Object) {
    if (auto *Once = dyn_cast<ConstantInt>(Count); Once && Once->isOne())
      return Point;
    Instruction *Before = SplitBlockAndInsertIfThen(
        IRBuilder<>(Point).CreateICmpNE(Count, constant(0)), Point,
        /*Unreachable=*/false);
    BasicBlock *Entry = Before->getParent()->getSinglePredecessor();
    BasicBlock *Body = Before->getParent(), *After = Before->getSuccessor(0);
    Before->eraseFromParent();
    IRBuilder<> Builder(Body);
    PHINode *Index = Builder.CreatePHI(I64, 2);
    Value *Address = offset(Builder, Object, Builder.CreateMul(Index, Bytes));
    Value *Next = Builder.CreateAdd(Index, constant(1));
    Builder.CreateCondBr(Builder.CreateICmpULT(Next, Count), Body, After);
    Index->addIncoming(constant(0), Entry);
    Index->addIncoming(Next, Body);
    Object = Address;
    return cast<Instruction>(Next);
  }

  static Value *offset(IRBuilder<> &Builder, Value *Base, Value *Bytes) {
    return Builder.CreateGEP(Builder.getInt8Ty(), Base, Bytes);
  }

  uint64_t bytesOf(const ClassFact &Class) const {
    const TypeInfo *Type = Table.findType(Class.TypeKey);
    return Type ? Type->Size : 0;
  }

  static bool follows(const ClassFact &Class) {
    return followsLifetimes() && Class.Destroyed;
  }

  ConstantInt *constant(uint64_t Value) const {
    return ConstantInt::get(I64, Value);
  }

  /// True if a delegating constructor throws after its target has returned: it
  /// destroys an object that its caller does not count.
  bool isUndone(Function &F, const CallBase &Call, StringRef Callee) {
    if (Call.arg_empty() || F.arg_empty() || !Table.findDestructor(Callee))
      return false;
    const auto &[Class, Complete] = constructor(F);
    const Value *This = Call.getArgOperand(0)->stripPointerCasts();
    if (auto *Load = dyn_cast<LoadInst>(This)) // -O0
      for (const User *U : Load->getPointerOperand()->users())
        if (auto *Store = dyn_cast<StoreInst>(U))
          This = Store->getValueOperand();
    return Class && This == F.getArg(0) &&
           normalizedFunction(F.getName()) == Complete &&
           Table.findDestructor(Callee)->TypeKey == Class->TypeKey;
  }

  /// Counts constant-initialised objects where their destructor is registered.
  void countConstants(Function &F, CallBase &Call) {
    SmallVector<GlobalVariable *, 2> Variables;
    auto Look = [&](Value *V) {
      if (auto *Address = dyn_cast<IntrinsicInst>(V))
        if (Address->getIntrinsicID() == Intrinsic::threadlocal_address)
          V = Address->getArgOperand(0);
      if (auto *Variable = dyn_cast<GlobalVariable>(getUnderlyingObject(V)))
        Variables.push_back(Variable);
    };
    if (isa<ConstantPointerNull>(Call.getArgOperand(1))) {
      // An array is destroyed by a helper function.
      if (auto *Destroyer =
              dyn_cast<Function>(Call.getArgOperand(0)->stripPointerCasts()))
        for (Instruction &I : instructions(*Destroyer))
          for (Value *Operand : I.operands())
            if (Variables.empty() && Operand->getType()->isPointerTy())
              Look(Operand);
    } else {
      Look(Call.getArgOperand(1));
    }
    Instruction *Point = pointAfter(Call);
    for (GlobalVariable *Variable : Variables) {
      ArrayRef<PartFact> Facts = Table.findConstant(Variable->getName());
      IRBuilder<> Builder(Point);
      Value *Object = Facts.empty() || !followsLifetimes() ? nullptr
                      : Variable->isThreadLocal()
                          ? compat::threadLocalAddress(Builder, Variable)
                          : Variable;
      for (const PartFact &Fact : Facts)
        countParts(F, Point, Call.getDebugLoc(), Fact, Fact.Class.Where, Object,
                   constant(1), 0);
    }
  }

  using Constructor = std::pair<const ClassFact *, std::string>;

  /// The facts about \p F if it is a constructor, and its C1 name.
  const Constructor &constructor(const Function &F) {
    auto [It, New] = Constructors.try_emplace(&F);
    if (New)
      It->second.first = Table.findConstructor(F.getName(), It->second.second);
    return It->second;
  }

  static bool isChosen(uint8_t Storage) {
    return Options::current().Objects >= ObjectsMode::Count ||
           Storage == INMEM_STORAGE_HEAP || Storage == INMEM_STORAGE_PLACED;
  }

  /// Counts after the constructor has returned: if it throws, there is no
  /// object.
  void countConstruction(Function &F, CallBase &Call, const ClassFact &Class,
                         uint8_t Storage, bool Repeats) {
    SourceLoc Where;
    if (const DebugLoc &Loc = Call.getDebugLoc())
      Where = locationOf(*Loc);
    ObjectInfo Object = describe(F, Class, Storage, Where);
    if (followsLifetimes() && Class.Destroyed && !Call.isMustTailCall())
      followLifetime(Object, F, Call);
    increment(Object, F, pointAfter(Call), Call.getDebugLoc(), nullptr,
              Repeats);
  }

  static bool followsLifetimes() {
    return Options::current().Objects == ObjectsMode::Lifetime;
  }

  /// Reports a new object to the runtime, and the blocks that copying it
  /// allocated.
  void followLifetime(const ObjectInfo &Object, Function &F, CallBase &Call) {
    GlobalVariable *Site = Emitter.addObjectSite(Object, F);
    IRBuilder<> Before(&Call), After(pointAfter(Call));
    Before.SetCurrentDebugLocation(Call.getDebugLoc());
    After.SetCurrentDebugLocation(Call.getDebugLoc());
    RuntimeHooks Hooks(M);
    if (Object.Manner == INMEM_MANNER_COPY) {
      Value *Begin = Before.CreateCall(Hooks.copyBegin());
      After.CreateCall(Hooks.copyEnd(),
                       {Site, After.CreateExtractValue(Begin, 0),
                        After.CreateExtractValue(Begin, 1)});
    }
    After.CreateCall(Hooks.objectConstructed(), {Call.getArgOperand(0), Site});
  }

  /// Destructors are also called through pointers (atexit, exceptions, virtual
  /// calls), so they count on entry.
  void countDestruction(Function &F, const ClassFact &Class) {
    ObjectInfo Object = describe(F, Class, INMEM_STORAGE_UNKNOWN, Class.Where);
    Object.Event = INMEM_OBJECT_DESTROYED;
    BasicBlock &Entry = F.getEntryBlock();
    auto Point = Entry.getFirstInsertionPt();
    while (isa<AllocaInst>(*Point))
      ++Point;
    DebugLoc Loc;
    if (DISubprogram *Subprogram = F.getSubprogram())
      Loc = DILocation::get(Context, Subprogram->getLine(), 0, Subprogram);
    increment(Object, F, &*Point, Loc);
    if (!followsLifetimes())
      return;
    IRBuilder<> Builder(&*Point);
    Builder.SetCurrentDebugLocation(Loc);
    Builder.CreateCall(RuntimeHooks(M).objectDestroyed(),
                       {F.getArg(0), Emitter.objectType(Class.TypeKey)});
  }

  static ObjectInfo describe(const Function &F, const ClassFact &Class,
                             uint8_t Storage, const SourceLoc &Where) {
    ObjectInfo Object;
    Object.Storage = Storage;
    Object.Manner = Class.Manner;
    Object.Where = Where;
    Object.TypeKey = Class.TypeKey;
    Object.ClassName = Class.ClassName;
    Object.Function = withoutUniqueSuffix(F.getName()).str();
    return Object;
  }

  void increment(const ObjectInfo &Object, Function &F, Instruction *Point,
                 DebugLoc Loc, Value *Step = nullptr, bool Repeats = false) {
    GlobalVariable *Cell = Records.add(Object, F);
    OptimizationRemarkEmitter(&F).emit([&] {
      OptimizationRemark Remark("inmem-objects", "Counter", Loc,
                                Point->getParent());
      if (Object.Event == INMEM_OBJECT_DESTROYED)
        return Remark << "counts destructions of '"
                      << ore::NV("Class", Object.ClassName) << "'";
      if (Object.Event == INMEM_OBJECT_RECEIVED)
        return Remark << "counts returned objects of '"
                      << ore::NV("Class", Object.ClassName) << "' ("
                      << ore::NV("Storage", storageName(Object.Storage)) << ")";
      return Remark << "counts constructions of '"
                    << ore::NV("Class", Object.ClassName) << "' ("
                    << ore::NV("Storage", storageName(Object.Storage)) << ", "
                    << ore::NV("Manner", mannerName(Object.Manner)) << ")";
    });
    IRBuilder<> Builder(Point);
    Builder.SetCurrentDebugLocation(Loc);
    Changed = true;
    if (Combine && !Step && !Repeats && !F.hasOptNone())
      return Counters.emitCount(Builder, *Cell);
    Records.describe(*Cell);
    if (F.hasOptNone()) {
      Counters.addOutOfLine(Builder, *Cell, Step ? Step : constant(1));
      Counting.insert(Point->getParent());
    } else {
      Value *Turn = Cell;
      if (Repeats) {
        GlobalVariable *Second = Records.add(Object, F);
        Records.describe(*Second);
        Turn = alternate(Builder, Cell, Second, F);
      }
      Counters.add(Builder,
                   offset(Builder, Turn, Counters.displacement(Builder)),
                   Step ? Step : constant(1));
    }
  }

  /// In a short loop around an opaque call, the dependency between increments
  /// of one cell takes longer than the rest. So such a loop alternates between
  /// two cells. \returns the current one.
  Value *alternate(IRBuilder<> &Builder, Value *First, Value *Second,
                   Function &F) {
    IRBuilder<> Entry(&*F.getEntryBlock().getFirstInsertionPt());
    AllocaInst *This = Entry.CreateAlloca(First->getType());
    AllocaInst *Other = Entry.CreateAlloca(First->getType());
    Entry.CreateStore(First, This);
    Entry.CreateStore(Second, Other);
    Value *Cell = Builder.CreateLoad(First->getType(), This);
    Builder.CreateStore(Builder.CreateLoad(First->getType(), Other), This);
    Builder.CreateStore(Cell, Other);
    return Cell;
  }

  Module &M;
  FunctionAnalysisManager &Analyses;
  LLVMContext &Context;
  const SiteTable &Table;
  DescriptorEmitter Emitter;
  CounterRecords Records;
  CounterBuilder Counters;
  bool Combine; ///< CombineCountersPass will run
  IntegerType *I64;
  std::map<const Function *, Constructor> Constructors;
  CallOrders Orders;
  ExcludedFunctions Excluded{Table};
  /// Blocks with counters in an unoptimised function.
  SmallSetVector<BasicBlock *, 8> Counting;
  bool Changed = false;
};

} // namespace

PreservedAnalyses InstrumentObjectsPass::run(Module &M,
                                             ModuleAnalysisManager &Modules) {
  if (Options::current().Objects == ObjectsMode::Off ||
      SiteTable::current().empty() || !claimStage(M, "objects"))
    return PreservedAnalyses::all();
  bool LTO = LTOPreLink || CompilationInfo::current().LTOPreLink;
  FunctionAnalysisManager &Analyses =
      Modules.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  return ObjectInstrumenter(M, LTO, Combine, State->Counted, Analyses).run()
             ? PreservedAnalyses::none()
             : PreservedAnalyses::all();
}

} // namespace inmem

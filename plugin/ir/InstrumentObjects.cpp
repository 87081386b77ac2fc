//===- InstrumentObjects.cpp - counts constructions and destructions ------===//
#include "ir/InstrumentObjects.h"
#include "Compat.h"
#include "Options.h"
#include "ir/AllocationFunctions.h"
#include "ir/DescriptorEmitter.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace inmem {

namespace {

StringRef storageName(uint8_t Storage) {
  static constexpr StringRef kNames[] = {"unknown", "heap",   "stack", "static",
                                         "thread",  "member", "placed"};
  return Storage < std::size(kNames) ? kNames[Storage] : kNames[0];
}

StringRef mannerName(uint8_t Manner) {
  static constexpr StringRef kNames[] = {"other", "default", "copy", "move"};
  return Manner < std::size(kNames) ? kNames[Manner] : kNames[0];
}

class ObjectInstrumenter {
public:
  ObjectInstrumenter(Module &M, bool LTOPreLink)
      : M(M), Context(M.getContext()), Table(SiteTable::current()),
        Emitter(M, LTOPreLink), I64(Type::getInt64Ty(Context)) {
    // Neither the program's memory nor each other: with these, loops that
    // contain counters still vectorise.
    MDBuilder Types(Context);
    MDNode *Root = Types.createTBAARoot("Simple C++ TBAA");
    auto Tag = [&](StringRef Name) {
      MDNode *Type = Types.createTBAAScalarTypeNode(Name, Root);
      return Types.createTBAAStructTagNode(Type, Type, 0);
    };
    CounterTag = Tag("inmem counter");
    BaseTag = Tag("inmem displacement");
  }

  bool run() {
    // Cells and index variables are added to the module meanwhile, functions
    // are not.
    for (Function &F : M)
      if (isInstrumentable(F))
        instrument(F);
    return Changed;
  }

private:
  bool isInstrumentable(const Function &F) {
    if (F.isDeclaration() || F.hasFnAttribute(Attribute::Naked) ||
        F.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) ||
        Table.isExcluded(F.getName()))
      return false;
    // Bodies that the C++ library holds compiled are here for inlining only;
    // there they count nothing.
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
    };
    SmallVector<Construction, 8> Constructions;
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || isa<IntrinsicInst>(Call) || isa<CallBrInst>(Call) ||
          Call->hasFnAttr(kSkipAttribute))
        continue;
      const Function *Callee = directCallee(*Call);
      if (!Callee)
        continue;
      const auto &[Class, Complete] = constructor(*Callee);
      // The complete constructor that forwards to the base one.
      if (!Class || (Complete == constructor(F).second && Callee != &F))
        continue;
      const DebugLoc &Loc = Call->getDebugLoc();
      uint8_t Storage =
          Table.findStorage(F.getName(), Complete, Loc ? Loc.getLine() : 0,
                            Loc ? Loc.getCol() : 0);
      if (Storage != INMEM_STORAGE_BASE && isChosen(Storage))
        Constructions.push_back({Call, Class, Storage});
    }
    for (const Construction &C : Constructions)
      countConstruction(F, *C.Call, *C.Class, C.Storage);
    if (Options::current().Objects == ObjectsMode::Count)
      if (const ClassFact *Class = Table.findDestructor(F.getName()))
        countDestruction(F, *Class);
  }

  using Constructor = std::pair<const ClassFact *, std::string>;

  /// What is known of \p F, if it is a constructor, and its C1 name.
  const Constructor &constructor(const Function &F) {
    auto [It, New] = Constructors.try_emplace(&F);
    if (New)
      It->second.first =
          Table.findConstructor(F.getName(), It->second.second);
    return It->second;
  }

  static bool isChosen(uint8_t Storage) {
    return Options::current().Objects == ObjectsMode::Count ||
           Storage == INMEM_STORAGE_HEAP || Storage == INMEM_STORAGE_PLACED;
  }

  /// Counts when the constructor has returned: one that throws leaves no
  /// object, and no destructor will run for it.
  void countConstruction(Function &F, CallBase &Call, const ClassFact &Class,
                         uint8_t Storage) {
    ObjectInfo Object = describe(F, Class);
    Object.Storage = Storage;
    Object.Manner = Class.Manner;
    Object.Place = {};
    if (const DebugLoc &Loc = Call.getDebugLoc())
      Object.Place = {Loc->getFilename().str(), Loc.getLine(), Loc.getCol()};
    Instruction *Point = Call.getNextNode();
    if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
      BasicBlock *Normal = Invoke->getNormalDest();
      if (!Normal->getSinglePredecessor())
        Normal = SplitEdge(Invoke->getParent(), Normal);
      Point = &*Normal->getFirstInsertionPt();
    }
    if (Call.isMustTailCall())
      Point = &Call;
    increment(Object, F, Point, Call.getDebugLoc());
  }

  /// Destructors also run through pointers (atexit, exceptions, virtual
  /// calls), so they are counted where all of those arrive.
  void countDestruction(Function &F, const ClassFact &Class) {
    ObjectInfo Object = describe(F, Class);
    Object.Event = INMEM_OBJECT_DESTROYED;
    Object.Place = Class.Place;
    BasicBlock &Entry = F.getEntryBlock();
    auto Point = Entry.getFirstInsertionPt();
    while (isa<AllocaInst>(*Point))
      ++Point;
    DebugLoc Loc;
    if (DISubprogram *Subprogram = F.getSubprogram())
      Loc = DILocation::get(Context, Subprogram->getLine(), 0, Subprogram);
    increment(Object, F, &*Point, Loc);
  }

  static ObjectInfo describe(const Function &F, const ClassFact &Class) {
    ObjectInfo Object;
    Object.TypeKey = Class.TypeKey;
    Object.ClassName = Class.ClassName;
    Object.Function = F.getName().str();
    return Object;
  }

  void increment(const ObjectInfo &Object, Function &F, Instruction *Point,
                 DebugLoc Loc) {
    GlobalVariable *Cell = Emitter.addCounter(Object, F);
    OptimizationRemarkEmitter(&F).emit([&] {
      OptimizationRemark Remark("inmem-objects", "Counter", Loc,
                                Point->getParent());
      if (Object.Event == INMEM_OBJECT_DESTROYED)
        return Remark << "counts destructions of '"
                      << ore::NV("Class", Object.ClassName) << "'";
      return Remark << "counts constructions of '"
                    << ore::NV("Class", Object.ClassName) << "' ("
                    << ore::NV("Storage", storageName(Object.Storage)) << ", "
                    << ore::NV("Manner", mannerName(Object.Manner)) << ")";
    });
    IRBuilder<> Builder(Point);
    Builder.SetCurrentDebugLocation(Loc);
    Value *Displacement = displacement(Builder);
    Value *Address =
        Builder.CreateGEP(Builder.getInt8Ty(), Cell, Displacement);
    LoadInst *Old = Builder.CreateAlignedLoad(I64, Address, Align(8));
    Value *New = Builder.CreateAdd(Old, Builder.getInt64(1));
    StoreInst *Store = Builder.CreateAlignedStore(New, Address, Align(8));
    Old->setMetadata(LLVMContext::MD_tbaa, CounterTag);
    Store->setMetadata(LLVMContext::MD_tbaa, CounterTag);
    for (Instruction *Access : {cast<Instruction>(Old),
                                cast<Instruction>(Store)})
      Access->setMetadata(LLVMContext::MD_nosanitize,
                          MDNode::get(Context, {}));
    Changed = true;
  }

  /// The address of a thread-local variable. The inliner takes a counter for
  /// work of the function that holds it, and would no longer inline one that
  /// was just small enough; whatever inlining folds away, allocations among it,
  /// would stay. So the call gives back what the counter seems to cost: a
  /// "call-threshold-bonus" counts for the function whose body it stands in.
  Value *threadLocal(IRBuilder<> &Builder, GlobalVariable *Variable) {
    Value *Address = compat::threadLocalAddress(Builder, Variable);
    if (auto *Call = dyn_cast<CallBase>(Address))
      Call->addFnAttr(
          Attribute::get(Context, "call-threshold-bonus", "20"));
    return Address;
  }

  Value *displacement(IRBuilder<> &Builder) {
    auto Load = [&](Type *T, Value *From, Align A) {
      LoadInst *Result = Builder.CreateAlignedLoad(T, From, A);
      Result->setMetadata(LLVMContext::MD_tbaa, BaseTag);
      Result->setMetadata(LLVMContext::MD_nosanitize,
                          MDNode::get(Context, {}));
      return Result;
    };
    if (GlobalVariable *Delta = Emitter.deltaVariable())
      return Load(I64, threadLocal(Builder, Delta), Align(8));
    auto *TableType = ArrayType::get(I64, INMEM_MAX_TABLE_MODULES);
    auto *Displacements = cast<GlobalVariable>(
        M.getOrInsertGlobal("__inmem_displacements", TableType));
    Displacements->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
    Value *Index = Builder.CreateZExt(
        Load(Builder.getInt32Ty(), Emitter.tableIndex(), Align(4)), I64);
    Value *Entry = Builder.CreateGEP(
        I64, threadLocal(Builder, Displacements), Index);
    return Load(I64, Entry, Align(8));
  }

  Module &M;
  LLVMContext &Context;
  const SiteTable &Table;
  DescriptorEmitter Emitter;
  IntegerType *I64;
  MDNode *CounterTag, *BaseTag;
  std::map<const Function *, Constructor> Constructors;
  bool Changed = false;
};

bool isCounterAccess(const Value *Pointer) {
  auto *Address = dyn_cast<GEPOperator>(Pointer);
  auto *Cell = Address ? dyn_cast<GlobalVariable>(
                             Address->getPointerOperand()->stripPointerCasts())
                       : nullptr;
  return Cell && Cell->getSection() == INMEM_SECTION_COUNTERS;
}

} // namespace

PreservedAnalyses InstrumentObjectsPass::run(Module &M,
                                             ModuleAnalysisManager &) {
  if (Options::current().Objects == ObjectsMode::Off ||
      SiteTable::current().empty() || !enterStage(M, "objects"))
    return PreservedAnalyses::all();
  bool LTO = LTOPreLink || SiteTable::current().LTOPreLink;
  return ObjectInstrumenter(M, LTO).run() ? PreservedAnalyses::none()
                                          : PreservedAnalyses::all();
}

PreservedAnalyses SeparateCountersPass::run(Function &F,
                                            FunctionAnalysisManager &Analyses) {
  SmallVector<Instruction *, 16> Counters, Others;
  for (Instruction &I : instructions(F)) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    if (Pointer && isCounterAccess(Pointer))
      Counters.push_back(&I);
    else if (I.mayReadOrWriteMemory() && !I.hasMetadata(LLVMContext::MD_tbaa) &&
             (Pointer || isa<AnyMemIntrinsic>(I)))
      Others.push_back(&I);
  }
  if (Counters.empty())
    return PreservedAnalyses::all();
  LLVMContext &Context = F.getContext();
  MDBuilder Builder(Context);
  MDNode *Domain = Builder.createAnonymousAliasScopeDomain("inmem");
  MDNode *Scopes = MDNode::get(
      Context, Builder.createAnonymousAliasScope(Domain, "inmem counters"));
  auto Add = [&](Instruction *I, unsigned Kind) {
    I->setMetadata(Kind, MDNode::concatenate(I->getMetadata(Kind), Scopes));
  };
  for (Instruction *I : Counters)
    Add(I, LLVMContext::MD_alias_scope);
  for (Instruction *I : Others)
    Add(I, LLVMContext::MD_noalias);
  // Counts go to registers, and from there to a multiple of the trip count,
  // before the vectoriser looks. Functions without counters do not come here.
  LoopPassManager Loops;
  Loops.addPass(LICMPass(LICMOptions()));
  Loops.addPass(IndVarSimplifyPass());
  Analyses.invalidate(F, PreservedAnalyses::none());
  createFunctionToLoopPassAdaptor(std::move(Loops), /*UseMemorySSA=*/true)
      .run(F, Analyses);
  return PreservedAnalyses::none();
}

} // namespace inmem

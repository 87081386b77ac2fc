//===- CountAccesses.cpp - counts reads and writes by field ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PluginOptions.h"
#include "ir/AccessNames.h"
#include "ir/CounterRecords.h"
#include "ir/Counters.h"
#include "ir/FunctionFacts.h"
#include "ir/LostReads.h"
#include "ir/Passes.h"
#include "ir/StreamedLoops.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/ModRef.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace inmem {

namespace {

class AccessCounter {
public:
  AccessCounter(Module &M, PipelineState &State, bool LTOPreLink,
                FunctionAnalysisManager &Analyses)
      : M(M), Table(SiteTable::current()), Emitter(M, LTOPreLink),
        Records(M, Emitter, State.Counted), Counters(M, Emitter),
        Names(State, Table), Lost(State, Table), Analyses(Analyses) {}

  bool run() {
    for (Function &F : M)
      if (isCounted(F))
        count(F);
    if (Owners.empty() && Table.Opaque.empty())
      return false;
    describe();
    admitCells();
    Emitter.addRegistration();
    return true;
  }

private:
  bool isCounted(const Function &F) const {
    return isInstrumentable(F) && !F.hasAvailableExternallyLinkage() &&
           !F.getName().starts_with("__inmem") &&
           !Table.isExcluded(F.getName());
  }

  void count(Function &F) {
    Names.read(F);
    StreamedLoops Loops(F, Analyses);
    SmallSetVector<const TypeInfo *, 4> Streamed;
    for (const Access &A : Names.accesses()) {
      const auto Found = Names.names(A);
      noteLost(F, A, Found);
      for (const AccessNames::Name &Name : Found) {
        if (markStreamed(F, A, Name, Loops))
          Streamed.insert(Name.Of.Owner);
        if (A.Read)
          mark(F, *A.At, Name, eventOfRead(A, Name));
        if (A.Write)
          mark(F, *A.At, Name,
               Name.Role == FunctionFacts::Constructs
                   ? INMEM_OBJECT_FIELD_INITIALISED
                   : INMEM_OBJECT_FIELD_WRITTEN);
      }
      if (isa<LoadInst>(A.At) && A.Bytes)
        markUnit(F, A);
    }
    SmallVector<CallBase *, 16> Calls;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        Calls.push_back(Call);
    for (CallBase *Call : Calls)
      for (const TypeInfo *Owner : Streamed)
        markElement(F, *Call, *Owner, Loops);
    for (CallBase *Call : Calls)
      if (const auto Name = Names.objectOf(*Call))
        mark(F, *Call, *Name, eventOfCall(*Name));
  }

  void noteLost(const Function &F, const Access &A,
                ArrayRef<AccessNames::Name> Found) {
    const DILocation *Loc = A.At->getDebugLoc();
    if (Names.isLost(A, Found))
      Lost.add(A, Loc ? Names.functionOf(*Loc) : Names.nameOf(F));
    // A copy of several fields keeps each of them where it was.
    const bool Copies =
        !Found.empty() && all_of(Found, [&](const AccessNames::Name &Name) {
          return isCopy(A, Name);
        });
    if (const auto Around = Names.around(A); Around && !Copies)
      Lost.add(*Around, {M.getSourceFileName(), Loc ? Loc->getLine() : 1, 0});
  }

  /// \returns whether \p A accesses each element of an array.
  bool markStreamed(Function &F, const Access &A, AccessNames::Name Name,
                    StreamedLoops &Loops) {
    const TypeInfo &Owner = *Name.Of.Owner;
    if (Name.OneOf || Names.isLibrary(&Owner) || Owner.Fields.size() < 2)
      return false;
    const Loop *Around = Loops.add(*A.At, A.Pointer, Owner.Size, &Owner,
                                   Name.Of.First, Name.Of.Bits);
    if (!Around)
      return false;
    markLoop(F, *A.At, Name, *Around);
    return true;
  }

  /// Marks a call or byte copy that may access a whole element.
  void markElement(Function &F, CallBase &Call, const TypeInfo &Owner,
                   StreamedLoops &Loops) {
    if (isa<IntrinsicInst>(Call) && !isa<AnyMemIntrinsic>(Call))
      return;
    const AccessNames::Name Whole{{&Owner, 0, Owner.Size * 8, false}, nullptr};
    for (Value *Argument : Call.args())
      if (const Loop *Around =
              Loops.add(Call, Argument, Owner.Size, &Owner, 0, Whole.Of.Bits))
        return markLoop(F, Call, Whole, *Around);
  }

  void markLoop(Function &F, Instruction &At, AccessNames::Name Name,
                const Loop &Around) {
    if (const DILocation *Begin = Around.getStartLoc().get())
      Name.Where = Begin;
    mark(F, At, Name, INMEM_OBJECT_FIELD_STREAMED);
  }

  static uint8_t eventOfCall(const AccessNames::Name &Name) {
    switch (Name.Role) {
    case FunctionFacts::Copies:
      return INMEM_OBJECT_FIELD_COPIED;
    case FunctionFacts::Constructs:
      return INMEM_OBJECT_FIELD_INITIALISED;
    case FunctionFacts::Destroys:
      return INMEM_OBJECT_FIELD_RELEASED;
    default:
      return INMEM_OBJECT_FIELD_USED;
    }
  }

  uint8_t eventOfRead(const Access &A, const AccessNames::Name &Name) const {
    if (Name.Any && !Name.OneOf)
      return eventOfCall(Name);
    if (Name.Any)
      return INMEM_OBJECT_FIELD_USED;
    if (Name.OneOf)
      return INMEM_OBJECT_FIELD_ONE_READ;
    if (isCopy(A, Name))
      return INMEM_OBJECT_FIELD_COPIED;
    return Name.Role == FunctionFacts::Destroys ? INMEM_OBJECT_FIELD_RELEASED
                                                : INMEM_OBJECT_FIELD_READ;
  }

  /// True if the value that \p A reads is only stored in the same field of
  /// other objects. If it is also stored elsewhere, it may be used there.
  bool isCopy(const Access &A, const AccessNames::Name &Name) const {
    if (const auto *Transfer = dyn_cast<AnyMemTransferInst>(A.At))
      return !AccessNames::isLeftOut(Transfer->getRawDest()) &&
             isSameField({A.At, Transfer->getRawDest(), A.Bytes, false, true},
                         Name);
    if (!isa<LoadInst>(A.At) || A.At->use_empty())
      return false;
    return all_of(A.At->users(), [&](User *U) {
      auto *Store = dyn_cast<StoreInst>(U);
      return Store && Store->getValueOperand() == A.At &&
             !AccessNames::isLeftOut(Store->getPointerOperand()) &&
             isSameField(
                 {Store, Store->getPointerOperand(), A.Bytes, false, true},
                 Name);
    });
  }

  bool isSameField(const Access &Target, const AccessNames::Name &Name) const {
    // A copied whole object keeps its fields, in any container.
    if (Name.Of.Owner->Fields.size() > 1 && Name.Of.First == 0 &&
        Name.Of.Bits >= Name.Of.Owner->Size * 8)
      return true;
    const auto Into = Names.names(Target);
    return any_of(Into,
                  [&](const AccessNames::Name &N) {
                    return N.Of.Owner == Name.Of.Owner &&
                           N.Of.First == Name.Of.First;
                  }) ||
           (Into.empty() && Name.Role == FunctionFacts::Copies);
  }

  /// Loading a bit-field also loads its neighbours, and the optimiser may have
  /// merged reads of them into this load.
  void markUnit(Function &F, const Access &A) {
    for (AccessNames::Name Name : Names.names(A)) {
      if (!Name.Of.BitField)
        continue;
      const uint64_t Unit = A.Bytes * 8;
      Name.Of.First = Name.Of.First / Unit * Unit;
      Name.Of.Bits = Unit;
      Name.Of.BitField = false;
      mark(F, *A.At, Name, INMEM_OBJECT_FIELD_LOADED);
    }
  }

  void mark(Function &F, Instruction &At, const AccessNames::Name &Name,
            uint8_t Event) {
    const TypeInfo &Owner = *Name.Of.Owner;
    Owners.insert(&Owner);
    ObjectInfo Object;
    Object.TypeKey = Owner.Key;
    Object.ClassName = Owner.Name;
    Object.Event = Event;
    Object.FirstBit = Name.Of.First;
    Object.Bits = Name.Of.Bits;
    Object.Function = F.getName().str();
    if (const DILocation *Loc = Name.Where) {
      Object.Function = Names.functionOf(*Loc).str();
      Object.Where = {Loc->getFilename().str(), Loc->getLine(), 0};
    }
    GlobalVariable *&Cell =
        Cells[{&F, Event, &Owner, Name.Of.First, Name.Of.Bits,
               Object.Where.Line, Object.Function + Object.Where.File}];
    if (!Cell)
      Cell = Records.add(Object, F);
    IRBuilder<> Builder(&At);
    Builder.SetCurrentDebugLocation(At.getDebugLoc());
    if (!F.hasOptNone())
      return Counters.emitCount(Builder, *Cell);
    Records.describe(*Cell);
    Counters.addOutOfLine(Builder, *Cell,
                          ConstantInt::get(Builder.getInt64Ty(), 1));
  }

  /// Emits records without counters: bits that other code may access, and
  /// classes whose layout a report needs.
  void describe() {
    SmallVector<GlobalValue *, 16> Kept;
    auto Add = [&](const TypeInfo &Owner, uint64_t First, uint64_t Bits,
                   const SourceLoc &Where, uint8_t Event) {
      ObjectInfo Object;
      Object.TypeKey = Owner.Key;
      Object.ClassName = Owner.Name;
      Object.Event = Event;
      Object.FirstBit = First;
      Object.Bits = Bits;
      Object.Where = Where;
      if (GlobalVariable *Record = Records.addUncounted(Object))
        Kept.push_back(Record);
    };
    for (unsigned I = 0; I < Owners.size(); ++I)
      for (const FieldInfo &Field : Owners[I]->Fields)
        if (Field.Kind == INMEM_FIELD_BASE ||
            Field.Kind == INMEM_FIELD_VIRTUAL_BASE)
          if (const TypeInfo *Base = Table.findType(Field.TypeKey);
              Base && Owners.insert(Base))
            Add(*Base, 0, 0, {}, INMEM_OBJECT_FIELD_OPAQUE);
    for (const auto &Entry : Table.Opaque) {
      const OpaqueFact &Fact = Entry.second;
      const bool Needed =
          Fact.Where.Line && Fact.Event != INMEM_OBJECT_FIELD_IN_SOURCE;
      if (Needed || Owners.contains(Fact.Owner))
        Add(*Fact.Owner, Fact.FirstBit, Fact.Bits, Fact.Where, Fact.Event);
    }
    for (const OpaqueFact &Fact : Lost.found())
      if (!Names.isLibrary(Fact.Owner)) // opaque anyway
        Add(*Fact.Owner, Fact.FirstBit, Fact.Bits, Fact.Where, Fact.Event);
    appendToUsed(M, Kept);
  }

  /// Functions that only read memory will write cells.
  void admitCells() {
    const MemoryEffects Written(MemoryEffects::Location::Other,
                                ModRefInfo::ModRef);
    for (Function &F : M) {
      if (F.isDeclaration())
        continue;
      if (F.getMemoryEffects() != MemoryEffects::unknown())
        F.setMemoryEffects(F.getMemoryEffects() | Written);
      for (User *U : F.users())
        if (auto *Call = dyn_cast<CallBase>(U);
            Call && Call->getAttributes().hasFnAttr(Attribute::Memory))
          Call->removeFnAttr(Attribute::Memory);
    }
  }

  Module &M;
  const SiteTable &Table;
  DescriptorEmitter Emitter;
  CounterRecords Records;
  CounterBuilder Counters;
  AccessNames Names;
  LostReads Lost;
  FunctionAnalysisManager &Analyses;
  SetVector<const TypeInfo *> Owners;
  std::map<std::tuple<const Function *, uint8_t, const TypeInfo *, uint64_t,
                      uint64_t, unsigned, std::string>,
           GlobalVariable *>
      Cells;
};

} // namespace

PreservedAnalyses CountAccessesPass::run(Module &M,
                                         ModuleAnalysisManager &Analyses) {
  if (!Options::current().Accesses || SiteTable::current().empty() ||
      !claimStage(M, "accesses"))
    return PreservedAnalyses::all();
  auto &OfFunctions =
      Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  return AccessCounter(M, *State, isBeforeLink(M, LTOPreLink), OfFunctions)
                 .run()
             ? PreservedAnalyses::none()
             : PreservedAnalyses::all();
}

} // namespace inmem

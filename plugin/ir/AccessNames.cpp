//===- AccessNames.cpp - the fields that loads and stores access ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/AccessNames.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace inmem {

AccessNames::AccessNames(const PipelineState &State, const SiteTable &Table)
    : State(State), Table(Table) {
  for (const auto &Entry : Table.Opaque)
    if (!Entry.second.Where.Line &&
        Entry.second.Event == INMEM_OBJECT_FIELD_OPAQUE)
      Library.insert(Entry.second.Owner);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// True for stack objects, which are mostly in registers, and for variables,
/// which are single objects.
bool AccessNames::isLeftOut(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  if (isa<AllocaInst>(Object) || isa<Constant>(Object))
    return true;
  if (const auto *Argument = dyn_cast<llvm::Argument>(Object))
    return Argument->hasByValAttr() || Argument->hasStructRetAttr();
  const auto *Call = dyn_cast<IntrinsicInst>(Object);
  return Call && Call->getIntrinsicID() == Intrinsic::threadlocal_address;
}

void AccessNames::add(Instruction &I, Value *Pointer, uint64_t Bytes, bool Read,
                      bool Write) {
  if (!Pointer->getType()->isVectorTy() && isLeftOut(Pointer))
    return;
  Accesses.push_back({&I, Pointer, Bytes, Read, Write});
}

void AccessNames::addAccesses(Instruction &I) {
  auto BytesOf = [&](Type *T) -> uint64_t {
    const TypeSize Size = Layout->getTypeStoreSize(T);
    return Size.isScalable() ? 0 : Size.getFixedValue();
  };
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    add(I, Load->getPointerOperand(), BytesOf(Load->getType()), true, false);
  } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
    add(I, Store->getPointerOperand(),
        BytesOf(Store->getValueOperand()->getType()), false, true);
  } else if (auto *Update = dyn_cast<AtomicRMWInst>(&I)) {
    add(I, Update->getPointerOperand(), BytesOf(Update->getType()), true, true);
  } else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I)) {
    add(I, Exchange->getPointerOperand(),
        BytesOf(Exchange->getNewValOperand()->getType()), true, true);
  } else if (auto *Memory = dyn_cast<AnyMemIntrinsic>(&I)) {
    auto *Length = dyn_cast<ConstantInt>(Memory->getLength());
    const uint64_t Bytes = Length ? Length->getZExtValue() : 0;
    add(I, Memory->getRawDest(), Bytes, false, true);
    if (auto *Transfer = dyn_cast<AnyMemTransferInst>(Memory))
      add(I, Transfer->getRawSource(), Bytes, true, false);
  } else if (auto *Call = dyn_cast<IntrinsicInst>(&I)) {
    switch (Call->getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_gather:
      return add(I, Call->getArgOperand(0), BytesOf(Call->getType()), true,
                 false);
    case Intrinsic::masked_store:
    case Intrinsic::masked_scatter:
      return add(I, Call->getArgOperand(1),
                 BytesOf(Call->getArgOperand(0)->getType()), false, true);
    default:
      return;
    }
  }
}

void AccessNames::read(Function &F) {
  Layout = &F.getParent()->getDataLayout();
  Accesses.clear();
  Anchors.clear();
  for (Instruction &I : instructions(F))
    if (!I.getMetadata(LLVMContext::MD_nosanitize))
      addAccesses(I);
  findAnchors();
}

void AccessNames::findAnchors() {
  MapVector<const Value *, SmallVector<Anchor, 2>> Votes;
  for (const Access &A : Accesses) {
    const std::optional<ObjectBits> Of = direct(A);
    if (!Of || Of->BitField || A.Bytes * 8 != Of->Bits)
      continue;
    const auto [Root, Offset] = rootOf(A.Pointer, *Layout);
    Votes[Root].push_back(
        {Of->Owner, static_cast<int64_t>(Of->First) - Offset});
  }
  for (const auto &[Root, Found] : Votes) {
    // If a member and the object around it were both named, use the object.
    const Anchor *Best = &Found.front();
    bool Agree = true;
    for (const Anchor &Each : Found)
      if (Each.Owner->Size > Best->Owner->Size)
        Best = &Each;
    for (const Anchor &Each : Found)
      Agree &= Each.Owner->Size < Best->Owner->Size ||
               (Each.Owner == Best->Owner && Each.Bits == Best->Bits);
    if (Agree)
      Anchors[Root] = *Best;
  }
}

//===----------------------------------------------------------------------===//
// Facts of the AST half
//===----------------------------------------------------------------------===//

StringRef AccessNames::functionOf(const DILocation &Loc) const {
  return nameOf(Loc.getScope()->getSubprogram());
}

StringRef AccessNames::nameOf(const Function &F) const {
  const StringRef Name = nameOf(F.getSubprogram());
  return Name.empty() ? F.getName() : Name;
}

StringRef AccessNames::nameOf(const DISubprogram *Subprogram) const {
  Subprogram = State.asWritten(Subprogram);
  const auto Name = State.FunctionNames.find(Subprogram);
  if (Name != State.FunctionNames.end())
    return Name->second;
  return !Subprogram                            ? StringRef()
         : Subprogram->getLinkageName().empty() ? Subprogram->getName()
                                                : Subprogram->getLinkageName();
}

const AccessNames::FunctionIndex &
AccessNames::indexOf(const DISubprogram &Subprogram) const {
  auto &Index = Indexes[&Subprogram];
  if (Index)
    return *Index;
  Index = std::make_unique<FunctionIndex>();
  Index->Facts = Table.findFunction(nameOf(&Subprogram));
  if (Index->Facts)
    for (const MemberFact &Fact : Index->Facts->Members)
      Index->ByPlace[{Fact.Line, Fact.Column}].push_back(&Fact);
  return *Index;
}

ArrayRef<const MemberFact *> AccessNames::factsAt(const DILocation &Loc) const {
  const FunctionIndex &Index = indexOf(Loc);
  const auto Found = Index.ByPlace.find({Loc.getLine(), Loc.getColumn()});
  if (Found == Index.ByPlace.end())
    return {};
  return Found->second;
}

FunctionFacts::MemberRole AccessNames::roleAt(const DILocation *Loc) const {
  const FunctionFacts *Facts = Loc ? indexOf(*Loc).Facts : nullptr;
  return Facts ? Facts->Role : FunctionFacts::Other;
}

bool AccessNames::isInLibrary(const DILocation &Loc) const {
  const FunctionFacts *Facts = indexOf(Loc).Facts;
  return Facts ? Facts->System
               : Table.FilesOfLibraries.contains(Loc.getFilename());
}

std::optional<ObjectBits> AccessNames::byAlias(const Access &A) const {
  const MDNode *Tag = A.At->getMetadata(LLVMContext::MD_tbaa);
  const auto *Base = Tag && Tag->getNumOperands() >= 3
                         ? dyn_cast_or_null<MDNode>(Tag->getOperand(0).get())
                         : nullptr;
  if (!Base || Base == Tag->getOperand(1).get() || !Base->getNumOperands())
    return std::nullopt;
  const auto *Name = dyn_cast_or_null<MDString>(Base->getOperand(0).get());
  const auto *Offset = mdconst::dyn_extract<ConstantInt>(Tag->getOperand(2));
  const TypeInfo *Owner =
      Name && Offset ? Table.findAliasName(Name->getString()) : nullptr;
  if (!Owner || !A.Bytes || Offset->getZExtValue() >= Owner->Size)
    return std::nullopt;
  return ObjectBits{Owner, Offset->getZExtValue() * 8, A.Bytes * 8, false};
}

static bool isReference(const ObjectBits &Of) {
  return any_of(Of.Owner->Fields, [&](const FieldInfo &Field) {
    return Field.Kind == INMEM_FIELD_REFERENCE &&
           uint64_t{Field.Offset} * 8 == Of.First;
  });
}

/// True if \p Pointer was loaded at \p Loc.
static bool isLoadedAt(const Value *Pointer, const DILocation &Loc) {
  const auto *Load = dyn_cast<LoadInst>(Pointer->stripPointerCasts());
  return Load && Load->getDebugLoc().get() == &Loc;
}

std::optional<ObjectBits> AccessNames::byLocation(const Access &A) const {
  const DILocation *Loc = A.At->getDebugLoc();
  if (!Loc || !Loc->getLine())
    return std::nullopt;
  const std::optional<ObjectBits> Alias = byAlias(A);
  if (!Alias && isChoice(A))
    return std::nullopt;
  const int64_t Offset = rootOf(A.Pointer, *Layout).second;
  SmallVector<ObjectBits, 4> Fitting, Like;
  for (const MemberFact *Fact : factsAt(*Loc)) {
    if (!((A.Read && (Fact->Kinds & MemberFact::Read)) ||
          (A.Write && (Fact->Kinds & MemberFact::Write))))
      continue;
    ObjectBits Of{Fact->Owner, Fact->FirstBit, Fact->Bits, Fact->BitField};
    // The object that the reference leads to is accessed at the same location.
    if (isReference(Of) && isLoadedAt(A.Pointer, *Loc))
      continue;
    // For a piece of an object or array, the offset gives its position.
    const bool Piece = A.Bytes && !Of.BitField && Of.Bits > A.Bytes * 8;
    if (Piece && Of.First == 0 && Of.Bits == Of.Owner->Size * 8) {
      if (Offset < 0 || Offset + A.Bytes * 8 > Of.Bits)
        continue;
      Of.First = Offset;
      Of.Bits = A.Bytes * 8;
    }
    if (!is_contained(Fitting, Of))
      Fitting.push_back(Of);
  }
  if (Fitting.size() > 1) {
    for (const ObjectBits &Of : Fitting)
      if (Alias && Alias->Owner == Of.Owner && Alias->First == Of.First)
        Like.push_back(Of);
    if (Like.empty())
      for (const ObjectBits &Of : Fitting)
        if (!Alias && static_cast<int64_t>(Of.First) == Offset &&
            (Of.BitField || Of.Bits == A.Bytes * 8))
          Like.push_back(Of);
    Fitting = Like;
  }
  if (Fitting.size() != 1)
    return std::nullopt;
  return Fitting.front();
}

std::optional<ObjectBits> AccessNames::direct(const Access &A) const {
  std::optional<ObjectBits> Of = byLocation(A);
  return Of ? Of : byAlias(A);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::optional<ObjectBits> AccessNames::at(const Value *Pointer, int64_t Bits,
                                          uint64_t Bytes) const {
  const auto Known = Anchors.find(Pointer);
  if (Known == Anchors.end() || !Bytes)
    return std::nullopt;
  const auto &[Owner, Base] = Known->second;
  const int64_t First = Base + Bits;
  if (First < 0 || First + Bytes * 8 > Owner->Size * 8)
    return std::nullopt;
  return ObjectBits{Owner, static_cast<uint64_t>(First), Bytes * 8, false};
}

std::optional<ObjectBits> AccessNames::byAnchor(const Access &A) const {
  const auto [Root, Offset] = rootOf(A.Pointer, *Layout);
  return at(Root, Offset, A.Bytes);
}

std::optional<uint64_t> AccessNames::firstBit(const Access &A,
                                              const TypeInfo *Owner) const {
  const auto [Root, Offset] = rootOf(A.Pointer, *Layout);
  const auto Known = Anchors.find(Root);
  if (Known == Anchors.end() || Known->second.Owner != Owner ||
      Known->second.Bits + Offset < 0)
    return std::nullopt;
  return Known->second.Bits + Offset;
}

/// An access that the optimiser merged from several has the name of only one of
/// them. Its address gives its start.
void AccessNames::widen(const Access &A, ObjectBits &Of) const {
  const uint64_t Bits = A.Bytes * 8;
  if (Of.BitField || Bits <= Of.Bits)
    return;
  // Without another access through the pointer, assume that it points to the
  // start of the object, if the access then covers the named bits.
  const int64_t Offset = rootOf(A.Pointer, *Layout).second;
  const bool Fits = Offset >= 0 && Offset + Bits <= Of.Owner->Size * 8 &&
                    static_cast<uint64_t>(Offset) <= Of.First &&
                    Of.First + Of.Bits <= Offset + Bits;
  Of.First = firstBit(A, Of.Owner).value_or(Fits ? Offset : Of.First);
  Of.Bits = Bits;
}

SmallVector<ObjectBits, 1>
AccessNames::calledMembers(const DILocation &Loc) const {
  SmallVector<ObjectBits, 1> Found;
  for (const MemberFact *Fact : factsAt(Loc)) {
    const ObjectBits Of{Fact->Owner, Fact->FirstBit, Fact->Bits, false};
    if ((Fact->Kinds & MemberFact::Call) && !is_contained(Found, Of))
      Found.push_back(Of);
  }
  return Found;
}

/// The member of the user's that library code at \p Loc was called on, if it
/// was inlined.
std::optional<AccessNames::Name>
AccessNames::callerMember(const DILocation *Loc) const {
  for (Loc = Loc ? Loc->getInlinedAt() : nullptr; Loc;
       Loc = Loc->getInlinedAt()) {
    auto Found = calledMembers(*Loc);
    erase_if(Found, [&](const ObjectBits &Of) { return isLibrary(Of.Owner); });
    if (Found.size() > 1)
      return std::nullopt;
    if (Found.size() == 1)
      return Name{Found.front(), Loc, roleAt(Loc), false, true};
  }
  return std::nullopt;
}

/// True if \p V is computed from a load of \p Pointer.
static bool readsBack(const Value *V, const Value *Pointer, unsigned Depth) {
  if (const auto *Load = dyn_cast<LoadInst>(V))
    return Load->getPointerOperand() == Pointer;
  const auto *I = dyn_cast<Instruction>(V);
  return I && Depth > 0 && any_of(I->operands(), [&](const Value *Operand) {
           return readsBack(Operand, Pointer, Depth - 1);
         });
}

/// Bit-fields share units: a write to one reads and writes back its unit.
void AccessNames::adaptUnit(const Access &A, ObjectBits &Of) const {
  constexpr unsigned kDeepest = 6;
  const auto *Store = dyn_cast<StoreInst>(A.At);
  if (!Of.BitField || !Store ||
      readsBack(Store->getValueOperand(), A.Pointer, kDeepest))
    return;
  const uint64_t Unit = A.Bytes * 8;
  Of.First = firstBit(A, Of.Owner).value_or(Of.First / Unit * Unit);
  Of.Bits = Unit;
}

/// True if \p A loads a unit to write a bit-field in it.
bool AccessNames::isForWrite(const Access &A) const {
  const DILocation *Loc = A.At->getDebugLoc();
  if (!Loc || !isa<LoadInst>(A.At))
    return false;
  bool Writes = false;
  for (const MemberFact *Fact : factsAt(*Loc)) {
    if (Fact->Kinds & MemberFact::Read)
      return false;
    Writes |= Fact->BitField && (Fact->Kinds & MemberFact::Write);
  }
  return Writes && any_of(A.At->users(),
                          [](const User *U) { return !isa<StoreInst>(U); });
}

SmallVector<AccessNames::Name, 2> AccessNames::names(const Access &A) const {
  const DILocation *Loc = A.At->getDebugLoc();
  if (isForWrite(A))
    return {};
  Name Found{{}, Loc, roleAt(Loc)};
  std::optional<ObjectBits> Of = direct(A);
  if (Of) {
    widen(A, *Of);
    adaptUnit(A, *Of);
  } else {
    Of = byAnchor(A);
  }
  if (Of) {
    if (isLibrary(Of->Owner))
      if (std::optional<Name> Member = callerMember(Loc))
        return {*Member};
    Found.Of = *Of;
    // An inlined method of a member's class also accesses the member.
    if (std::optional<Name> Member = callerMember(Loc);
        Member && Member->Of.Bits == Of->Owner->Size * 8)
      return {Found, *Member};
    return {Found};
  }
  SmallVector<Name, 2> All;
  Found.OneOf = true;
  bool Partial = false;
  for (const auto &[Pointer, Bits] : alternatives(A.Pointer)) {
    const std::optional<ObjectBits> Each = at(Pointer, Bits, A.Bytes);
    if (!Each) { // unknown ones leave the others possible
      Partial |= !isa<Constant>(Pointer);
      continue;
    }
    Found.Of = *Each;
    if (none_of(All, [&](const Name &N) { return N.Of == *Each; }))
      All.push_back(Found);
  }
  if (All.empty())
    for (const ObjectBits &Each : byUse(A)) {
      Found.Of = Each;
      All.push_back(Found);
      Partial = !isChoice(A);
    }
  if (All.size() == 1)
    All.front().OneOf = false;
  for (Name &Each : All)
    Each.Guess = Partial;
  if (!All.empty())
    return All;
  // A library container accesses its nodes as part of a call on it.
  if (Loc && isInLibrary(*Loc))
    if (std::optional<Name> Member = callerMember(Loc))
      return {*Member};
  if (!A.Read)
    return All;
  // A read somewhere in an object: treat all of the object as read.
  const Value *Root = rootOf(A.Pointer, *Layout).first;
  if (const auto *Gep = dyn_cast<GEPOperator>(Root)) {
    const auto Known =
        Anchors.find(rootOf(Gep->getPointerOperand(), *Layout).first);
    if (Known != Anchors.end()) {
      const TypeInfo *Owner = Known->second.Owner;
      return {Name{
          {Owner, 0, Owner->Size * 8, false}, Loc, Found.Role, true, true}};
    }
  }
  return All;
}

std::optional<AccessNames::Name>
AccessNames::objectOf(const CallBase &Call) const {
  const DILocation *Loc = Call.getDebugLoc();
  if (!Loc || isa<IntrinsicInst>(Call))
    return std::nullopt;
  const auto Found = calledMembers(*Loc);
  if (Found.size() != 1)
    return std::nullopt;
  return Name{Found.front(), Loc, roleAt(Loc), false, true};
}

} // namespace inmem

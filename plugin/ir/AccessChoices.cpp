//===- AccessChoices.cpp - accesses through addresses that are chosen -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/LostReads.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace inmem {

std::pair<const Value *, int64_t>
AccessNames::rootOf(const Value *Pointer, const DataLayout &Layout) {
  if (Pointer->getType()->isVectorTy())
    return {Pointer, 0};
  APInt Offset(Layout.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Root = Pointer->stripAndAccumulateConstantOffsets(
      Layout, Offset, /*AllowNonInbounds=*/true);
  return {Root, Offset.getSExtValue() * 8};
}

/// The numbers that \p Index may be, where they are two.
static std::optional<std::pair<int64_t, int64_t>>
twoValues(const Value *Index) {
  using namespace PatternMatch;
  const APInt *First, *Second;
  if (match(Index, m_Select(m_Value(), m_APInt(First), m_APInt(Second))))
    return std::pair(First->getSExtValue(), Second->getSExtValue());
  const Value *Bit;
  const APInt *By;
  if (match(Index, m_ZExt(m_Value(Bit))) && Bit->getType()->isIntegerTy(1))
    return std::pair<int64_t, int64_t>(0, 1);
  if (match(Index, m_Shl(m_ZExt(m_Value(Bit)), m_APInt(By))) &&
      Bit->getType()->isIntegerTy(1))
    return std::pair<int64_t, int64_t>(0, int64_t{1} << By->getZExtValue());
  return std::nullopt;
}

/// The map that GEPOperator::collectOffset() fills, which LLVM changed.
template <typename Function> struct OffsetsOf;
template <typename Map>
struct OffsetsOf<bool (GEPOperator::*)(const DataLayout &, unsigned, Map &,
                                       APInt &) const> {
  using Type = Map;
};
using VariableOffsets = OffsetsOf<decltype(&GEPOperator::collectOffset)>::Type;

SmallVector<std::pair<const Value *, int64_t>, 4>
AccessNames::alternatives(const Value *Pointer) const {
  constexpr unsigned kMost = 4;
  if (Pointer->getType()->isVectorTy())
    return {};
  const auto [Root, Offset] = rootOf(Pointer, *Layout);
  SmallVector<std::pair<const Value *, int64_t>, 4> Found;
  auto Add = [&, Already = Offset](const Value *Each) {
    const auto [Inner, Distance] = rootOf(Each, *Layout);
    Found.emplace_back(Inner, Distance + Already);
  };
  if (const auto *Choice = dyn_cast<SelectInst>(Root)) {
    Add(Choice->getTrueValue());
    Add(Choice->getFalseValue());
  } else if (const auto *Phi = dyn_cast<PHINode>(Root);
             Phi && Phi->getNumIncomingValues() <= kMost) {
    for (const Value *Each : Phi->incoming_values())
      Add(Each);
  } else if (const auto *Gep = dyn_cast<GEPOperator>(Root)) {
    const unsigned Width = Layout->getIndexTypeSizeInBits(Gep->getType());
    VariableOffsets Variable;
    APInt Constant(Width, 0);
    if (!Gep->collectOffset(*Layout, Width, Variable, Constant) ||
        Variable.size() != 1)
      return {};
    const auto &[Index, Scale] = *Variable.begin();
    const auto Values = twoValues(Index);
    if (!Values)
      return {};
    const auto [Inner, Distance] = rootOf(Gep->getPointerOperand(), *Layout);
    for (const int64_t Value : {Values->first, Values->second})
      Found.emplace_back(Inner, Distance + Offset +
                                    8 * (Constant.getSExtValue() +
                                         Value * Scale.getSExtValue()));
  }
  return Found;
}

bool AccessNames::isChoice(const Access &A) const {
  const DILocation *Loc = A.At->getDebugLoc();
  if (!A.Read || !Loc || A.Pointer->getType()->isVectorTy())
    return false;
  const Value *Root = rootOf(A.Pointer, *Layout).first;
  return isa<SelectInst, PHINode, GEPOperator>(Root) &&
         any_of(factsAt(*Loc), [](const MemberFact *Fact) {
           return Fact->Kinds & MemberFact::Chosen;
         });
}

/// An access without a location. The optimiser drops locations where it merges
/// two accesses. Candidates are members that the function accesses at the same
/// distances from the same kind of object.
SmallVector<ObjectBits, 2> AccessNames::byUse(const Access &A) const {
  const DILocation *Loc = A.At->getDebugLoc();
  const DISubprogram *Subprogram = A.At->getFunction()->getSubprogram();
  if (isChoice(A))
    return chosenAt(*Loc, A);
  if ((Loc && Loc->getLine() && Loc->getColumn()) || !A.Bytes ||
      (!Loc && !Subprogram))
    return {};
  const FunctionFacts *Facts =
      Loc ? indexOf(*Loc).Facts : indexOf(*Subprogram).Facts;
  if (!Facts)
    return {};
  auto Distances = alternatives(A.Pointer);
  if (Distances.empty())
    Distances.push_back(rootOf(A.Pointer, *Layout));
  SmallVector<ObjectBits, 2> Found;
  SmallPtrSet<const TypeInfo *, 4> Tried;
  for (const MemberFact &First : Facts->Members) {
    if (!Tried.insert(First.Owner).second)
      continue;
    SmallVector<ObjectBits, 2> Members;
    for (const auto &[Pointer, Bits] : Distances) {
      const ObjectBits Of{First.Owner, static_cast<uint64_t>(Bits), A.Bytes * 8,
                          false};
      const bool Known = any_of(Facts->Members, [&](const MemberFact &Fact) {
        return Fact.Owner == Of.Owner && Fact.FirstBit == Of.First &&
               Fact.Bits == Of.Bits &&
               (Fact.Kinds & (A.Write ? MemberFact::Write : MemberFact::Read));
      });
      if (Known && !is_contained(Members, Of))
        Members.push_back(Of);
    }
    Found.append(Members);
  }
  return Found;
}

/// The members at a place that chooses between members: those at the distances
/// of the addresses; all, if another pointer than the object's is left.
SmallVector<ObjectBits, 2> AccessNames::chosenAt(const DILocation &Loc,
                                                 const Access &A) const {
  auto Distances = alternatives(A.Pointer);
  if (Distances.empty())
    Distances.push_back(rootOf(A.Pointer, *Layout));
  SmallVector<ObjectBits, 2> All, Fitting;
  for (const MemberFact *Fact : factsAt(Loc)) {
    const ObjectBits Of{Fact->Owner, Fact->FirstBit, Fact->Bits, false};
    if (!(Fact->Kinds & (MemberFact::Chosen | MemberFact::Read)) ||
        Fact->Bits != A.Bytes * 8 || is_contained(All, Of))
      continue;
    All.push_back(Of);
    if (any_of(Distances, [&](const auto &Each) {
          return Each.second == static_cast<int64_t>(Of.First);
        }))
      Fitting.push_back(Of);
  }
  return Fitting.empty() ? All : Fitting;
}

bool AccessNames::isLost(const Access &A, ArrayRef<Name> Found) const {
  if (!A.Read || A.At->getFunction()->hasOptNone() || isForWrite(A))
    return false;
  if (!Found.empty())
    return any_of(Found, [](const Name &Each) { return Each.Guess; });
  const DILocation *Loc = A.At->getDebugLoc();
  if (!Loc || !Loc->getLine() || !Loc->getColumn())
    return true;
  // A loop that copies elements becomes a call at another place.
  if (isa<AnyMemTransferInst>(A.At) && !A.Bytes)
    return true;
  // A function's address in a table of virtual functions.
  if (const auto *Functions =
          dyn_cast<LoadInst>(rootOf(A.Pointer, *Layout).first);
      Functions && LostReads::aliasType(*Functions) == "vtable pointer")
    return false;
  const auto Distances = alternatives(A.Pointer);
  return any_of(factsAt(*Loc),
                [](const MemberFact *Fact) {
                  return Fact->Kinds & (MemberFact::Read | MemberFact::Chosen);
                }) ||
         any_of(Distances,
                [&](const auto &Each) {
                  return Each.second != Distances.front().second;
                }) ||
         !A.At->getMetadata(LLVMContext::MD_tbaa);
}

std::optional<ObjectBits> AccessNames::around(const Access &A) const {
  const std::optional<ObjectBits> Of = direct(A);
  const uint64_t Bits = A.Bytes * 8;
  if (!A.Read || !Of || Of->BitField || Bits <= Of->Bits ||
      firstBit(A, Of->Owner))
    return std::nullopt;
  const uint64_t Before = Bits - Of->Bits;
  ObjectBits Out{Of->Owner, Of->First > Before ? Of->First - Before : 0, 0};
  Out.Bits = std::min(Of->First + Bits, Of->Owner->Size * 8) - Out.First;
  return Out;
}

} // namespace inmem

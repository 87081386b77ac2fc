//===- LostReads.cpp - fields that reads without a name may be of ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/LostReads.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

void LostReads::add(const ObjectBits &Of, const SourceLoc &Where) {
  if (Known.insert({Of.Owner, Of.First, Of.Bits}).second)
    Found.push_back(
        {Of.Owner, Of.First, Of.Bits, Where, INMEM_OBJECT_FIELD_UNCOUNTED});
}

const LostReads::Functions &LostReads::reachedFrom(StringRef Function,
                                                   StringRef Around) {
  const auto [It, New] =
      Reached.try_emplace((Function + "|" + Around).str(), Functions());
  Functions &Into = It->second;
  if (!New)
    return Into;
  CallGraph::Reach Reach = Calls.from(Function);
  // The functions around it may have given it the function to call.
  if (Reach.CallsPointers && Function != Around)
    Reach.Functions.append(Calls.from(Around).Functions);
  if (Reach.Functions.empty()) {
    for (const auto &Entry : Table.functions())
      Into.push_back(&Entry.second);
    return Into;
  }
  for (const StringRef Name : Reach.Functions)
    if (const FunctionFacts *Facts = Table.findFunction(Name))
      Into.push_back(Facts);
  return Into;
}

StringRef LostReads::aliasType(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  const auto *Type = Tag && Tag->getNumOperands() >= 3
                         ? dyn_cast_or_null<MDNode>(Tag->getOperand(1).get())
                         : nullptr;
  const auto *Name = Type && Type->getNumOperands()
                         ? dyn_cast<MDString>(Type->getOperand(0).get())
                         : nullptr;
  return Name ? Name->getString() : "";
}

/// Kinds of values that \p A may read: merged accesses to a pointer and a
/// number have neither's type.
static uint8_t valuesOf(const Access &A) {
  constexpr uint8_t kAny = MemberFact::Pointer | MemberFact::Number;
  const StringRef Name = LostReads::aliasType(*A.At);
  if (!isa<LoadInst>(A.At) || Name.empty() || Name == "omnipotent char" ||
      Name.ends_with("C++ TBAA") || Name.ends_with("C/C++ TBAA"))
    return kAny;
  if (Name == "vtable pointer")
    return 0;
  const bool Pointer = Name.ends_with(" pointer") ||
                       (Name.size() > 2 && Name[0] == 'p' && isDigit(Name[1]));
  return Pointer ? MemberFact::Pointer : MemberFact::Number;
}

void LostReads::add(const Access &A, StringRef Function) {
  const llvm::Function &Around = *A.At->getFunction();
  const uint8_t Values = valuesOf(A);
  // A vector may be of several fields.
  const uint64_t Least = A.At->getType()->isVectorTy() ? 0 : A.Bytes * 8;
  if (!Values ||
      !Done.insert({Function.str(), Around.getName().str(), Least, Values})
           .second)
    return;
  constexpr uint8_t kAny = MemberFact::Pointer | MemberFact::Number;
  for (const FunctionFacts *Facts : reachedFrom(Function, Around.getName()))
    for (const MemberFact &Fact : Facts->Members)
      if ((Fact.Kinds & MemberFact::Read) && !(Fact.Kinds & MemberFact::Copy) &&
          (!(Fact.Kinds & kAny) || (Fact.Kinds & Values)) &&
          (Fact.BitField || Fact.Bits >= Least))
        add({Fact.Owner, Fact.FirstBit, Fact.Bits, Fact.BitField},
            {Around.getParent()->getSourceFileName(), Fact.Line, 0});
}

} // namespace inmem

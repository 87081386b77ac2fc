//===- FieldRules.cpp - Fields that a run did not need --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/Rules.h"
#include "report/model/FieldResult.h"

#include "inmem/abi.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

/// True if no read of the field could have been missed, and if it may go.
bool isSure(const FieldResult &F) {
  return !F.Padding && !F.Opaque && F.exact() && F.Loaded == 0 &&
         F.Of.empty() && !F.Name.empty() && F.Kind != INMEM_FIELD_BITFIELD &&
         F.Kind != INMEM_FIELD_BASE && F.Kind != INMEM_FIELD_VIRTUAL_BASE &&
         F.Kind != INMEM_FIELD_VPTR;
}

bool isUnread(const FieldResult &F) {
  return !F.Class && F.Reads == 0 && F.Copies == 0;
}
bool isCopiedOnly(const FieldResult &F) {
  return !F.Class && F.Reads == 0 && F.Copies > 0;
}
bool isUnused(const FieldResult &F) {
  return F.Class && F.Reads == 0 && F.Copies == 0 && F.Writes == F.Initialised;
}

uint64_t alignTo(uint64_t Bytes, uint64_t Align) {
  return (Bytes + Align - 1) / Align * Align;
}

/// The size of a class without the fields that \p Removed says, the others in
/// their order. Each keeps the alignment that its offset and size show.
template <class Predicate>
uint64_t sizeWithout(const TypeResult &T, Predicate Removed) {
  const uint64_t ClassAlign = std::max<uint64_t>(1, T.Align.value_or(1));
  uint64_t End = 0, Align = 1, Before = 0;
  for (const FieldResult &F : T.Fields) {
    if (F.Padding || Removed(F))
      continue;
    const uint64_t First = F.FirstBit / 8,
                   Bytes = (F.FirstBit % 8 + F.Bits + 7) / 8;
    const uint64_t All = First | Bytes | ClassAlign;
    uint64_t Own = All & (~All + 1);
    // A field of a base stays at its distance from the one before.
    if (F.Kind == INMEM_FIELD_BITFIELD || !F.Of.empty()) {
      End += First >= Before ? First - Before : 0;
      Own = 1;
    }
    End = alignTo(End, Own) + Bytes;
    Align = std::max(Align, Own);
    Before = First + Bytes;
  }
  return std::max<uint64_t>(1, alignTo(End, ClassAlign));
}

/// Bytes of glibc's heap that a block of \p Bytes takes.
uint64_t chunkOf(uint64_t Bytes) {
  constexpr uint64_t kHeader = 8, kAlign = 16, kLeast = 32;
  return std::max(kLeast, alignTo(Bytes + kHeader, kAlign));
}

bool overlap(const std::vector<FieldResult> &Fields) {
  uint64_t End = 0;
  for (const FieldResult &F : Fields) {
    if (F.FirstBit < End)
      return true;
    End = F.FirstBit + F.Bits;
  }
  return false;
}

struct FieldRule {
  RuleId Id;
  bool (*Fits)(const FieldResult &);
  std::string_view One, Several, Advice;
  /// Bytes of what replaces each field.
  uint64_t Replaced = 0;
};

constexpr FieldRule kRules[] = {
    {RuleId::UnreadField, isUnread, "is never read", "are never read",
     "remove what nothing reads, or keep it apart from the objects"},
    {RuleId::CopiedOnlyField, isCopiedOnly, "is only copied", "are only copied",
     "remove what only copies read, or keep it apart from the objects"},
    {RuleId::UnusedMember, isUnused,
     "is constructed and destroyed, nothing else",
     "are constructed and destroyed, nothing else",
     "construct it when it is first used, behind a pointer", sizeof(uint64_t)}};

/// `a`, `a and b`, `a, b and 3 others`
std::string listOf(const std::vector<const FieldResult *> &Fields) {
  constexpr size_t kMost = 3;
  const size_t Named = Fields.size() > kMost + 1 ? kMost : Fields.size();
  std::string Text;
  for (size_t I = 0; I < Named; ++I) {
    const bool Last = I > 0 && I + 1 == Fields.size();
    Text += (I == 0 ? "" : Last ? " and " : ", ") + Fields[I]->Name;
  }
  if (Named < Fields.size())
    Text += fmt::format(" and {} others", Fields.size() - Named);
  return Text;
}

void addFinding(FindingList &Out, size_t Type, const FieldRule &Rule) {
  const TypeResult &T = Out.P.Types[Type];
  const auto Removed = [&](const FieldResult &F) {
    return isSure(F) && Rule.Fits(F);
  };
  std::vector<const FieldResult *> Fields;
  uint64_t Bytes = 0, Writes = 0;
  const FieldResult *Hottest = nullptr;
  for (const FieldResult &F : T.Fields)
    if (Removed(F)) {
      Fields.push_back(&F);
      Bytes += F.Bits / 8;
      Writes += F.Writes;
      if (!Hottest || F.HottestCount > Hottest->HottestCount)
        Hottest = &F;
    }
  const uint64_t Size = *T.Size,
                 Left = alignTo(sizeWithout(T, Removed) +
                                    Fields.size() * Rule.Replaced,
                                std::max<uint64_t>(1, T.Align.value_or(1)));
  if (Fields.empty() || Left >= Size)
    return;
  const bool Alone = T.Elements && *T.Elements == T.Sum.Allocations;
  const uint64_t Each = Alone ? chunkOf(Size) - chunkOf(Left) : Size - Left;
  const uint64_t Objects = T.PeakLiveBytes.value_or(0) / Size;
  constexpr uint64_t kFewest = 100;
  if (Each == 0 || Objects < kFewest)
    return;
  Finding F = Out.of(Rule.Id, Type);
  F.OfObjects = true;
  F.By = Measure::Footprint;
  F.SavesBytes = T.Sum.AllocatedBytes / Size * (Size - Left);
  F.SavesPeakBytes = Objects * Each;
  F.Message = fmt::format("{} ({} of its {} bytes) {}", listOf(Fields), Bytes,
                          Size, Fields.size() == 1 ? Rule.One : Rule.Several);
  if (Rule.Replaced == 0)
    F.Message +=
        Writes > 0 ? ", written " + counted(Writes, "time") : ", never written";
  F.Advice = std::string(Rule.Advice) +
             fmt::format("; an object then takes {} bytes", Left);
  if (Hottest->Hottest.Line > 0) {
    F.Where = Hottest->Hottest;
    return Out.add(std::move(F), nullptr);
  }
  Out.add(std::move(F), Out.siteOf(Type));
}

} // namespace

void findUnneededFields(FindingList &Out) {
  // Reads outside of the chosen part of a run are not known.
  if (!Out.P.FieldsKnown || !Out.P.WholeRun || Out.P.Filtered)
    return;
  for (size_t I = 0; I < Out.P.Types.size(); ++I) {
    const TypeResult &T = Out.P.Types[I];
    if (T.Fields.empty() || T.Size.value_or(0) == 0 || overlap(T.Fields) ||
        std::none_of(T.Fields.begin(), T.Fields.end(),
                     [](const FieldResult &F) { return F.Reads > 0; }))
      continue;
    for (const FieldRule &Rule : kRules)
      addFinding(Out, I, Rule);
  }
}

} // namespace inmem::report

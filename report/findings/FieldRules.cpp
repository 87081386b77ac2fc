//===- FieldRules.cpp - Fields that a run did not need --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/RuleFacts.h"
#include "report/findings/Rules.h"

#include "inmem/abi.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

/// True if no read of the field can have been missed, and the field can be
/// removed.
bool isSure(const FieldResult &F) {
  return !F.Padding && !F.Opaque && !F.ReadInOthers && !F.ReadUncounted &&
         F.exact() && F.Loaded == 0 && F.Of.empty() && !F.Name.empty() &&
         F.Kind != INMEM_FIELD_BITFIELD && F.Kind != INMEM_FIELD_BASE &&
         F.Kind != INMEM_FIELD_VIRTUAL_BASE && F.Kind != INMEM_FIELD_VPTR;
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

/// Bytes of glibc's heap that a block of \p Bytes takes.
uint64_t chunkOf(uint64_t Bytes) {
  constexpr uint64_t kHeader = 8, kAlign = 16, kLeast = 32;
  return std::max(kLeast, alignTo(Bytes + kHeader, kAlign));
}

/// The effect of smaller objects.
struct Reduction {
  uint64_t Objects = 0; ///< at the peaks of the blocks that contain them
  uint64_t Bytes = 0;   ///< bytes of all blocks
  uint64_t PeakBytes = 0;
  std::vector<const TypeResult *> Nodes; ///< types of nodes
};

/// The effect if objects of \p T take \p Left bytes instead of \p Size, both as
/// blocks and in nodes of containers.
Reduction reductionOf(const Profile &P, const TypeResult &T, uint64_t Size,
                      uint64_t Left) {
  const bool Alone = T.Elements && *T.Elements == T.Sum.Allocations;
  const uint64_t Each = Alone ? chunkOf(Size) - chunkOf(Left) : Size - Left;
  Reduction Out;
  Out.Objects = T.PeakLiveBytes.value_or(0) / Size;
  Out.Bytes = T.Sum.AllocatedBytes / Size * (Size - Left);
  Out.PeakBytes = Out.Objects * Each;
  if (!T.Name)
    return Out;
  for (const TypeResult &Node : P.Types) {
    const uint64_t In = Node.Name ? objectsInNode(*Node.Name, *T.Name) : 0,
                   Bytes = Node.Size.value_or(0), Less = In * (Size - Left);
    if (In == 0 || Bytes <= Less)
      continue;
    const uint64_t Nodes = Node.PeakLiveBytes.value_or(0) / Bytes;
    Out.Nodes.push_back(&Node);
    Out.Objects += Nodes * In;
    Out.Bytes += Node.Sum.Allocations * Less;
    Out.PeakBytes += Nodes * (chunkOf(Bytes) - chunkOf(Bytes - Less));
  }
  return Out;
}

struct FieldRule {
  RuleId Id;
  bool (*Fits)(const FieldResult &);
  std::string_view One, Several, Advice;
  /// Bytes of each field's replacement.
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

void addFinding(FindingList &Out, size_t Type, const FieldRule &Rule) {
  const TypeResult &T = Out.P.Types[Type];
  const auto Removed = [&](const FieldResult &F) {
    return isSure(F) && Rule.Fits(F);
  };
  std::vector<const FieldResult *> Fields;
  uint64_t Bytes = 0, Writes = 0;
  const FieldResult *Hottest = nullptr, *Source = nullptr;
  for (const FieldResult &F : T.Fields)
    if (Removed(F)) {
      Fields.push_back(&F);
      Bytes += F.Bits / 8;
      Writes += F.Writes;
      if (!Hottest || F.HottestCount > Hottest->HottestCount)
        Hottest = &F;
      if (!Source && F.InSource.Line > 0)
        Source = &F;
    }
  const uint64_t Size = *T.Size,
                 Left = alignTo(std::max<uint64_t>(1, sizeWithout(T, Removed)) +
                                    Fields.size() * Rule.Replaced,
                                std::max<uint64_t>(1, T.Align.value_or(1)));
  if (Fields.empty() || Left >= Size)
    return;
  const Reduction Saved = reductionOf(Out.P, T, Size, Left);
  constexpr uint64_t kFewest = 100;
  if (Saved.PeakBytes == 0 || Saved.Objects < kFewest)
    return;
  Finding F = Out.of(Rule.Id, Type);
  F.OfObjects = true;
  F.By = Measure::Footprint;
  for (const TypeResult *Node : Saved.Nodes) {
    F.Bytes += Node->Sum.AllocatedBytes;
    F.Allocations += Node->Sum.Allocations;
    F.Sites.insert(F.Sites.end(), Node->Sites.begin(), Node->Sites.end());
  }
  F.SavesBytes = Saved.Bytes;
  F.SavesPeakBytes = Saved.PeakBytes;
  for (const FieldResult *Member : Fields)
    F.Fields.push_back(Member->Name);
  F.Message = fmt::format("{} ({} of its {} bytes) {}", listOf(Fields), Bytes,
                          Size, Fields.size() == 1 ? Rule.One : Rule.Several);
  if (Rule.Replaced == 0)
    F.Message +=
        Writes > 0 ? ", written " + counted(Writes, "time") : ", never written";
  if (Source)
    F.Message += fmt::format("; the source reads {} at {}:{}", Source->Name,
                             std::string_view(Source->InSource.File)
                                 .substr(Source->InSource.File.rfind('/') + 1),
                             Source->InSource.Line);
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
  // Reads outside the chosen part of a run are unknown.
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

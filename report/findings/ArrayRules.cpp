//===- ArrayRules.cpp - Arrays of objects that loops use little of --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/RuleFacts.h"
#include "report/findings/Rules.h"

#include "inmem/abi.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

using Group = std::vector<size_t>; ///< indices into TypeResult::Fields

/// Loop accesses to two fields of the same element.
uint64_t together(const TypeResult &T, size_t A, size_t B) {
  uint64_t Sum = 0;
  for (const StreamResult &Loop : T.Streams)
    Sum += std::min(Loop.Accessed[A], Loop.Accessed[B]);
  return Sum;
}

/// Fields that loops use together, the hottest group first. A field joins the
/// group of a hotter field that half of the loops' iterations access with it.
/// The last group, which may be empty, has fields that loops hardly use.
std::vector<Group> groupsOf(const TypeResult &T) {
  constexpr uint64_t kHardly = 20;
  std::vector<std::pair<uint64_t, size_t>> Used;
  for (size_t I = 0; I < T.Fields.size(); ++I)
    if (!T.Fields[I].Padding)
      Used.emplace_back(together(T, I, I), I);
  std::stable_sort(Used.begin(), Used.end(), [](const auto &A, const auto &B) {
    return A.first > B.first;
  });
  std::vector<Group> Out;
  Group Rest;
  for (const auto &[Accesses, I] : Used) {
    if (Accesses * kHardly < Used.front().first) {
      Rest.push_back(I);
      continue;
    }
    const auto Home =
        std::find_if(Out.begin(), Out.end(), [&, At = I](const Group &G) {
          return together(T, G.front(), At) * 2 >=
                 together(T, G.front(), G.front());
        });
    if (Home == Out.end())
      Out.push_back({I});
    else
      Home->push_back(I);
  }
  Out.push_back(std::move(Rest));
  for (Group &G : Out)
    std::sort(G.begin(), G.end());
  return Out;
}

uint64_t sizeOf(const TypeResult &T, const Group &G) {
  return sizeWithout(T, [&](const FieldResult &F) {
    const auto I = static_cast<size_t>(&F - T.Fields.data());
    return !std::binary_search(G.begin(), G.end(), I);
  });
}

struct Streamed {
  uint64_t Bytes = 0;    ///< bytes of whole elements
  uint64_t Accessed = 0; ///< bytes of the fields that the loops access
  uint64_t Split = 0;    ///< bytes with an array for each group
};

Streamed streamed(const TypeResult &T, const std::vector<Group> &Groups) {
  Streamed Sum;
  std::vector<uint64_t> Sizes;
  Sizes.reserve(Groups.size());
  for (const Group &G : Groups)
    Sizes.push_back(sizeOf(T, G));
  for (const StreamResult &Loop : T.Streams) {
    Sum.Bytes += Loop.Elements * *T.Size;
    for (size_t I = 0; I < T.Fields.size(); ++I)
      if (!T.Fields[I].Padding)
        Sum.Accessed += std::min(Loop.Accessed[I], Loop.Elements) *
                        ((T.Fields[I].Bits + 7) / 8);
    for (size_t I = 0; I < Groups.size(); ++I) {
      uint64_t Most = 0;
      for (const size_t Field : Groups[I])
        Most = std::max(Most, Loop.Accessed[Field]);
      Sum.Split += Most * Sizes[I];
    }
  }
  return Sum;
}

std::string namesOf(const TypeResult &T, const Group &G) {
  std::vector<const FieldResult *> Fields;
  for (const size_t I : G)
    Fields.push_back(&T.Fields[I]);
  return listOf(Fields);
}

/// The arrays that replace the array, one per group.
std::string splitText(const TypeResult &T, const std::vector<Group> &Groups) {
  std::string Text = "split it: ";
  for (size_t I = 0; I + 1 < Groups.size(); ++I)
    Text += fmt::format("{}{} in one array ({} bytes an element)",
                        I == 0 ? "" : ", ", namesOf(T, Groups[I]),
                        sizeOf(T, Groups[I]));
  if (!Groups.back().empty())
    Text += fmt::format(", {} in another ({} bytes)", namesOf(T, Groups.back()),
                        sizeOf(T, Groups.back()));
  return Text;
}

/// True if the class can be split, and its objects are in arrays. Nodes behind
/// pointers are left out: in trials, splitting or reordering them gained
/// nothing (docs/findings.md).
bool isArray(const TypeResult &T) {
  constexpr uint64_t kFewest = 8; // elements of a block
  return T.Size.value_or(0) > 0 && !T.Streams.empty() && T.Elements &&
         T.Sum.Allocations > 0 && *T.Elements >= kFewest * T.Sum.Allocations &&
         !overlap(T.Fields) &&
         std::none_of(T.Fields.begin(), T.Fields.end(),
                      [](const FieldResult &F) {
                        return F.Kind == INMEM_FIELD_VPTR ||
                               F.Kind == INMEM_FIELD_VIRTUAL_BASE;
                      });
}

void addFinding(FindingList &Out, size_t Type) {
  const TypeResult &T = Out.P.Types[Type];
  const std::vector<Group> Groups = groupsOf(T);
  const Streamed Sum = streamed(T, Groups);
  constexpr uint64_t kMegabyte = 1 << 20;
  constexpr uint64_t kCached = kMegabyte / 4; // arrays that stay in a cache
  const uint64_t AtPeak = T.PeakLiveBytes.value_or(0);
  // A single pass through the array is not a pattern.
  if (AtPeak < kCached || Sum.Accessed * 2 >= Sum.Bytes ||
      Sum.Split >= Sum.Bytes || Sum.Bytes < 2 * AtPeak ||
      Sum.Bytes - Sum.Split < kMegabyte)
    return;
  Finding F = Out.of(RuleId::ColdInArray, Type);
  F.OfObjects = true;
  F.By = Measure::Footprint;
  F.SavesStreamedBytes = Sum.Bytes - Sum.Split;
  const double Cold =
      1 - static_cast<double>(Sum.Accessed) / static_cast<double>(Sum.Bytes);
  F.Bytes = static_cast<uint64_t>(Cold * static_cast<double>(AtPeak));
  const uint64_t Each = Sum.Accessed * *T.Size / Sum.Bytes;
  F.Message = fmt::format(
      "loops over its arrays access {} of the {} bytes of an element, {}; "
      "without the rest they stream {} instead of {}",
      Each, *T.Size, namesOf(T, Groups.front()), humanBytes(Sum.Split),
      humanBytes(Sum.Bytes));
  F.Advice = splitText(T, Groups);
  F.Where = T.Streams.front().Where;
  Out.add(std::move(F), nullptr);
}

} // namespace

void findColdInArrays(FindingList &Out) {
  if (!Out.P.FieldsKnown || !Out.P.WholeRun || Out.P.Filtered)
    return;
  for (size_t I = 0; I < Out.P.Types.size(); ++I)
    if (isArray(Out.P.Types[I]))
      addFinding(Out, I);
}

} // namespace inmem::report

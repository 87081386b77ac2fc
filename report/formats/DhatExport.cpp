//===- DhatExport.cpp - The format of DHAT's viewer -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/ExportSamples.h"
#include "report/formats/Json.h"
#include "report/model/FieldResult.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace inmem::report {

namespace {

/// Accesses to the objects of a type (accesses=on).
struct TypeAccesses {
  uint64_t ReadBytes = 0, WrittenBytes = 0;
  /// Accesses to each byte of a block; empty if blocks differ in size.
  std::vector<uint64_t> Bytes;
};

/// \returns nothing if accesses to \p T were not counted
std::optional<TypeAccesses> accessesOf(const TypeResult &T) {
  if (T.Fields.empty())
    return std::nullopt;
  constexpr uint64_t kMostBytes = 1024; // the limit in DHAT
  const uint64_t Size = T.Size.value_or(0);
  const bool Alone = T.Elements && *T.Elements == T.Sum.Allocations;
  TypeAccesses Out;
  if (Alone && Size <= kMostBytes)
    Out.Bytes.resize(Size);
  for (const FieldResult &F : T.Fields) {
    const uint64_t First = F.FirstBit / 8, Last = (F.FirstBit + F.Bits + 7) / 8,
                   Reads = F.Reads + F.Copies;
    Out.ReadBytes += Reads * (Last - First);
    Out.WrittenBytes += F.Writes * (Last - First);
    for (uint64_t I = First; I < std::min(Last, Out.Bytes.size()); ++I)
      Out.Bytes[I] += Reads + F.Writes;
  }
  return Out;
}

/// The part of \p All in proportion to \p Own of \p Sum blocks.
uint64_t shareOf(uint64_t All, uint64_t Own, uint64_t Sum) {
  return Own == Sum ? All
                    : static_cast<uint64_t>(static_cast<double>(All) *
                                            static_cast<double>(Own) /
                                            static_cast<double>(Sum));
}

void putAccesses(Json &Point, const TypeAccesses &All, uint64_t Blocks,
                 uint64_t OfBlocks) {
  constexpr uint64_t kUnknown = 0xffff; // and above: the viewer shows infinity
  Point["rb"] = shareOf(All.ReadBytes, Blocks, OfBlocks);
  Point["wb"] = shareOf(All.WrittenBytes, Blocks, OfBlocks);
  if (All.Bytes.empty())
    return;
  // A run of equal counts is written as the negated length, and the count.
  Json Counts = Json::array();
  for (size_t I = 0; I < All.Bytes.size();) {
    size_t End = I + 1;
    while (End < All.Bytes.size() && All.Bytes[End] == All.Bytes[I])
      ++End;
    if (End - I > 1)
      Counts.push_back(-static_cast<int64_t>(End - I));
    Counts.push_back(
        std::min(kUnknown, shareOf(All.Bytes[I], Blocks, OfBlocks)));
    I = End;
  }
  Point["acc"] = std::move(Counts);
}

} // namespace

/// Version 2 of the viewer's file: totals, and accesses if they were counted.
/// Its other figures (each site's peak) were not counted.
std::string writeDhat(const Profile &P) {
  std::map<std::string, size_t> Index;
  Json Frames = {"[root]"}, Points = Json::array();
  for (const ExportSample &S : samplesOf(P)) {
    Json Stack = Json::array();
    const auto Push = [&](const std::string &Text) {
      const auto [Where, New] = Index.try_emplace(Text, Frames.size());
      if (New)
        Frames.push_back(Text);
      Stack.push_back(Where->second);
    };
    const auto Type =
        std::find_if(P.Types.begin(), P.Types.end(), [&](const TypeResult &T) {
          return !T.Fields.empty() && T.Name && *T.Name == S.Spelling;
        });
    const auto Accesses =
        Type != P.Types.end() ? accessesOf(*Type) : std::nullopt;
    const bool Missing = P.FieldsKnown && !Accesses;
    Push(fmt::format("type {}{}", S.Type,
                     Missing ? " (accesses not counted)" : ""));
    for (const SourceLocation &At : S.Chain)
      Push(frameText(At));
    Json Point = {{"tb", S.Sum.AllocatedBytes},
                  {"tbk", S.Sum.Allocations},
                  {"fs", std::move(Stack)}};
    if (Missing)
      Point["rb"] = Point["wb"] = 0;
    if (Accesses)
      putAccesses(Point, *Accesses, S.Sum.Allocations, Type->Sum.Allocations);
    Points.push_back(std::move(Point));
  }
  const uint64_t Us =
      P.Processes.empty() ? 0 : P.Processes[0].DurationNs.value_or(0) / 1000;
  const Json Out = {{"dhatFileVersion", 2},
                    {"mode", "heap"},
                    {"verb", "Allocated"},
                    {"bklt", false},
                    {"bkacc", P.FieldsKnown},
                    {"tu", "microsecs"},
                    {"Mtu", "secs"},
                    {"cmd", commandOf(P)},
                    {"pid", P.Processes.empty() ? 0 : P.Processes[0].Pid},
                    {"te", Us},
                    {"pps", std::move(Points)},
                    {"ftbl", std::move(Frames)}};
  return Out.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace inmem::report

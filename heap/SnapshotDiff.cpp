//===- SnapshotDiff.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/SnapshotDiff.h"
#include "heap/SnapshotRows.h"
#include "heap/SnapshotViews.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace inmem::heap {

using namespace report;

namespace {

int64_t change(uint64_t Old, uint64_t New) {
  return static_cast<int64_t>(New - Old);
}

/// The object of \p Old that is the same as \p I of \p New; kNoNode if \p I is
/// new.
uint32_t formerly(const Heap &Old, const Heap &New, uint32_t I) {
  const auto At =
      std::lower_bound(Old.Address.begin(), Old.Address.end(), New.Address[I]);
  if (At == Old.Address.end() || *At != New.Address[I])
    return kNoNode;
  const auto Was = static_cast<uint32_t>(At - Old.Address.begin());
  if (Old.Size[Was] != New.Size[I] || Old.SiteOf[Was] != New.SiteOf[I] ||
      Old.typeName(Was) != New.typeName(I))
    return kNoNode;
  // If the snapshots are in the wrong order, no object counts as too young.
  const uint64_t Between = New.Header.UnixNs > Old.Header.UnixNs
                               ? New.Header.UnixNs - Old.Header.UnixNs
                               : 0;
  if (New.AgeUs[I] && (New.AgeUs[I] + 1) * 1000 < Between)
    return kNoNode; // another block at the same address
  return Was;
}

/// Changes by name, the largest first, without unchanged rows.
template <class Change, class Sum>
std::vector<Change> changes(const std::vector<Sum> &Old,
                            const std::vector<Sum> &New, auto NameOfOld,
                            auto NameOfNew) {
  std::map<std::string_view, Change> All;
  const auto Add = [&](std::string_view Name, const Sum &S, int64_t Sign) {
    Change &C = All.try_emplace(Name, Change{Name}).first->second;
    C.Objects += Sign * static_cast<int64_t>(S.Objects);
    C.Bytes += Sign * static_cast<int64_t>(S.Bytes);
    C.Retained += Sign * static_cast<int64_t>(S.Retained);
  };
  for (const Sum &S : New)
    Add(NameOfNew(S), S, 1);
  for (const Sum &S : Old)
    Add(NameOfOld(S), S, -1);
  std::vector<Change> Out;
  for (const auto &[Name, C] : All)
    if (C.Objects || C.Bytes || C.Retained)
      Out.push_back(C);
  std::stable_sort(Out.begin(), Out.end(),
                   [](const Change &X, const Change &Y) {
                     return std::abs(X.Bytes) > std::abs(Y.Bytes);
                   });
  return Out;
}

} // namespace

HeapDiff compare(const Heap &Old, const Analysis &OldA, const Heap &New,
                 const Analysis &NewA) {
  HeapDiff D;
  D.Objects = change(Old.objects(), New.objects());
  D.Bytes = change(OldA.Bytes, NewA.Bytes);
  D.UnreachableBytes = change(OldA.UnreachableBytes, NewA.UnreachableBytes);
  D.Types = changes<TypeChange>(
      OldA.Types, NewA.Types, [](const TypeSum &T) { return T.Type; },
      [](const TypeSum &T) { return T.Type; });
  D.Kinds = changes<KindChange>(
      OldA.Kinds, NewA.Kinds,
      [&](const KindSum &K) { return std::string_view(OldA.Names[K.Name]); },
      [&](const KindSum &K) { return std::string_view(NewA.Names[K.Name]); });
  std::map<std::pair<uint32_t, std::string_view>, Newcomers> Came;
  for (uint32_t I = 0; I < New.objects(); ++I) {
    const uint32_t Was = formerly(Old, New, I);
    if (Was == kNoNode) {
      Newcomers &N = Came[{New.SiteOf[I], New.typeName(I)}];
      N.Type = New.typeName(I);
      N.Site = New.SiteOf[I];
      ++N.Objects;
      N.Bytes += New.Size[I];
    } else if (NewA.Retained[I] != OldA.Retained[Was]) {
      D.Holders.push_back({I, change(OldA.Retained[Was], NewA.Retained[I])});
    }
  }
  std::stable_sort(D.Holders.begin(), D.Holders.end(),
                   [](const HolderChange &X, const HolderChange &Y) {
                     return X.Retained > Y.Retained;
                   });
  for (const auto &[Key, N] : Came)
    D.New.push_back(N);
  std::stable_sort(
      D.New.begin(), D.New.end(),
      [](const Newcomers &X, const Newcomers &Y) { return X.Bytes > Y.Bytes; });
  return D;
}

std::string diffText(const Heap &Old, const Analysis &OldA, const Heap &New,
                     const Analysis &NewA, const Style &Look, size_t Top) {
  const HeapDiff D = compare(Old, OldA, New, NewA);
  std::string Out = fmt::format(
      "{}  {} objects, {}; unreachable {}\n",
      paint(Look, Paint::Bold, "HEAP DIFF"), humanCountDelta(D.Objects),
      humanBytesDelta(D.Bytes),
      Old.isPartial() || New.isPartial() ? "not known: recording was partial"
                                         : humanBytesDelta(D.UnreachableBytes));
  using Cells = std::vector<std::string>;
  Out += titledTable(
      Look, Top, "BY TYPE",
      {nameColumn("type"), {"objects"}, {"bytes"}, {"retained"}}, D.Kinds,
      [](const KindChange &K) -> Cells {
        return {std::string(K.Name), humanCountDelta(K.Objects),
                humanBytesDelta(K.Bytes), humanBytesDelta(K.Retained)};
      },
      "type");
  Out += titledTable(
      Look, Top, "BY DOMINATOR", {nameColumn("holder"), {"retained"}, {"now"}},
      D.Holders,
      [&](const HolderChange &G) -> Cells {
        return {NewA.name(G.Object) +
                    fmt::format(" at {:#x}", New.Address[G.Object]),
                humanBytesDelta(G.Retained),
                humanBytes(NewA.Retained[G.Object])};
      },
      "object");
  Out += titledTable(
      Look, Top, "NEW OBJECTS",
      {nameColumn("type"), {"objects"}, {"bytes"}, locationColumn(1)}, D.New,
      [&](const Newcomers &N) -> Cells {
        return {shownBlocks(New, N.Type, N.Site), humanCount(N.Objects),
                humanBytes(N.Bytes), locationCell(New, Look, N.Site)};
      },
      "place");
  return Out;
}

std::string diffJson(const Heap &Old, const Analysis &OldA, const Heap &New,
                     const Analysis &NewA, size_t Top) {
  const HeapDiff D = compare(Old, OldA, New, NewA);
  Json Out = {{"schema", "inmem-heap-diff/1"},
              {"totals",
               {{"objects", D.Objects},
                {"bytes", D.Bytes},
                {"unreachable_bytes", Old.isPartial() || New.isPartial()
                                          ? Json()
                                          : Json(D.UnreachableBytes)}}}};
  Out["types"] = arrayOf(D.Types, Top, [](const TypeChange &T) -> Json {
    return {{"type", orNull(std::string(T.Type))},
            {"objects", T.Objects},
            {"bytes", T.Bytes},
            {"retained_bytes", T.Retained}};
  });
  Out["dominators"] =
      arrayOf(D.Holders, Top, [&](const HolderChange &G) -> Json {
        return {{"type", orNull(std::string(New.typeName(G.Object)))},
                {"address", New.Address[G.Object]},
                {"retained_bytes", G.Retained},
                {"path", wayText(New, NewA, G.Object)}};
      });
  Out["new"] = arrayOf(D.New, Top, [&](const Newcomers &N) -> Json {
    return {{"type", orNull(std::string(N.Type))},
            {"objects", N.Objects},
            {"bytes", N.Bytes},
            {"place", orNull(locationOf(New, N.Site))}};
  });
  return report::jsonText(Out);
}

} // namespace inmem::heap

//===- ObjectTable.cpp - Objects by class, and their ends -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/TypeFacts.h"
#include "report/names/TypeName.h"
#include "report/text/LocationText.h"
#include "report/text/Sections.h"
#include "trace/text/Names.h"

#include "inmem/abi.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace inmem::report {

void objectSection(Sheet &To, const ReportContext &In) {
  std::vector<const TypeResult *> Rows;
  for (const TypeResult &T : In.P.Types)
    if (T.Objects && T.Objects->constructed() + T.Objects->Destroyed > 0)
      Rows.push_back(&T);
  if (Rows.empty())
    return;
  std::sort(Rows.begin(), Rows.end(), [](auto *A, auto *B) {
    const uint64_t X = A->Objects->constructed(), Y = B->Objects->constructed();
    return X != Y ? X > Y : A < B; // Elements of one vector.
  });
  To.title("OBJECTS");
  Table T;
  T.column({"class", false, true, 0, Paint::Bold, shortenName});
  T.column({"constructed"});
  T.column({"destroyed", true, false, 1});
  T.column({"copied", true, false, 2});
  T.column({"moved", true, false, 3});
  T.column({"heap", true, false, 4});
  T.column({"stack", true, false, 5});
  T.column({"member", true, false, 7});
  T.column({"static", true, false, 8});
  T.column({"other", true, false, 9});
  T.column({"alive", true, false, 1});
  T.column({"peak", true, false, 2});
  const bool Followed = std::any_of(Rows.begin(), Rows.end(), [](auto *R) {
    return R->Objects->DestroyedIn.has_value();
  });
  if (Followed)
    T.column({"median life", true, false, 2});
  const size_t Most =
      std::min(someOf(In.V, Rows.size()), In.V.Top ? In.V.Top : Rows.size());
  const auto Count = [](uint64_t Value) {
    return Value == 0 ? std::string("-") : humanCount(Value);
  };
  for (size_t I = 0; I < Rows.size() && I < Most; ++I) {
    const ObjectCounts &C = *Rows[I]->Objects;
    std::vector<std::string> Cells = {classText(In.S, *Rows[I]),
                                      Count(C.constructed()),
                                      Count(C.Destroyed),
                                      Count(C.Copied),
                                      Count(C.Moved),
                                      Count(C.Heap),
                                      Count(C.Stack),
                                      Count(C.Member),
                                      Count(C.Static),
                                      Count(C.Thread + C.Placed + C.Unknown),
                                      C.alive() ? Count(*C.alive())
                                                : std::string("?")};
    Cells.push_back(C.PeakAlive     ? Count(*C.PeakAlive)
                    : C.PeakAtLeast ? (In.S.Unicode ? "≥" : ">=") +
                                          humanCount(*C.PeakAtLeast)
                                    : std::string("?"));
    if (Followed)
      Cells.push_back(lifetimeText(In, C.Life.P50));
    T.row(std::move(Cells));
  }
  To.table(T);
  if (std::any_of(Rows.begin(), Rows.begin() + static_cast<ptrdiff_t>(Most),
                  [](auto *R) { return !R->Objects->alive(); }))
    To.line(paint(In.S, Paint::Dim,
                  cutEnd(In.S, "  ?: made or destroyed where it is not counted",
                         In.S.Width)));
  To.more(Rows.size() - Most, "class");
}

namespace {

/// Objects constructed at one location that were never destroyed.
struct Survivors {
  uint64_t Count;
  std::string_view How; ///< storage
  std::string Where;
  Apart From;
};

} // namespace

/// The code that constructed a class's undestroyed objects, as up to three
/// locations.
static std::vector<Survivors>
survivorsOf(const ReportContext &In, SiteLines &Lines, const Undestroyed &U) {
  constexpr size_t kLocations = 3;
  const TypeResult &Type = *U.Type;
  const auto Name = [](uint8_t Storage) {
    return trace::nameOf(trace::kStorageNames, Storage);
  };
  std::vector<Survivors> Rows;
  for (const size_t I : U.LiveSites) {
    const SiteResult &Site = In.P.Sites[I];
    if (Rows.size() < kLocations)
      Rows.push_back({Site.Sum.LiveAllocations,
                      Name(INMEM_STORAGE_HEAP),
                      Lines.line(Site),
                      {Site.Where.Column, blocksText(In.S, In.P, Site)}});
  }
  // Objects outside blocks.
  uint64_t Rest = U.atLeast() - std::min(U.atLeast(), U.InLiveBlocks);
  for (const ObjectSite &Site : suspects(*Type.Objects)) {
    if (Rest == 0 || (U.InLiveBlocks > 0 && Site.Storage == INMEM_STORAGE_HEAP))
      continue; // their blocks are already listed
    const uint64_t Made = Site.Alive.value_or(Site.Constructed);
    const bool Library = isSystemPath(Site.Where.File);
    if (Rows.size() < kLocations)
      Rows.push_back(
          {std::min(Made, Rest),
           Name(Site.Storage),
           Library ? "(library code)" : locationText(In.S, Site.Where),
           {Library ? 0 : Site.Where.Column, classText(In.S, Type)}});
    Rest -= std::min(Made, Rest);
  }
  if (Rows.empty())
    Rows.push_back({U.atLeast(), "?", "?", {}});
  return Rows;
}

/// Classes with objects that were not all destroyed, and the code that
/// constructed these.
void undestroyedSection(Sheet &To, const ReportContext &In, SiteLines &Lines) {
  if (!In.P.WholeRun)
    return; // objects may be destroyed later
  const std::vector<Undestroyed> Rows = undestroyed(In.P);
  if (Rows.empty())
    return;
  To.title("NEVER DESTROYED");
  Table T;
  T.column({"alive"});
  T.column({"of", true, false, 2});
  T.column({"class", false, false, 0, Paint::Bold});
  T.column({"objects", true, false, 1});
  T.column({"made", false, false, 1});
  T.column(locationColumn("at", Paint::None, 20, true));
  const size_t Most = someOf(In.V, Rows.size());
  std::vector<std::vector<Survivors>> Each;
  std::vector<std::string> Locations;
  std::vector<Apart> From;
  for (size_t I = 0; I < Most; ++I)
    for (const Survivors &At :
         Each.emplace_back(survivorsOf(In, Lines, Rows[I]))) {
      Locations.push_back(At.Where);
      From.push_back(At.From);
    }
  tellAllApart(Locations, From);
  auto Location = Locations.begin();
  for (size_t I = 0; I < Most; ++I) {
    const TypeResult &Type = *Rows[I].Type;
    std::vector<std::string> Cells = {
        (Rows[I].Alive  ? ""
         : In.S.Unicode ? "≥"
                        : ">=") +
            humanCount(Rows[I].atLeast()),
        humanCount(Type.Objects->constructed()),
        shortenName(In.S, classText(In.S, Type), In.S.Width * 3 / 10)};
    const size_t First = Cells.size();
    for (const Survivors &At : Each[I]) {
      Cells.push_back(humanCount(At.Count));
      Cells.emplace_back(At.How);
      Cells.push_back(*Location++);
      T.row(std::exchange(Cells, std::vector<std::string>(First)));
    }
  }
  To.table(T);
  To.more(Rows.size() - Most, "class");
}

/// Blocks that objects were constructed in: arenas, pools, buffers.
void placedSection(Sheet &To, const ReportContext &In, SiteLines &Lines) {
  std::vector<std::pair<const SiteResult *, std::pair<uint64_t, std::string>>>
      Rows;
  for (const SiteResult &Site : In.P.Sites)
    for (const auto &[Class, Count] : Site.PlacedObjects)
      Rows.push_back({&Site, {Count, Class}});
  if (Rows.empty())
    return;
  std::sort(Rows.begin(), Rows.end(), [](const auto &A, const auto &B) {
    return A.second != B.second ? A.second > B.second : A.first < B.first;
  });
  To.title("OBJECTS IN BLOCKS");
  Table T;
  T.column({"held"});
  T.column({"class", false, false, 0, Paint::Bold});
  T.column({"blocks", true, false, 1});
  T.column({"of", false, false, 1});
  T.column(locationColumn("allocated by"));
  const size_t Room = In.S.Width / 4;
  const size_t Most = someOf(In.V, Rows.size());
  for (size_t I = 0; I < Most; ++I) {
    const SiteResult &Site = *Rows[I].first;
    const TypeResult &Type = In.P.Types[Site.Type];
    // char[4096], if each block is one such array.
    std::string Of = typeText(In.S, Type);
    if (Type.Size.value_or(0) > 0 && Site.Sum.Allocations > 0 &&
        Site.Sum.AllocatedBytes / Site.Sum.Allocations > *Type.Size &&
        Site.Sum.AllocatedBytes % (Site.Sum.Allocations * *Type.Size) == 0)
      Of += fmt::format("[{}]", Site.Sum.AllocatedBytes / Site.Sum.Allocations /
                                    *Type.Size);
    T.row(
        {humanCount(Rows[I].second.first),
         shortenName(In.S, printable(In.S, simplifyName(Rows[I].second.second)),
                     Room),
         humanCount(Site.Sum.Allocations), shortenName(In.S, Of, Room),
         Lines.line(Site)});
  }
  To.table(T);
  To.more(Rows.size() - Most, "row");
}

} // namespace inmem::report

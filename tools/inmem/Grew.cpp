//===- Grew.cpp - inmem ctl PID grew --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Steps.h"

#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Symbolizer.h"
#include "report/base/Units.h"
#include "report/formats/Json.h"
#include "report/model/LibraryCode.h"
#include "report/model/ShownNames.h"
#include "report/text/LocationText.h"
#include "trace/read/Reader.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <thread>

namespace inmem::tools {

using namespace report;

namespace {

/// Live blocks of a site and type.
struct Live {
  int64_t Bytes = 0, Blocks = 0;
};

/// Keyed by entry, with the site in the upper half and the type in the lower.
using LiveByEntry = std::map<uint64_t, Live>;

LiveByEntry liveOf(const trace::Trace &T) {
  LiveByEntry Out;
  for (const trace::Entry &E : T.Entries) {
    if (!T.site(E.Site).ofBlocks())
      continue;
    const trace::RowTotals &R = E.Totals;
    Live &Of = Out[uint64_t{E.Site} << 32 | E.Type];
    Of.Bytes += static_cast<int64_t>(R.Bytes - R.MovedOutBytes - R.FreedBytes);
    Of.Blocks += static_cast<int64_t>(R.Allocations - R.MovedOut - R.Frees);
  }
  return Out;
}

/// A line of the program, and its growth.
struct Grown {
  const SiteResult *Site = nullptr;
  Live By;
};

/// Sorted by bytes, largest first. Lines that did not grow are omitted.
std::vector<Grown> grownBetween(const LiveByEntry &Before,
                                const LiveByEntry &Now, const Profile &P) {
  std::map<size_t, Live> BySite;
  for (const EntryRow &E : P.Entries) {
    const auto At = Now.find(E.Entry);
    if (At == Now.end())
      continue;
    const auto Old = Before.find(E.Entry);
    const Live Was = Old == Before.end() ? Live{} : Old->second;
    BySite[E.Site].Bytes += At->second.Bytes - Was.Bytes;
    BySite[E.Site].Blocks += At->second.Blocks - Was.Blocks;
  }
  std::vector<Grown> Out;
  for (const auto &[Site, By] : BySite)
    if (By.Bytes > 0)
      Out.push_back({&P.Sites[Site], By});
  std::ranges::sort(Out, [](const Grown &A, const Grown &B) {
    return A.By.Bytes != B.By.Bytes ? A.By.Bytes > B.By.Bytes : A.Site < B.Site;
  });
  return Out;
}

int64_t liveBytesOf(const LiveByEntry &M) {
  int64_t Sum = 0;
  for (const auto &[Entry, Of] : M)
    Sum += Of.Bytes;
  return Sum;
}

std::string growthText(const Profile &P, const std::vector<Grown> &Rows,
                       int64_t Before, int64_t Now, double Seconds,
                       const Style &S) {
  const auto Bytes = [](int64_t Value) {
    return humanBytes(static_cast<uint64_t>(std::max<int64_t>(Value, 0)));
  };
  std::string Out =
      fmt::format("in {} s live memory went from {} to {} ({})\n{}\n", Seconds,
                  Bytes(Before), Bytes(Now), humanBytesDelta(Now - Before),
                  Rows.empty() ? "no line keeps more than before"
                               : "these lines keep more than before:");
  if (Rows.empty())
    return Out;
  Table T;
  T.column({"grew by"});
  T.column({"blocks", true, false, 2});
  T.column({"a second", true, false, 3});
  T.column({.Title = "type",
            .Right = false,
            .Importance = 1,
            .With = Paint::Bold,
            .Fit = shortenName,
            .Widest = std::max<size_t>(S.Width * 3 / 10, 10),
            .Names = true});
  T.column(locationColumn("allocated by", Paint::None, 26, true));
  constexpr size_t kMost = 20;
  std::vector<const SiteResult *> Sites;
  for (size_t I = 0; I < std::min(Rows.size(), kMost); ++I)
    Sites.push_back(Rows[I].Site);
  std::vector<std::string> Lines;
  Lines.reserve(Sites.size());
  for (const SiteResult *Site : Sites)
    Lines.push_back(siteText(S, *Site));
  tellApart(Lines, P, Sites);
  for (size_t I = 0; I < Sites.size(); ++I)
    T.row({humanBytesDelta(Rows[I].By.Bytes),
           humanCountDelta(Rows[I].By.Blocks),
           humanRate(static_cast<double>(Rows[I].By.Bytes) / Seconds),
           printable(S, shownBlocks(P, *Sites[I])), std::move(Lines[I])});
  Out += T.render(S);
  if (Rows.size() > kMost)
    Out +=
        moreRows(S, Rows.size() - kMost, "line", {}, "--format json has all") +
        '\n';
  return Out;
}

std::string growthJson(const Profile &P, const std::vector<Grown> &Rows,
                       int64_t Before, int64_t Now, double Seconds) {
  Json Out = {{"schema", "inmem-grew/1"},
              {"seconds", Seconds},
              {"live_bytes_before", Before},
              {"live_bytes", Now},
              {"lines", Json::array()}};
  for (const Grown &G : Rows) {
    const SourceLocation &At = locationOf(*G.Site);
    Out["lines"].push_back({{"type", orNull(P.Types[G.Site->Type].Name)},
                            {"name", shownBlocks(P, *G.Site)},
                            {"function", orNull(At.Function)},
                            {"file", orNull(At.File)},
                            {"line", orNull(At.Line)},
                            {"grew_bytes", G.By.Bytes},
                            {"grew_allocations", G.By.Blocks}});
  }
  return report::jsonText(Out);
}

} // namespace

Outcome printGrowth(const LiveProcess &P, double Seconds, TextOrJson Format) {
  const auto Look = [&P] { return trace::readTraces(P.path()); };
  const auto First = Look();
  if (!First)
    return Outcome::unreadable(First.status());
  const LiveByEntry Before = liveOf(First->front());
  {
    const Progress Working("watching for " + fmt::format("{} s", Seconds));
    std::this_thread::sleep_for(std::chrono::duration<double>(Seconds));
  }
  const auto Last = Look();
  if (!Last)
    return Outcome::unreadable(Last.status());
  const LiveByEntry Now = liveOf(Last->front());
  Symbolizer Symbols;
  ProfileOptions Build;
  Build.Resolver = &Symbols;
  const auto Found = buildProfile(std::span(&Last->front(), 1), Build);
  if (!Found)
    return Outcome::unreadable(Found.status());
  const std::vector<Grown> Rows = grownBetween(Before, Now, *Found);
  const std::string Text =
      Format == TextOrJson::Json
          ? growthJson(*Found, Rows, liveBytesOf(Before), liveBytesOf(Now),
                       Seconds)
          : growthText(*Found, Rows, liveBytesOf(Before), liveBytesOf(Now),
                       Seconds, styleFor(fileno(stdout), ColourMode::Auto));
  if (const auto Done = writeText("", stdout, Text); !Done.ok())
    return Outcome::unwritable(Done);
  return {};
}

} // namespace inmem::tools

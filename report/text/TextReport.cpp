//===- TextReport.cpp - Tables and details --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/TextReport.h"

#include "report/names/TypeName.h"
#include "report/text/FreeReport.h"
#include "report/text/LifeScale.h"
#include "report/text/PhaseReport.h"
#include "report/text/StackReport.h"
#include "report/text/TimelineReport.h"
#include "report/text/Units.h"
#include "trace/Names.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

/// Between function and file in a place.
constexpr std::string_view kBetween = "  ";

std::string joined(const std::vector<std::string> &Words) {
  std::string Out;
  for (const std::string &W : Words)
    Out += (Out.empty() ? "" : " ") + W;
  return Out;
}

class Printer {
public:
  Printer(const Profile &Of, const View &With, const TextOptions &Options)
      : P(Of), V(With), O(Options), S(Options.Look) {
    V.HeapOnly = true; // Objects have a table of their own.
  }

  std::string run();

private:
  void line(std::string_view Text) {
    Out += Text;
    Out += '\n';
  }
  void title(std::string_view Text) {
    line("");
    line(paint(S, Paint::Bold, shorten(S, Text, S.Width)));
  }
  void left(size_t Shown, size_t All, const char *What, uint64_t Bytes);
  std::string life(const std::optional<uint64_t> &Value) const {
    return Value ? humanLife(*Value, P.LifeUnit, S.Unicode) : "-";
  }
  std::string dot() const { return S.Unicode ? " · " : " - "; }
  /// Parts joined by dots, over several lines if need be.
  void wrapped(const std::vector<std::string> &Parts, unsigned Indent);
  void head();
  void typeTable();
  void siteTable();
  void threadTable();
  void bucketTable();
  void details(const TypeResult &T);
  void bars(const TypeResult &T);
  void alive();
  void objects();
  void leakedObjects();
  void heldObjects();
  void copies();

  const Profile &P;
  View V;
  const TextOptions &O;
  const Style &S;
  std::string Out;
};

void Printer::wrapped(const std::vector<std::string> &Parts, unsigned Indent) {
  std::string Line(Indent, ' ');
  size_t Used = Indent;
  bool First = true;
  for (const std::string &Part : Parts) {
    const std::string Fit =
        shorten(S, Part, S.Width > Indent ? S.Width - Indent : 1);
    const size_t Own = displayWidth(Fit);
    if (!First && Used + 3 + Own > S.Width) {
      line(Line);
      Line.assign(Indent, ' ');
      Used = Indent;
      First = true;
    }
    if (!First) {
      Line += dot();
      Used += 3;
    }
    Line += Fit;
    Used += Own;
    First = false;
  }
  line(Line);
}

void Printer::left(size_t Shown, size_t All, const char *What, uint64_t Bytes) {
  if (Shown < All)
    line(
        paint(S, Paint::Dim,
              shorten(S,
                      fmt::format("  {} {} more {} with {} (--top 0 shows all)",
                                  S.Unicode ? "…" : "...", All - Shown, What,
                                  humanBytes(Bytes)),
                      S.Width)));
}

void Printer::head() {
  constexpr size_t kMost = 8;
  for (size_t I = 0; I < P.Processes.size() && I < kMost; ++I) {
    const ProcessResult &One = P.Processes[I];
    std::string Facts = fmt::format("pid {}", One.Pid);
    if (One.DurationNs)
      Facts += dot() + humanLife(*One.DurationNs, Unit::Nanoseconds, S.Unicode);
    if (!One.Complete)
      Facts += dot() + std::string("not complete");
    const size_t Room =
        S.Width > Facts.size() + 14 ? S.Width - Facts.size() - 10 : 12;
    const std::string Command =
        shorten(S, printable(S, joined(One.Command)), Room);
    const char *Lead = P.Processes.size() == 1 ? "inmem  " : "  ";
    line(shorten(S, fmt::format("{}{}  ({})", Lead, Command, Facts), S.Width));
  }
  if (P.Processes.size() > kMost)
    line(fmt::format("  and {} more processes", P.Processes.size() - kMost));
  for (const std::string &Note : P.Notes)
    for (std::string_view Rest = Note; !Rest.empty();) {
      // Wrapped at spaces.
      const size_t Room = S.Width > 10 ? S.Width - 8 : 8;
      size_t Cut = Rest.size();
      if (displayWidth(Rest) > Room) {
        Cut = Rest.rfind(' ', Room);
        if (Cut == std::string_view::npos || Cut == 0)
          Cut = std::min(Room, Rest.size());
      }
      const bool First = Rest.size() == Note.size();
      line(paint(S, Paint::Yellow,
                 shorten(S,
                         (First ? "note: " : "      ") +
                             printable(S, Rest.substr(0, Cut)),
                         S.Width)));
      Rest.remove_prefix(Cut);
      while (Rest.starts_with(' '))
        Rest.remove_prefix(1);
    }
  const Counts &T = P.Totals;
  const auto Named = static_cast<uint64_t>(
      std::count_if(P.Types.begin(), P.Types.end(), [](const TypeResult &Type) {
        return Type.Name && Type.Sum.Allocations > 0;
      }));
  line("");
  Table Sums;
  for (const char *Title : {"", "bytes", "blocks"})
    Sums.column({Title, *Title != '\0', false, 0, Paint::None});
  Sums.column({"", false, true, 0, Paint::Dim});
  Sums.row(
      {"allocated", humanBytes(T.AllocatedBytes), humanCount(T.Allocations),
       T.Allocations > 0
           ? fmt::format("{}, {}, {} a block", counted(P.Sites.size(), "site"),
                         counted(Named, "type"),
                         humanBytes(T.AllocatedBytes / T.Allocations))
           : ""});
  if (T.Estimated)
    Sums.row({"", "± " + humanBytes(T.bytesWithin()),
              "± " + humanCount(T.allocationsWithin()),
              "95 % confidence: blocks were sampled"});
  Sums.row({"freed", humanBytes(T.FreedBytes), humanCount(T.Frees),
            T.Temporary > 0
                ? fmt::format("{} temporary ({})", humanCount(T.Temporary),
                              humanShare(T.Temporary, T.Allocations))
                : ""});
  Sums.row(
      {"still alive", humanBytes(T.LiveBytes), humanCount(T.LiveAllocations),
       T.CarriedAllocations > 0 ? fmt::format("{} blocks from before",
                                              humanCount(T.CarriedAllocations))
                                : ""});
  if (P.Inherited) {
    const Counts &Before = P.Inherited->Sum;
    Sums.row({"before the fork", humanBytes(Before.AllocatedBytes),
              humanCount(Before.Allocations),
              fmt::format("from the parent; {} in {} still alive",
                          humanBytes(Before.LiveBytes),
                          humanCount(Before.LiveAllocations))});
  }
  if (P.PeakLiveBytes)
    Sums.row({"peak", humanBytes(*P.PeakLiveBytes), "",
              P.Processes.size() > 1 ? "sum over processes" : ""});
  Out += Sums.render(S);
}

/// The axis over the rows to be shown; null if none has lifetimes.
std::optional<LifeScale> scaleOf(const std::vector<const Lifetime *> &Lives,
                                 const Profile &P, size_t Width) {
  std::optional<uint64_t> First, Last;
  for (const Lifetime *L : Lives)
    if (L->known()) {
      const uint64_t From =
          std::max(L->Lives.buckets().front().From, L->Min.value_or(0));
      const uint64_t To = L->Max.value_or(L->Lives.buckets().back().To);
      First = First ? std::min(*First, From) : From;
      Last = Last ? std::max(*Last, To) : To;
    }
  if (!First)
    return std::nullopt;
  // Steps below the clock's resolution would only be guessed.
  return LifeScale(P.LifeUnit, std::max(*First, P.Resolution), *Last, Width);
}

void Printer::typeTable() {
  const std::vector<size_t> Rows = selectTypes(P, V);
  std::vector<const Lifetime *> Lives;
  uint64_t Shown = 0, All = 0;
  size_t AllRows = 0;
  for (const size_t I : Rows) {
    Lives.push_back(&P.Types[I].Life);
    Shown += P.Types[I].Sum.AllocatedBytes;
  }
  for (const TypeResult &T : P.Types)
    if (T.Sum.AllocatedBytes >= V.MinBytes &&
        T.Sum.Allocations + T.Sum.CarriedAllocations > 0) {
      All += T.Sum.AllocatedBytes;
      ++AllRows;
    }
  const auto Scale = scaleOf(Lives, P, std::clamp(S.Width / 5, 8u, 32u));
  title("TYPES");
  if (Rows.empty() && P.Totals.Allocations > 0) {
    line("  no type is left (--type takes whole names with std::, or globs: "
         "'*Foo*')");
    return;
  }
  Table T;
  T.column({"type", false, true, 0, Paint::Bold, shortenName});
  T.column({"bytes"});
  T.column({"share", true, false, 4});
  T.column({"blocks"});
  T.column({"live", true, false, 2});
  T.column({"peak", true, false, 5});
  T.column({"p50", true, false, 3});
  T.column({"p99", true, false, 6});
  if (Scale)
    T.column({Scale->axis(S), false, false, 1, Paint::Cyan});
  for (const size_t I : Rows) {
    const TypeResult &R = P.Types[I];
    std::vector<std::string> Cells = {
        typeText(S, R),
        humanBytes(R.Sum.AllocatedBytes),
        humanShare(R.Sum.AllocatedBytes, P.Totals.AllocatedBytes),
        humanCount(R.Sum.Allocations),
        R.Sum.LiveBytes > 0 ? humanBytes(R.Sum.LiveBytes) : "-",
        R.PeakLiveBytes ? humanBytes(*R.PeakLiveBytes) : "?",
        life(R.Life.P50),
        life(R.Life.P99)};
    if (Scale)
      Cells.push_back(Scale->spark(S, R.Life.Lives));
    T.row(std::move(Cells));
  }
  Out += T.render(S);
  left(Rows.size(), AllRows, "types", All - Shown);
}

void Printer::siteTable() {
  const std::vector<size_t> Rows = selectSites(P, V);
  std::vector<const Lifetime *> Lives;
  uint64_t Shown = 0, All = 0;
  size_t AllRows = 0;
  for (const size_t I : Rows) {
    Lives.push_back(&P.Sites[I].Life);
    Shown += P.Sites[I].Sum.AllocatedBytes;
  }
  for (const SiteResult &R : P.Sites)
    if (R.Sum.AllocatedBytes >= V.MinBytes) {
      All += R.Sum.AllocatedBytes;
      ++AllRows;
    }
  const auto Scale = scaleOf(Lives, P, std::clamp(S.Width / 8, 8u, 32u));
  title("SITES");
  Table T;
  T.column({"place", false, true, 0, Paint::Bold, fitPlace, 32});
  T.column({"type", false, false, 2});
  T.column({"bytes"});
  T.column({"share", true, false, 5});
  T.column({"blocks"});
  T.column({"live", true, false, 3});
  T.column({"p50", true, false, 4});
  if (Scale)
    T.column({Scale->axis(S), false, false, 1, Paint::Cyan});
  const size_t TypeRoom = std::max<size_t>(S.Width / 5, 10);
  for (const size_t I : Rows) {
    const SiteResult &R = P.Sites[I];
    std::vector<std::string> Cells = {
        placeText(S, R.Where),
        shortenName(S, typeText(S, P.Types[R.Type]), TypeRoom),
        humanBytes(R.Sum.AllocatedBytes),
        humanShare(R.Sum.AllocatedBytes, P.Totals.AllocatedBytes),
        humanCount(R.Sum.Allocations),
        R.Sum.LiveBytes > 0 ? humanBytes(R.Sum.LiveBytes) : "-",
        life(R.Life.P50)};
    if (Scale)
      Cells.push_back(Scale->spark(S, R.Life.Lives));
    T.row(std::move(Cells));
  }
  Out += T.render(S);
  left(Rows.size(), AllRows, "sites", All - Shown);
}

void Printer::threadTable() {
  const std::vector<size_t> Rows = selectThreads(P, V);
  title("THREADS");
  Table T;
  T.column({"thread", false, true, 0, Paint::Bold});
  if (P.Processes.size() > 1)
    T.column({"pid", true, false, 3});
  T.column({"tid", true, false, 2});
  T.column({"bytes"});
  T.column({"share", true, false, 4});
  T.column({"blocks"});
  T.column({"freed here", true, false, 1});
  T.column({"temporary", true, false, 5});
  uint64_t Shown = 0, All = 0;
  for (const size_t I : Rows) {
    const ThreadResult &R = P.Threads[I];
    Shown += R.AllocatedBytes;
    std::vector<std::string> Cells = {R.Name.empty()
                                          ? fmt::format("thread {}", R.Index)
                                          : printable(S, R.Name)};
    if (P.Processes.size() > 1)
      Cells.push_back(fmt::format("{}", R.Pid));
    Cells.push_back(fmt::format("{}", R.Tid));
    Cells.push_back(humanBytes(R.AllocatedBytes));
    Cells.push_back(humanShare(R.AllocatedBytes, P.Totals.AllocatedBytes));
    Cells.push_back(humanCount(R.Allocations));
    Cells.push_back(humanBytes(R.FreedBytes));
    Cells.push_back(humanCount(R.Temporary));
    T.row(std::move(Cells));
  }
  for (const ThreadResult &R : P.Threads)
    All += R.AllocatedBytes;
  Out += T.render(S);
  left(Rows.size(), P.Threads.size(), "threads", All - Shown);
}

/// The seed's table: bytes:blocks for each class and bucket, and what is
/// alive; sums below.
void Printer::bucketTable() {
  const std::vector<size_t> Rows = selectTypes(P, V);
  title("LIFETIMES (bytes:blocks)");
  const auto Edge = [&](size_t I) {
    return humanLife(V.Edges[I], P.LifeUnit, S.Unicode);
  };
  const auto Cell = [](uint64_t Bytes, uint64_t Count) {
    return Count == 0 ? std::string("-")
                      : humanBytes(Bytes) + ":" + humanCount(Count);
  };
  // Column by column, since wide ones may need several tables.
  std::vector<std::string> Names, Titles;
  std::vector<std::vector<std::string>> Cells;
  for (size_t I = 0; I <= V.Edges.size(); ++I)
    Titles.push_back(I == 0 ? "< " + Edge(0)
                     : I == V.Edges.size()
                         ? (S.Unicode ? "≥ " : ">= ") + Edge(I - 1)
                         : Edge(I - 1) + " - " + Edge(I));
  Titles.emplace_back("live");
  const auto Row = [&](std::string Name, const std::vector<Bucket> &Parts,
                       const Counts &Sum) {
    Names.push_back(std::move(Name));
    Cells.emplace_back();
    for (const Bucket &B : Parts)
      Cells.back().push_back(Cell(B.Bytes, B.Count));
    Cells.back().push_back(Cell(Sum.LiveBytes, Sum.LiveAllocations));
  };
  std::vector<Bucket> Sum(V.Edges.size() + 1);
  Counts All;
  for (const TypeResult &R : P.Types) {
    const auto Parts = R.Life.Lives.between(V.Edges);
    for (size_t J = 0; J < Parts.size(); ++J) {
      Sum[J].Count += Parts[J].Count;
      Sum[J].Bytes += Parts[J].Bytes;
    }
    All.add(R.Sum);
  }
  for (const size_t I : Rows)
    Row(typeText(S, P.Types[I]), P.Types[I].Life.Lives.between(V.Edges),
        P.Types[I].Sum);
  Row("all types", Sum, All);
  constexpr size_t kNameRoom = 20;
  for (size_t First = 0; First < Titles.size();) {
    Table T;
    T.column({"type", false, true, 0, Paint::Bold, shortenName});
    size_t Used = 2 + kNameRoom, Next = First;
    for (; Next < Titles.size(); ++Next) {
      size_t Widest = displayWidth(Titles[Next]);
      for (const auto &Some : Cells)
        Widest = std::max(Widest, displayWidth(Some[Next]));
      if (Used + 2 + Widest > S.Width && Next > First)
        break;
      Used += 2 + Widest;
      T.column({Titles[Next]});
    }
    for (size_t I = 0; I < Names.size(); ++I) {
      std::vector<std::string> Line = {Names[I]};
      Line.insert(Line.end(), Cells[I].begin() + static_cast<ptrdiff_t>(First),
                  Cells[I].begin() + static_cast<ptrdiff_t>(Next));
      T.row(std::move(Line));
    }
    if (First > 0)
      line("");
    Out += T.render(S);
    First = Next;
  }
}

void Printer::bars(const TypeResult &T) {
  if (!T.Life.known() || S.Width < 34) // no room for label and bar
    return;
  // No finer than what the clock told apart.
  std::vector<uint64_t> Edges = barEdges(*T.Life.Min, *T.Life.Max);
  std::erase_if(Edges, [&](uint64_t E) { return E < P.Resolution; });
  const std::vector<Bucket> Rows = T.Life.Lives.between(Edges);
  const uint64_t Whole = T.Life.Count + T.Sum.LiveAllocations;
  uint64_t Most = T.Sum.LiveAllocations;
  for (const Bucket &B : Rows)
    Most = std::max(Most, B.Count);
  const size_t Room =
      std::clamp<size_t>(S.Width > 62 ? S.Width - 62 : 6, 6, 48);
  const auto Row = [&](const std::string &Label, uint64_t Count, uint64_t Bytes,
                       Paint With) {
    const std::string Bar =
        bar(S, static_cast<double>(Count) / static_cast<double>(Most), Room);
    const size_t Pad = Room - std::min(Room, displayWidth(Bar));
    const size_t LabelRoom = 24;
    std::string Left = shorten(S, Label, LabelRoom);
    Left.insert(0, LabelRoom - displayWidth(Left), ' ');
    std::string Text = "  " + Left + (S.Unicode ? " │" : " |");
    Text += paint(S, With, Bar) + std::string(Pad, ' ');
    size_t Used = 2 + LabelRoom + 2 + Room;
    for (const std::string &Figure :
         {fmt::format(" {:>7}", humanShare(Count, Whole)),
          fmt::format(" {:>9}", humanCount(Count)),
          fmt::format(" {:>9}", humanBytes(Bytes))})
      if ((Used += Figure.size()) <= S.Width)
        Text += Figure;
    line(Text);
  };
  // The rows between the first and the last that have blocks.
  size_t First = 0, Last = Rows.size();
  while (First < Last && Rows[First].Count == 0)
    ++First;
  while (Last > First && Rows[Last - 1].Count == 0)
    --Last;
  const auto Name = [&](uint64_t Value) {
    return humanLife(Value, P.LifeUnit, S.Unicode);
  };
  for (size_t I = First; I < Last; ++I) {
    const Bucket &B = Rows[I];
    Row(B.To == ~uint64_t{0}
            ? (S.Unicode ? "≥ " : ">= ") + Name(B.From)
            : Name(B.From) + (S.Unicode ? " – " : " - ") + Name(B.To),
        B.Count, B.Bytes, Paint::Cyan);
  }
  if (T.Sum.LiveAllocations > 0)
    Row("still alive", T.Sum.LiveAllocations, T.Sum.LiveBytes, Paint::Red);
}

void Printer::details(const TypeResult &T) {
  line("");
  const std::string Shown = typeText(S, T);
  line(paint(S, Paint::Bold, shortenName(S, Shown, S.Width)));
  if (T.Name) {
    const std::string Exact = printable(S, *T.Name);
    if (Exact != Shown)
      line("  " + paint(S, Paint::Dim,
                        shorten(S, Exact, S.Width > 2 ? S.Width - 2 : 1)));
  }
  std::vector<std::string> Facts;
  if (T.Size)
    Facts.push_back(exactBytes(*T.Size) + " each");
  Facts.push_back(humanCount(T.Sum.Allocations) +
                  (T.Sum.Allocations == 1 ? " block" : " blocks"));
  if (T.Elements && *T.Elements != T.Sum.Allocations)
    Facts.push_back(humanCount(*T.Elements) + " elements");
  Facts.push_back(humanBytes(T.Sum.AllocatedBytes) + " (" +
                  humanShare(T.Sum.AllocatedBytes, P.Totals.AllocatedBytes) +
                  ")");
  if (T.Sum.Estimated)
    Facts.push_back(fmt::format("± {} blocks, ± {} (95 % confidence)",
                                humanCount(T.Sum.allocationsWithin()),
                                humanBytes(T.Sum.bytesWithin())));
  if (T.PeakLiveBytes)
    Facts.push_back("peak " + humanBytes(*T.PeakLiveBytes));
  if (T.Sum.LiveAllocations > 0)
    Facts.push_back(fmt::format("still alive {} in {}",
                                humanBytes(T.Sum.LiveBytes),
                                humanCount(T.Sum.LiveAllocations)));
  if (T.Sum.Temporary > 0)
    Facts.push_back(humanShare(T.Sum.Temporary, T.Sum.Allocations) +
                    " temporary");
  wrapped(Facts, 2);
  if (T.Life.known()) {
    std::vector<std::string> Lives = {
        (P.LifeUnit == Unit::Bytes ? "lived (bytes allocated meanwhile) "
                                   : "lived ") +
        (*T.Life.Min < P.Resolution
             ? "<" + humanLife(P.Resolution, P.LifeUnit, S.Unicode)
             : life(T.Life.Min)) +
        " to " + life(T.Life.Max)};
    Lives.push_back("mean " + life(T.Life.Mean));
    Lives.push_back("p50 " + life(T.Life.P50));
    Lives.push_back("p90 " + life(T.Life.P90));
    Lives.push_back("p99 " + life(T.Life.P99));
    if (T.Life.Timed < T.Life.Count)
      Lives.push_back(humanShare(T.Life.Timed, T.Life.Count) + " timed");
    wrapped(Lives, 2);
  }
  if (const Lifetime &L = T.LifeInAllocations; L.known())
    wrapped({"lived (allocations made meanwhile) " + humanCount(*L.Min) +
                 " to " + humanCount(*L.Max),
             "mean " + humanCount(*L.Mean), "p50 " + humanCount(*L.P50),
             "p90 " + humanCount(*L.P90), "p99 " + humanCount(*L.P99)},
            2);
  bars(T);
  // Where they come from.
  Table Sites;
  Sites.column({"bytes"});
  Sites.column({"share", true, false, 1});
  Sites.column({"blocks"});
  Sites.column({"live", true, false, 2});
  Sites.column({"made by", false, true, 0, Paint::None, fitPlace});
  size_t Shown2 = 0;
  uint64_t Rest = 0;
  for (const size_t I : T.Sites) {
    const SiteResult &R = P.Sites[I];
    if (Shown2++ >= O.SitesEach) {
      Rest += R.Sum.AllocatedBytes;
      continue;
    }
    Sites.row({humanBytes(R.Sum.AllocatedBytes),
               humanShare(R.Sum.AllocatedBytes, T.Sum.AllocatedBytes),
               humanCount(R.Sum.Allocations),
               R.Sum.LiveBytes > 0 ? humanBytes(R.Sum.LiveBytes) : "-",
               placeText(S, R.Where)});
  }
  if (!Sites.empty())
    Out += Sites.render(S, 4);
  if (T.Sites.size() > O.SitesEach)
    line(paint(
        S, Paint::Dim,
        shorten(S,
                fmt::format("    {} {} more sites with {}",
                            S.Unicode ? "…" : "...",
                            T.Sites.size() - O.SitesEach, humanBytes(Rest)),
                S.Width)));
  constexpr size_t kStacks = 3;
  Out +=
      stacksOfTypeText(P, static_cast<size_t>(&T - P.Types.data()), S, kStacks);
}

void Printer::alive() {
  std::vector<size_t> Rows;
  for (size_t I = 0; I < P.Sites.size(); ++I)
    if (P.Sites[I].Sum.LiveAllocations > 0)
      Rows.push_back(I);
  if (Rows.empty())
    return;
  std::sort(Rows.begin(), Rows.end(), [&](size_t A, size_t B) {
    const uint64_t X = P.Sites[A].Sum.LiveBytes, Y = P.Sites[B].Sum.LiveBytes;
    return X != Y ? X > Y : A < B;
  });
  title("STILL ALIVE AT THE END");
  Table T;
  T.column({"bytes"});
  T.column({"blocks"});
  T.column({"of those made", true, false, 2});
  T.column({"type", false, false, 1, Paint::Bold});
  T.column({"made by", false, true, 0, Paint::None, fitPlace});
  constexpr size_t kMost = 10;
  const size_t All = Rows.size();
  uint64_t Rest = 0;
  for (size_t I = kMost; I < All; ++I)
    Rest += P.Sites[Rows[I]].Sum.LiveBytes;
  Rows.resize(std::min(All, kMost));
  for (const size_t I : Rows) {
    const SiteResult &R = P.Sites[I];
    T.row({humanBytes(R.Sum.LiveBytes), humanCount(R.Sum.LiveAllocations),
           humanShare(R.Sum.LiveAllocations,
                      R.Sum.Allocations + R.Sum.CarriedAllocations),
           shortenName(S, typeText(S, P.Types[R.Type]), S.Width * 3 / 10),
           placeText(S, R.Where)});
  }
  Out += T.render(S);
  if (All > kMost)
    line(paint(S, Paint::Dim,
               shorten(S,
                       fmt::format("  {} {} more sites with {} "
                                   "(--by site --sort live shows all)",
                                   S.Unicode ? "…" : "...", All - kMost,
                                   humanBytes(Rest)),
                       S.Width)));
}

void Printer::objects() {
  std::vector<const TypeResult *> Rows;
  for (const TypeResult &T : P.Types)
    if (T.Objects && T.Objects->constructed() + T.Objects->Destroyed > 0)
      Rows.push_back(&T);
  if (Rows.empty())
    return;
  std::sort(Rows.begin(), Rows.end(), [](auto *A, auto *B) {
    const uint64_t X = A->Objects->constructed(), Y = B->Objects->constructed();
    return X != Y ? X > Y : A < B; // Elements of one vector.
  });
  title("OBJECTS");
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
  const size_t Most = V.Top == 0 ? Rows.size() : std::min<size_t>(V.Top, 10);
  const auto Count = [](uint64_t Value) {
    return Value == 0 ? std::string("-") : humanCount(Value);
  };
  for (size_t I = 0; I < Rows.size() && I < Most; ++I) {
    const ObjectCounts &C = *Rows[I]->Objects;
    std::vector<std::string> Cells = {classText(S, *Rows[I]),
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
    Cells.push_back(C.PeakAlive ? Count(*C.PeakAlive)
                    : C.PeakAtLeast
                        ? (S.Unicode ? "≥" : ">=") + humanCount(*C.PeakAtLeast)
                        : std::string("?"));
    if (Followed)
      Cells.push_back(life(C.Life.P50));
    T.row(std::move(Cells));
  }
  Out += T.render(S);
  if (Rows.size() > Most)
    line(paint(S, Paint::Dim,
               fmt::format("  {} {} more classes", S.Unicode ? "…" : "...",
                           Rows.size() - Most)));
}

/// The places that made what is still alive, most first; all places where
/// objects were not followed.
static std::vector<ObjectSite> suspects(const ObjectCounts &Objects) {
  std::vector<ObjectSite> Sites = Objects.Sites;
  if (Objects.DestroyedIn)
    std::erase_if(Sites, [](const ObjectSite &S) { return S.Alive == 0; });
  std::stable_sort(Sites.begin(), Sites.end(),
                   [](const auto &A, const auto &B) {
                     return A.Alive.value_or(0) > B.Alive.value_or(0);
                   });
  return Sites;
}

/// Classes whose objects did not all meet their destructor, and where such
/// objects come from.
void Printer::leakedObjects() {
  if (!P.WholeRun)
    return; // They may be later.
  std::vector<const TypeResult *> Rows;
  for (const TypeResult &T : P.Types)
    if (T.Objects && T.Objects->alive().value_or(0) > 0)
      Rows.push_back(&T);
  if (Rows.empty())
    return;
  std::sort(Rows.begin(), Rows.end(), [](auto *A, auto *B) {
    const uint64_t X = *A->Objects->alive(), Y = *B->Objects->alive();
    return X != Y ? X > Y : A < B; // Elements of one vector.
  });
  title("NEVER DESTROYED");
  Table T;
  T.column({"alive"});
  T.column({"of", true, false, 2});
  T.column({"class", false, true, 0, Paint::Bold, shortenName});
  T.column({"in live blocks", true, false, 3});
  T.column({"made at", false, true, 1});
  constexpr size_t kMost = 10, kSites = 3;
  for (size_t I = 0; I < Rows.size() && I < kMost; ++I) {
    const TypeResult &Type = *Rows[I];
    uint64_t Blocks = 0;
    for (const size_t Site : Type.Sites)
      Blocks += P.Sites[Site].Sum.LiveAllocations;
    const std::vector<ObjectSite> Sites = suspects(*Type.Objects);
    for (size_t K = 0; K < std::max<size_t>(1, std::min(Sites.size(), kSites));
         ++K) {
      const std::string Where =
          K < Sites.size()
              ? fmt::format(
                    "{} ({}, {})", placeText(S, Sites[K].Where),
                    humanCount(Sites[K].Alive.value_or(Sites[K].Constructed)),
                    trace::nameOf(trace::kStorageNames, Sites[K].Storage))
              : std::string("?");
      if (K == 0)
        T.row({humanCount(*Type.Objects->alive()),
               humanCount(Type.Objects->constructed()), classText(S, Type),
               Blocks == 0 ? std::string("-") : humanCount(Blocks), Where});
      else
        T.row({"", "", "", "", Where});
    }
  }
  Out += T.render(S);
  if (Rows.size() > kMost)
    line(paint(S, Paint::Dim,
               fmt::format("  {} {} more classes", S.Unicode ? "…" : "...",
                           Rows.size() - kMost)));
}

/// Blocks that objects were constructed in: arenas, pools, buffers.
void Printer::heldObjects() {
  std::vector<std::pair<const SiteResult *, std::pair<uint64_t, std::string>>>
      Rows;
  for (const SiteResult &Site : P.Sites)
    for (const auto &[Class, Count] : Site.Held)
      Rows.push_back({&Site, {Count, Class}});
  if (Rows.empty())
    return;
  std::sort(Rows.begin(), Rows.end(), [](const auto &A, const auto &B) {
    return A.second != B.second ? A.second > B.second : A.first < B.first;
  });
  title("OBJECTS IN BLOCKS");
  Table T;
  T.column({"held"});
  T.column({"class", false, true, 0, Paint::Bold, shortenName});
  T.column({"blocks", true, false, 1});
  T.column({"of", false, true, 1, Paint::None, shortenName});
  T.column({"made at", false, true, 1});
  constexpr size_t kMost = 10;
  for (size_t I = 0; I < Rows.size() && I < kMost; ++I) {
    const SiteResult &Site = *Rows[I].first;
    const TypeResult &Type = P.Types[Site.Type];
    // char[4096], where each block is one such array.
    std::string Of = typeText(S, Type);
    if (Type.Size.value_or(0) > 0 && Site.Sum.Allocations > 0 &&
        Site.Sum.AllocatedBytes / Site.Sum.Allocations > *Type.Size &&
        Site.Sum.AllocatedBytes % (Site.Sum.Allocations * *Type.Size) == 0)
      Of += fmt::format("[{}]", Site.Sum.AllocatedBytes / Site.Sum.Allocations /
                                    *Type.Size);
    T.row({humanCount(Rows[I].second.first),
           printable(S, simplifyName(Rows[I].second.second)),
           humanCount(Site.Sum.Allocations), Of, placeText(S, Site.Where)});
  }
  Out += T.render(S);
}

void Printer::copies() {
  const std::vector<CopyRow> Rows = copyRows(P);
  if (Rows.empty())
    return;
  title("COPIES");
  Table T;
  T.column({"copies"});
  T.column({"bytes"});
  T.column({"class", false, true, 0, Paint::Bold, shortenName});
  T.column({"into", true, false, 2});
  // Known with objects=lifetime only.
  const bool Inner = std::any_of(Rows.begin(), Rows.end(), [](auto &R) {
    return R.Site->InnerAllocations.has_value();
  });
  if (Inner) {
    T.column({"allocations"});
    T.column({"allocated"});
  }
  T.column({"where", false, true, 1});
  constexpr size_t kMost = 10;
  for (size_t I = 0; I < Rows.size() && I < kMost; ++I) {
    const TypeResult &Type = P.Types[Rows[I].Type];
    const ObjectSite &Site = *Rows[I].Site;
    std::vector<std::string> Cells = {
        humanCount(Site.Constructed),
        Type.Size ? humanBytes(Site.Constructed * *Type.Size)
                  : std::string("?"),
        classText(S, Type),
        std::string(trace::nameOf(trace::kStorageNames, Site.Storage))};
    if (Inner) {
      Cells.push_back(Site.InnerAllocations ? humanCount(*Site.InnerAllocations)
                                            : "?");
      Cells.push_back(Site.InnerBytes ? humanBytes(*Site.InnerBytes) : "?");
    }
    Cells.push_back(placeText(S, Site.Where));
    T.row(std::move(Cells));
  }
  Out += T.render(S);
  if (Rows.size() > kMost)
    line(paint(S, Paint::Dim,
               fmt::format("  {} {} more places", S.Unicode ? "…" : "...",
                           Rows.size() - kMost)));
}

std::string Printer::run() {
  if (!O.Plain)
    head();
  for (const By What : V.Tables) {
    if (What == By::Type) {
      if (!V.Edges.empty())
        bucketTable();
      else
        typeTable();
    } else if (What == By::Site) {
      siteTable();
    } else if (What == By::Stack) {
      title(V.Stacks.BottomUp ? "CALL STACKS, allocating function first"
                              : "CALL STACKS");
      Out += stackTreeText(P, V, S);
    } else if (What == By::Blame) {
      title("BLAME");
      Out += blameText(P, V, S);
    } else if (What == By::Frees) {
      title("WHO FREES");
      Out += freesText(P, V, S);
    } else if (What == By::Thread) {
      threadTable();
    } else {
      Out += What == By::Phase ? phaseTable(P, V, S) : timelineTable(P, V, S);
    }
  }
  if (O.Plain)
    return std::move(Out);
  if (V.shows(By::Type)) {
    const std::vector<size_t> Rows = selectTypes(P, V);
    if (O.Details > 0 && !Rows.empty()) {
      title("DETAILS");
      for (size_t I = 0; I < Rows.size() && I < O.Details; ++I)
        details(P.Types[Rows[I]]);
    }
    objects();
    copies();
    leakedObjects();
    heldObjects();
    if (!V.shows(By::Phase))
      Out += phaseTable(P, V, S);
    if (!V.shows(By::Time) && hasSummaries(P))
      Out += timelineTable(P, V, S);
  }
  alive();
  return std::move(Out);
}

} // namespace

/// A class by its own name: an alias that a type has from the blocks it is in
/// (`std::vector<Foo> buffer`) says nothing of its objects.
std::string classText(const Style &S, const TypeResult &T) {
  if (!T.Name)
    return "(unknown type)";
  const std::string Alias = aliasOf(*T.Name);
  return printable(S, Alias.empty() ? simplifyName(*T.Name) : Alias);
}

std::string typeText(const Style &S, const TypeResult &T) {
  if (!T.Name)
    return "(unknown type)";
  return printable(S, T.Alias.empty() ? simplifyName(*T.Name) : T.Alias);
}

std::string placeText(const Style &S, const Place &P) {
  const std::string Function = printable(S, shortFunction(P.Function));
  std::string Where = printable(S, P.File);
  if (P.Line != 0)
    Where += ':' + std::to_string(P.Line);
  if (Function.empty() || Where.empty())
    return Function.empty() && Where.empty() ? "?" : Function + Where;
  return Function + std::string(kBetween) + Where;
}

/// How wide a function is if nothing is left of its argument lists.
static size_t widthWithoutArguments(std::string_view Name, size_t Gap) {
  size_t Width = 0;
  int Depth = 0;
  for (size_t At = 0; At < Name.size(); ++At) {
    const bool Operator = Name.substr(0, At).ends_with("operator") ||
                          Name.substr(0, At).ends_with("operator<") ||
                          Name.substr(0, At).ends_with("operator-");
    if (Name[At] == '>' && !Operator && Depth > 0)
      Width += --Depth == 0 ? Gap : 0;
    if (Depth == 0 && (static_cast<unsigned char>(Name[At]) & 0xc0) != 0x80)
      ++Width;
    if (Name[At] == '<' && !Operator)
      ++Depth;
  }
  return Width;
}

/// Cuts arguments of templates where that is enough, and drops namespaces and
/// classes from the front where it is not: `Map<…>::put`, `…Cache::put`.
static std::string shortenFunction(const Style &S, std::string_view Name,
                                   size_t Width) {
  const std::string Gap = S.Unicode ? "…" : "..";
  for (std::string_view Rest = Name;;) {
    const std::string Mark = Rest.size() < Name.size() ? Gap : std::string();
    const size_t Room = Width - std::min(Width - 1, displayWidth(Mark));
    if (widthWithoutArguments(Rest, displayWidth(Gap)) <= Room)
      return Mark + shortenName(S, Rest, Room);
    int Depth = 0;
    size_t At = 0;
    for (; At + 1 < Rest.size(); ++At) {
      if (Rest[At] == '<' || Rest[At] == '(')
        ++Depth;
      else if (Rest[At] == '>' || Rest[At] == ')')
        --Depth;
      else if (Depth == 0 && Rest[At] == ':' && Rest[At + 1] == ':')
        break;
    }
    if (At + 1 >= Rest.size())
      return Mark + shortenName(S, Rest, Room);
    Rest.remove_prefix(At + 2);
  }
}

std::pair<std::string_view, std::string_view>
splitPlace(std::string_view Text) {
  const size_t Between = Text.rfind(kBetween);
  if (Between == std::string_view::npos)
    return {Text, {}};
  return {Text.substr(0, Between), Text.substr(Between + kBetween.size())};
}

std::string fitPath(const Style &S, std::string_view Path, size_t Width) {
  if (displayWidth(Path) <= Width)
    return std::string(Path);
  std::string Out(Path);
  if (const size_t Slash = Path.rfind('/'); Slash != std::string_view::npos) {
    size_t From = Slash + 1;
    for (size_t I = Slash; I-- > 0;)
      if (Path[I] == '/' && displayWidth(Path.substr(I + 1)) + 2 <= Width)
        From = I + 1; // As many directories as fit.
    Out = (S.Unicode ? "…/" : "../") + Out.substr(From);
  }
  return shorten(S, Out, Width);
}

std::string fitPlace(const Style &S, std::string_view Text, size_t Width) {
  if (displayWidth(Text) <= Width)
    return std::string(Text);
  const auto [Function, Path] = splitPlace(Text);
  if (Path.empty())
    return shortenFunction(S, Text, Width);
  // A path's end matters most, so its directories go first; the function may
  // keep half of the room.
  const size_t Room = Width > 2 ? Width - 2 : 1;
  const std::string_view Base = Path.substr(Path.rfind('/') + 1);
  const std::string Where =
      fitPath(S, Path,
              std::max(Room - std::min(Room * 3 / 5, displayWidth(Function)),
                       std::min(Room * 3 / 5, displayWidth(Base) + 2)));
  const size_t Left = Room - std::min(Room, displayWidth(Where));
  const std::string Short = displayWidth(Function) <= Left
                                ? std::string(Function)
                                : shortenFunction(S, Function, Left);
  return Short + std::string(kBetween) + Where;
}

std::string printText(const Profile &P, const View &V,
                      const TextOptions &Options) {
  return Printer(P, V, Options).run();
}

} // namespace inmem::report

//===- CheckText.cpp - Checks on a terminal -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/compare/CheckReport.h"
#include "report/text/LocationText.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace inmem::report {

namespace {

/// The limit's location, before a name that will be cut: names that are cut
/// alike can still be distinguished.
std::string lineOf(const Limit &L, const Style &S) {
  return L.At.Line == 0 || displayWidth(L.str()) <= S.Width / 2
             ? ""
             : fmt::format("line {}: ", L.At.Line);
}

/// Shortens a limit's subject and keeps the limited metric.
std::string fitLimit(const Style &S, std::string_view Text, size_t Width) {
  const size_t Word = std::min(Text.rfind(' '), Text.size());
  const std::string_view What = Text.substr(Word);
  constexpr size_t kLeast = 6;
  if (displayWidth(Text) <= Width || displayWidth(What) + kLeast > Width)
    return cutEnd(S, Text, Width);
  return cutEnd(S, Text.substr(0, Word), Width - displayWidth(What)) +
         std::string(What);
}

/// `≤ 16.0 KiB`.
std::string allowedText(const Verdict &V, const Style &S) {
  const Limit &L = *V.Of;
  const bool Known = V.Is != Verdict::Kind::Unknown;
  const bool Most = V.Is == Verdict::Kind::Above || (!Known && L.Max);
  const std::string_view Sign =
      Most ? (S.Unicode ? "≤ " : "<= ") : (S.Unicode ? "≥ " : ">= ");
  return std::string(Sign) + shortFigure(L,
                                         Known   ? bound(V)
                                         : L.Max ? *L.Max
                                                 : L.Min.value_or(0),
                                         S.Unicode);
}

std::string foundText(const Verdict &V, const Style &S) {
  return V.Is == Verdict::Kind::Unknown
             ? "unknown"
             : shortFigure(*V.Of, V.Value.value_or(0), S.Unicode);
}

/// Shortens the name in `bytes of std::map<…>`, not the metric.
std::string fitWords(const Style &S, std::string_view Text, size_t Width) {
  const size_t Name = Limit::nameIn(Text);
  constexpr size_t kLeast = 6;
  if (displayWidth(Text) <= Width || Name + kLeast > Width)
    return cutEnd(S, Text, Width);
  return std::string(Text.substr(0, Name)) +
         shortenName(S, Text.substr(Name), Width - Name);
}

/// The lines of the first \p Most sites of a figure. If lines of one type read
/// the same, they get columns.
std::vector<std::string> linesOf(const Verdict &V, size_t Most,
                                 const Style &S) {
  constexpr char kBetween = '\n'; // occurs in no name
  std::vector<std::string> Lines;
  std::vector<Apart> From;
  for (size_t I = 0; I < Most; ++I) {
    const Contributor &C = V.From[I];
    Lines.push_back(C.Type + kBetween + locationText(S, C.Where));
    From.push_back({C.Where.Line ? C.Where.Column : 0, {}});
  }
  tellAllApart(Lines, From);
  for (std::string &Line : Lines)
    Line.erase(0, Line.find(kBetween) + 1);
  return Lines;
}

/// The sites that contribute to a figure, the largest first.
void printParts(std::string &Out, const Verdict &V, const Style &S) {
  const Limit &L = *V.Of;
  if (V.From.empty())
    return;
  Table T;
  T.column({std::string(V.Figure)});
  const bool Compared = V.From.front().Before.has_value();
  if (Compared)
    T.column({"change"});
  T.column({"type", false, false, 1});
  T.column(locationColumn("allocated by"));
  constexpr size_t kShown = 5;
  const size_t Most = std::min(V.From.size(), kShown);
  const std::vector<std::string> Lines = linesOf(V, Most, S);
  for (size_t I = 0; I < Most; ++I) {
    const Contributor &C = V.From[I];
    std::vector<std::string> Cells = {shortFigure(L, C.Value, S.Unicode)};
    if (Compared)
      Cells.push_back(changeOf(L, C, S.Unicode));
    Cells.push_back(shortenName(S, printable(S, C.Type), S.Width / 3));
    Cells.push_back(Lines[I]);
    T.row(std::move(Cells));
  }
  Out += T.render(S);
}

void printWhere(std::string &Out, const CheckResult &R, const Verdict &V,
                const Style &S) {
  const Limit &L = *V.Of;
  const std::string Name = printable(S, L.str()),
                    At = printable(S, where(R, L));
  std::string Title = paint(S, Paint::Bold, cutEnd(S, Name, S.Width));
  if (!At.empty()) {
    const bool Fits = displayWidth(Name) + 2 + displayWidth(At) <= S.Width;
    Title += Fits ? "  " : "\n  ";
    Title += paint(S, Paint::Dim, fitPath(S, At, S.Width - 2));
  }
  Out += '\n' + Title + '\n';
  if (!L.Because.empty())
    Out += "  " + printable(S, L.Because) + '\n';
  if (!V.Reason.empty())
    Out += "  " + printable(S, V.Reason) + '\n';
  printParts(Out, V, S);
}

/// The limits that a cause breaks besides the worst, as many as fit on a line.
std::string alsoText(const Cause &C, const Style &S) {
  constexpr size_t kIndent = 2, kMore = 10; // `, 100 more`
  std::string Out;
  for (size_t I = 1; I < C.Broken.size(); ++I) {
    const std::string Excess = excessOf(*C.Broken[I], S.Unicode);
    const std::string One = printable(S, C.Broken[I]->Of->words()) +
                            (Excess.empty() ? "" : " " + Excess);
    const bool Last = I + 1 == C.Broken.size();
    if (I > 1 && displayWidth(Out) + displayWidth(One) + kIndent + 2 +
                         (Last ? 0 : kMore) >
                     S.Width)
      return Out + fmt::format(", {} more", C.Broken.size() - I);
    Out += (I == 1 ? "also " : ", ") + One;
  }
  return Out;
}

/// Explanations of the worst limit, and reasons why others are unknown.
std::vector<std::string> reasonsOf(const Cause &C, const Style &S) {
  std::vector<std::string> Out;
  const auto Add = [&](std::string_view Text) {
    if (std::string Line = printable(S, Text);
        !Line.empty() && std::ranges::find(Out, Line) == Out.end())
      Out.push_back(std::move(Line));
  };
  Add(C.Broken[0]->Of->Because);
  for (const Verdict *V : C.Broken)
    Add(V->Reason);
  return Out;
}

/// A cause in detail; empty if its row has all of it.
std::string causeDetails(const CheckResult &R, const Cause &C, const Style &S) {
  const Verdict &Worst = *C.Broken[0];
  std::string Out;
  if (const std::string Also = alsoText(C, S); !Also.empty())
    Out += "  " + cutEnd(S, Also, S.Width - 2) + '\n';
  for (const std::string &Reason : reasonsOf(C, S))
    Out += "  " + cutEnd(S, Reason, S.Width - 2) + '\n';
  if (Worst.From.size() > 1)
    printParts(Out, Worst, S);
  if (Out.empty())
    return Out;
  const std::string Name = printable(S, Worst.Of->words()),
                    At = printable(S, where(R, *Worst.Of));
  std::string Title = paint(S, Paint::Bold, fitWords(S, Name, S.Width));
  if (!At.empty()) {
    const bool Fits = displayWidth(Name) + 2 + displayWidth(At) <= S.Width;
    Title += Fits ? "  " : "\n  ";
    Title += paint(S, Paint::Dim, fitPath(S, At, S.Width - 2));
  }
  return '\n' + Title + '\n' + Out;
}

/// A row for each cause, the largest excess first.
std::string causesText(const CheckResult &R, const std::vector<Cause> &Causes,
                       const Style &S) {
  Table T;
  T.column({"over"});
  T.column({.Title = "broken limit",
            .Right = false,
            .Flexible = true,
            .With = Paint::Red,
            .Fit = fitWords,
            .Narrowest = 24});
  T.column({"allowed", true, false, 2});
  T.column({"found", true, false, 1});
  T.column({"limits", true, false, 3});
  T.column({.Title = "type",
            .Right = false,
            .Flexible = true,
            .Importance = 4,
            .Fit = shortenName,
            .Widest = S.Width / 4,
            .Names = true});
  T.column(locationColumn("allocated by"));
  std::string Details;
  for (const Cause &C : Causes) {
    const Verdict &Worst = *C.Broken[0];
    T.row({excessOf(Worst, S.Unicode), printable(S, Worst.Of->words()),
           allowedText(Worst, S), foundText(Worst, S),
           std::to_string(C.Broken.size()),
           C.From ? printable(S, C.From->Type) : "",
           C.From ? locationText(S, C.From->Where) : ""});
    Details += causeDetails(R, C, S);
  }
  return T.empty() ? "" : T.render(S) + Details;
}

/// A row for each broken limit, by its key.
std::string keysText(const CheckResult &R, const RunVerdicts &Of,
                     const Style &S) {
  Table T;
  T.column({"broken limit", false, true, 0, Paint::Red, fitLimit});
  T.column({"allowed"});
  T.column({"found"});
  T.column({"over", true, false, 1});
  std::string Details;
  // Several limits on one subject usually break in one place.
  std::set<std::string> Told;
  for (const Verdict &V : Of.All) {
    if (V.holds())
      continue;
    const Limit &L = *V.Of;
    const bool Known = V.Is != Verdict::Kind::Unknown;
    const bool Above = V.Is == Verdict::Kind::Above;
    T.row({lineOf(L, S) + printable(S, L.str()), allowedText(V, S),
           foundText(V, S),
           Known ? (Above ? "+" : "-") + shortFigure(L, distance(V), S.Unicode)
                 : ""});
    const std::string Location =
        V.From.empty() ? L.str() : locationOf(V.From[0].Where);
    const std::string Figure = L.What == Metric::PeakBytes ||
                                       L.What == Metric::PeakRss ||
                                       L.What == Metric::Alive
                                   ? std::string(V.Figure)
                                   : std::string();
    if (Told.insert(fmt::format("{}\n{}\n{}", L.Of.str(), Figure, Location))
            .second)
      printWhere(Details, R, V, S);
  }
  return T.empty() ? "" : T.render(S) + Details;
}

} // namespace

std::string printCheckText(const CheckResult &R, const Style &S,
                           CheckRows Shown) {
  std::string Out;
  size_t Rows = Shown == CheckRows::Keys ? R.broken() : 0;
  for (const RunVerdicts &Of : R.Runs) {
    for (const std::string &Note : Of.Notes)
      Out += "note: " + printable(S, Note) + '\n';
    for (const Verdict &V : Of.All)
      if (!V.Matched && V.Of->Because.empty())
        Out += fmt::format("note: {}: {} matches nothing in {}\n",
                           printable(S, where(R, *V.Of)),
                           printable(S, V.Of->Of.str()), printable(S, Of.Run));
    std::string Broken;
    if (Shown == CheckRows::Causes) {
      const std::vector<Cause> Causes = causesOf(Of);
      Rows += Causes.size();
      Broken = causesText(R, Causes, S);
    } else {
      Broken = keysText(R, Of, S);
    }
    if (Broken.empty())
      continue;
    if (R.Runs.size() > 1)
      Out += printable(S, Of.Run) + ":\n";
    Out += Broken + '\n';
  }
  const size_t Broken = R.broken(), All = R.limits();
  std::string Sum =
      Broken == 0 ? fmt::format("{} limit{} held", All, All == 1 ? "" : "s")
                  : fmt::format("{} of {} limits broken", Broken, All);
  if (R.Runs.size() > 1)
    Sum += fmt::format(" in {} runs", R.Runs.size());
  if (Rows < Broken)
    Sum += "; --keys lists them by their names in the budget";
  Out += paint(S, Broken == 0 ? Paint::Green : Paint::Red,
               cutEnd(S, Sum, S.Width)) +
         '\n';
  return Out;
}

} // namespace inmem::report

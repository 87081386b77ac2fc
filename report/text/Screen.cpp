//===- Screen.cpp - A report that fits one screen -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections have a fixed number of lines, except findings: their code and text
// take the lines that the others leave.
//
//===----------------------------------------------------------------------===//
#include "report/text/TextReport.h"

#include "report/findings/Findings.h"
#include "report/findings/RuleFacts.h"
#include "report/model/LibraryCode.h"
#include "report/text/Curve.h"
#include "report/text/LocationText.h"
#include "report/text/Sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <ranges>
#include <set>

namespace inmem::report {

namespace {

constexpr size_t kLines = 49, kFindings = 3, kTypes = 8, kAlive = 3, kNotes = 2;

/// A title followed by the remarks that fit.
void titled(Sheet &To, const ReportContext &In, std::string_view Title,
            const std::vector<std::string> &Remarks) {
  std::string Line = paint(In.S, Paint::Bold, Title);
  size_t Used = displayWidth(Title);
  for (const std::string &Remark : Remarks) {
    const size_t Own = displayWidth(Remark) + 3;
    if (Remark.empty() || Used + Own > In.S.Width)
      continue;
    Line += (Used == displayWidth(Title) ? "   " : dot(In.S)) +
            paint(In.S, Paint::Dim, Remark);
    Used += Own;
  }
  To.line("");
  To.line(Line);
}

/// At most \p Most lines of \p Text, wrapped.
void shortParagraph(Sheet &To, const ReportContext &In, const std::string &Text,
                    size_t Indent, size_t Most) {
  Sheet Whole(In.S);
  Whole.paragraph(Text, Indent);
  const std::string All = std::move(Whole).take();
  size_t End = 0;
  for (size_t I = 0; I < Most && End < All.size(); ++I)
    End = All.find('\n', End) + 1;
  if (End >= All.size())
    return To.append(All);
  const std::string Gap = In.S.Unicode ? " …" : " ..";
  std::string Kept = All.substr(0, End - 1);
  const size_t Last = Kept.rfind('\n') + 1;
  if (displayWidth(std::string_view(Kept).substr(Last)) + Gap.size() >
      In.S.Width)
    Kept.erase(Kept.rfind(' '));
  To.line(Kept + Gap);
}

std::string blocksOf(const Counts &C) {
  return C.allocations() ? counted(*C.allocations(), "block")
                         : std::string("? blocks");
}

/// Live memory of the selected types over the run, if the trace has it.
void curve(Sheet &To, const ReportContext &In) {
  if (In.P.Timeline.size() < 3 || In.S.Width < 50)
    return;
  const std::vector<uint64_t> Live = liveBytesOverTime(In.P);
  const uint64_t Top = *std::ranges::max_element(Live);
  if (Top == 0)
    return;
  std::string Scale =
      fmt::format("{}, top {}", timeText(In.P, In.S, In.P.Timeline.back().Ns),
                  humanBytes(Top));
  // The peak was between two points.
  if (!In.P.Filtered && In.P.PeakLiveBytes &&
      humanBytes(Top) != humanBytes(*In.P.PeakLiveBytes))
    Scale += " of " + humanBytes(*In.P.PeakLiveBytes);
  const size_t Lead = 13, Width = In.S.Width - Lead - displayWidth(Scale) - 1;
  To.line(fmt::format(
      "  {:<10} {} {}", "over time",
      paint(In.S, Paint::Cyan, sparkline(In.S, columnsOf(In.P, Live, Width))),
      Scale));
  if (const std::vector<uint64_t> Size = residentOverTime(In.P); !Size.empty())
    To.line(fmt::format(
        "  {:<10} {} top {}", "resident",
        paint(In.S, Paint::Cyan, sparkline(In.S, columnsOf(In.P, Size, Width))),
        humanBytes(*std::ranges::max_element(Size))));
  if (const std::string Marks = phaseMarks(In.P, In.S, Width); !Marks.empty())
    To.line(std::string(Lead, ' ') + Marks);
}

/// The highest resident size, which is of whole processes.
std::string residentAtMost(const Profile &P) {
  const auto Peak = P.WholeRun ? P.peakResidentBytes() : std::nullopt;
  const bool IsFinal =
      std::ranges::all_of(P.Processes, &ProcessResult::Complete);
  return Peak ? fmt::format(", {} resident at {}", humanBytes(*Peak),
                            IsFinal ? "most" : "least")
              : std::string();
}

/// The part of live memory that the C and C++ libraries keep for themselves.
/// Its row is only in the full report.
std::string ofLibraries(const Profile &P) {
  const Counts Own = aliveSites(P).Libraries;
  if (Own.LiveAllocations == 0 || !Own.liveBytes())
    return {};
  return Own.LiveBytes == P.Totals.LiveBytes
             ? std::string(", the C and C++ libraries' own")
             : fmt::format(", {} of it the libraries'",
                           humanBytes(Own.LiveBytes));
}

/// The totals, and the curve of live memory if the run has one.
void totals(Sheet &To, const ReportContext &In) {
  const Counts &T = In.P.Totals;
  const auto Row = [&](std::string_view Name, const std::string &Text) {
    To.line(cutEnd(In.S, fmt::format("  {:<10} {}", Name, Text), In.S.Width));
  };
  To.line("");
  if (T.Estimated)
    Row("allocated",
        fmt::format("{} ± {} in {} ± {} blocks, 95 % confidence",
                    humanBytes(T.allocatedBytes()), humanBytes(T.bytesWithin()),
                    humanCount(T.allocations()),
                    humanCount(T.allocationsWithin())));
  else
    Row("allocated",
        fmt::format("{} in {}{}", humanBytes(T.allocatedBytes()), blocksOf(T),
                    T.Allocations > 0
                        ? fmt::format(", {} freed before the next allocation",
                                      humanShare(T.Temporary, T.Allocations))
                        : std::string()));
  Row("alive",
      fmt::format("{} in {} {}{}", humanBytes(T.liveBytes()),
                  T.liveAllocations() ? counted(*T.liveAllocations(), "block")
                                      : std::string("? blocks"),
                  In.P.WholeRun ? "at the end" : "at that moment",
                  T.CarriedAllocations > 0
                      ? fmt::format(", of {} and those from before the reset",
                                    counted(T.CarriedAllocations, "block"))
                      : ofLibraries(In.P)));
  if (In.P.PeakLiveBytes)
    Row("peak",
        fmt::format("{} alive at one moment{}{}",
                    humanBytes(*In.P.PeakLiveBytes), residentAtMost(In.P),
                    In.P.Processes.size() > 1 ? ", summed over processes"
                                              : ""));
  if (const auto &Mapped = In.P.MappedTotals)
    Row("mapped", fmt::format("{} by the program itself at the end, {} at most",
                              humanBytes(Mapped->liveBytes()),
                              humanBytes(Mapped->PeakBytes)));
  if (In.P.Inherited) {
    const Counts &Before = In.P.Inherited->Sum;
    Row("inherited",
        fmt::format("{} in {} from before the fork, {} still alive",
                    humanBytes(Before.AllocatedBytes), blocksOf(Before),
                    humanBytes(Before.LiveBytes)));
  }
  if (In.P.Filtered) {
    Counts Chosen;
    for (const TypeResult &Type : In.P.Types)
      Chosen.add(Type.Sum);
    Row("chosen",
        fmt::format("{} in {}, {} alive; above: the whole process",
                    humanBytes(Chosen.allocatedBytes()), blocksOf(Chosen),
                    humanBytes(Chosen.liveBytes())));
  }
  curve(To, In);
}

/// The number of rows left out, and the option that shows them; empty if all
/// are shown.
std::string moreText(size_t Rest, std::string_view With) {
  return Rest > 0 ? fmt::format("{} more: {}", Rest, With) : std::string();
}

/// The total savings of \p Some, as a remark.
std::string savedText(const Profile &P, std::span<const Finding> Some) {
  const Savings All = savedTogether(P, Some);
  std::vector<std::string> Parts;
  const auto Add = [&](uint64_t Part, uint64_t Whole, std::string_view Of) {
    if (Part > 0 && Whole > 0)
      Parts.push_back(fmt::format("{} of {}", humanShare(Part, Whole), Of));
  };
  Add(All.Blocks, P.Totals.Allocations, "blocks");
  Add(All.Bytes, P.Totals.AllocatedBytes, "bytes");
  Add(All.PeakBytes, P.PeakLiveBytes.value_or(0), "the peak");
  if (Parts.empty())
    return {};
  return fmt::format("{} {}",
                     Some.size() == 1 ? "saves" : "together these save",
                     fmt::join(Parts, ", "));
}

/// The number of lines that a paragraph takes.
size_t linesOf(const ReportContext &In, const std::string &Text,
               size_t Indent) {
  Sheet Whole(In.S);
  Whole.paragraph(Text, Indent);
  return Whole.lines();
}

/// The text of a finding, from all of its sentences to only the change, which
/// is left out last.
std::vector<std::string> findingTexts(const ReportContext &In,
                                      const Finding &F) {
  const std::string Change = (In.S.Unicode ? "→ " : "> ") + F.Advice;
  const std::string Saves = savesText(In.P, F);
  if (Saves.empty())
    return {fmt::format("{}. {}", F.Message, Change), Change};
  return {fmt::format("{}; {}. {}", F.Message, Saves, Change),
          fmt::format("{}. {}", Saves, Change), Change};
}

/// The lines that a finding takes.
struct FindingPlan {
  std::vector<std::string> Texts;
  size_t Text = 0;      ///< index of the text to show
  size_t CodeLines = 0; ///< 0: the code was already shown
};

/// Plans for findings in \p Lines, if they have room. Code before a line is
/// dropped before words, then the words about the cause; the line itself and
/// the change are always shown. Code that two findings share is shown once.
std::vector<FindingPlan> planFindings(const ReportContext &In,
                                      std::span<const Finding> Shown,
                                      size_t Lines, size_t Indent) {
  std::set<std::pair<std::string_view, uint32_t>> Seen;
  std::vector<FindingPlan> Out;
  size_t Used = 0, Codes = 0;
  for (const Finding &F : Shown) {
    FindingPlan &P = Out.emplace_back();
    P.Texts = findingTexts(In, F);
    P.CodeLines = Seen.emplace(F.Where.File, F.Where.Line).second;
    Codes += P.CodeLines;
    Used += 1 + P.CodeLines + linesOf(In, P.Texts[0], Indent);
  }
  constexpr size_t kShortest = 2;
  for (size_t Step = 1; Step <= kShortest; ++Step)
    for (FindingPlan &P : Out | std::views::reverse)
      if (Used > Lines && Step < P.Texts.size()) {
        Used -= linesOf(In, P.Texts[Step - 1], Indent);
        Used += linesOf(In, P.Texts[Step], Indent);
        P.Text = Step;
      }
  for (const size_t Code : {size_t{2}, size_t{3}}) {
    if (Used + Codes > Lines)
      break;
    Used += Codes;
    for (FindingPlan &P : Out)
      P.CodeLines = P.CodeLines ? Code : 0;
  }
  return Out;
}

/// \param Lines the lines for all of them
void findings(Sheet &To, const ReportContext &In, size_t Lines) {
  if (In.V.Findings == 0)
    return;
  const std::vector<Finding> All = findingsOf(In.P, ~size_t{0});
  const size_t Most = std::min(All.size(), In.V.Findings.value_or(kFindings));
  const auto Shown = std::span(All).first(Most);
  titled(To, In, "WHAT TO CHANGE",
         {savedText(In.P, Shown), moreText(All.size() - Most, "--by finding")});
  if (All.empty())
    return To.paragraph(whyNoFinding(In.P), 2);
  const bool Traffic = std::ranges::any_of(
      Shown, [](const Finding &F) { return F.By == Measure::Traffic; });
  Sheet Why(In.S);
  if (Traffic)
    shortParagraph(Why, In, whyNotFaster(In.P), 2, 3);
  Lines -= std::min(Lines, Why.lines());
  constexpr size_t kIndent = 4;
  // If the user asked for more findings than fit, they are shown.
  const std::vector<std::string> Names = findingNames(In, Shown, kIndent);
  const std::vector<FindingPlan> Plans =
      planFindings(In, Shown, Most > kFindings ? 8 * Most : Lines, kIndent);
  for (size_t I = 0; I < Most; ++I) {
    const Finding &F = Shown[I];
    findingTitle(To, In, F, Names[I], kIndent);
    if (Plans[I].CodeLines > 0)
      sourceLines(To, In, F.Where, kIndent, Plans[I].CodeLines);
    shortParagraph(To, In, Plans[I].Texts[Plans[I].Text], kIndent, 5);
  }
  To.append(std::move(Why).take());
}

void types(Sheet &To, const ReportContext &In) {
  View V = In.V;
  V.Top = In.O.Rows.value_or(kTypes);
  std::vector<TypeRow> Rows = selectTypeRows(In.P, V);
  V.Top = 0;
  std::vector<TypeRow> Every = selectTypeRows(In.P, V);
  // Rows of the libraries' own memory come last.
  if (!Every.empty() && !Every.front().isLibrarys()) {
    std::erase_if(Rows, std::mem_fn(&TypeRow::isLibrarys));
    std::erase_if(Every, std::mem_fn(&TypeRow::isLibrarys));
  }
  const size_t All = Every.size();
  std::vector<const Lifetime *> Lifetimes;
  Lifetimes.reserve(Rows.size());
  for (const TypeRow &R : Rows)
    Lifetimes.push_back(&R.life());
  const auto Scale =
      scaleOf(Lifetimes, In.P, std::clamp(In.S.Width / 7, 10u, 32u));
  const std::string_view Bars =
      !Scale ? ""
      : In.P.LifetimeUnit == Unit::Bytes
          ? "bars: lifetimes of freed blocks, in allocated bytes"
          : "bars: lifetimes of freed blocks, short to long";
  titled(To, In, "TYPES",
         {std::string(Bars), moreText(All - Rows.size(), "--by type")});
  if (Rows.empty())
    return To.line(In.P.Totals.Allocations > 0
                       ? "  no type is left (--type takes whole names with "
                         "std::, or globs: '*Foo*')"
                       : "  no block was allocated");
  Table T;
  T.column({"type", false, true, 0, Paint::Bold, shortenName, 26});
  const bool Sums = In.P.Totals.allocatedBytes().has_value();
  if (Sums) {
    T.column({"allocated"});
    T.column({"blocks", true, false, 2});
  }
  T.column({"live", true, false, 3});
  T.column({"peak", true, false, 4});
  if (Scale)
    T.column(lifetimesColumn(In.S, *Scale));
  T.column({"median", true, false, 5});
  for (const TypeRow &R : Rows) {
    std::vector<std::string> Cells = {typeText(In.S, R)};
    if (Sums)
      Cells.insert(Cells.end(), {humanBytes(R.sum().AllocatedBytes),
                                 humanCount(R.sum().allocations())});
    Cells.push_back(bytesOrDash(R.sum().liveBytes()));
    Cells.push_back(peakText(In.S, R));
    if (Scale)
      Cells.push_back(Scale->spark(In.S, R.life().Lifetimes));
    Cells.push_back(lifetimeText(In, R.life().P50));
    T.row(std::move(Cells));
  }
  To.append(T.render(In.S, 2, /*NameMissing=*/false));
}

void alive(Sheet &To, const ReportContext &In, SiteLines &Lines) {
  if (!In.P.Totals.liveBytes())
    return;
  std::vector<const SiteResult *> Sites = aliveSites(In.P).Sites;
  if (Sites.empty())
    return;
  const size_t Most = std::min(Sites.size(), kAlive);
  titled(To, In, In.P.WholeRun ? "STILL ALIVE AT THE END" : "STILL ALIVE",
         {"kept: of the blocks that a line allocated",
          moreText(Sites.size() - Most, "--full")});
  Sites.resize(Most);
  Table T;
  T.column({"bytes"});
  T.column({"blocks", true, false, 2});
  T.column({"kept", true, false, 3});
  addTypeAndLine(T, In.S, "allocated by");
  std::vector<std::string> Locations = Lines.each(Sites);
  for (size_t I = 0; I < Sites.size(); ++I)
    T.row(aliveCells(In, *Sites[I], std::move(Locations[I])));
  To.append(T.render(In.S, 2, /*NameMissing=*/false));
}

/// Commands for more details, the most useful first.
void next(Sheet &To, const ReportContext &In, bool CallersMissing) {
  constexpr size_t kMost = 3;
  std::vector<std::pair<std::string, std::string>> Steps = In.O.Next;
  if (CallersMissing)
    Steps.insert(Steps.begin() +
                     static_cast<ptrdiff_t>(std::min<size_t>(Steps.size(), 2)),
                 {"INMEM_OPTIONS=stacks=16", "records who calls library code"});
  if (Steps.empty())
    return;
  Steps.resize(std::min(Steps.size(), kMost));
  titled(To, In, "NEXT", {});
  size_t Widest = 0;
  for (const auto &[Command, Says] : Steps)
    Widest = std::max(Widest, displayWidth(Command));
  for (const auto &[Command, Says] : Steps) {
    std::string Line = "  " + printable(In.S, Command);
    Line.append(Widest - displayWidth(Command) + 3, ' ');
    // A cut command cannot be copied, so its remark is left out instead.
    To.line(displayWidth(Line + Says) <= In.S.Width
                ? Line + paint(In.S, Paint::Dim, Says)
                : "  " + printable(In.S, Command));
  }
}

} // namespace

std::string printScreen(const Profile &P, const View &With,
                        const TextOptions &Options) {
  View V = With;
  V.HeapOnly = true;
  const ReportContext In = {P, V, Options, Options.Look};
  SiteLines Lines(P, In.S);
  Sheet Head(In.S), Changes(In.S), Rest(In.S);
  processSection(Head, In);
  notesSection(Head, In, kNotes);
  totals(Head, In);
  types(Rest, In);
  alive(Rest, In, Lines);
  next(Rest, In, Lines.callersMissing());
  constexpr size_t kTitle = 2;
  const size_t Used = Head.lines() + Rest.lines() + kTitle;
  findings(Changes, In, kLines > Used ? kLines - Used : 0);
  Head.append(std::move(Changes).take());
  Head.append(std::move(Rest).take());
  return std::move(Head).take();
}

} // namespace inmem::report

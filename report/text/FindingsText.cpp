//===- FindingsText.cpp - Changes to make, first --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/Findings.h"
#include "report/findings/RuleFacts.h"
#include "report/text/ApartNames.h"
#include "report/text/LocationText.h"
#include "report/text/Sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace inmem::report {

/// \returns the lines of a text, without their ends
static std::vector<std::string_view> linesOf(std::string_view Text) {
  std::vector<std::string_view> Lines;
  for (size_t From = 0; From < Text.size();) {
    const size_t End = std::min(Text.find('\n', From), Text.size());
    Lines.push_back(Text.substr(From, End - From));
    From = End + 1;
  }
  return Lines;
}

void sourceLines(Sheet &To, const ReportContext &In, const SourceLocation &At,
                 size_t Indent, size_t Most) {
  if (!In.O.Source || At.Line == 0 || At.File.empty())
    return;
  const SourceText Found = In.O.Source(At.File);
  const auto WhyNot = [&](std::string_view Why) {
    To.line(paint(In.S, Paint::Dim,
                  cutEnd(In.S,
                         std::string(Indent, ' ') +
                             "(source not shown: " + std::string(Why) + ')',
                         In.S.Width)));
  };
  if (!Found.Text)
    return WhyNot(Found.Missing);
  const std::vector<std::string_view> Lines = linesOf(*Found.Text);
  if (At.Line > Lines.size())
    return WhyNot("another file of that name");
  const size_t First = Most > 1 ? std::max<size_t>(At.Line, 2) - 1 : At.Line;
  const size_t Last =
      std::min<size_t>(Most > 2 ? At.Line + 1 : At.Line, Lines.size());
  for (size_t I = First; I <= Last; ++I) {
    std::string Plain;
    for (const char C : Lines[I - 1])
      Plain += C == '\t' ? std::string("    ") : std::string(1, C);
    const bool Hot = I == At.Line;
    const std::string_view Mark = !Hot ? "  " : In.S.Unicode ? "▸ " : "> ";
    const size_t Before = Indent > 2 ? Indent - 2 : 0;
    To.line(paint(
        In.S, Hot ? Paint::Bold : Paint::Dim,
        cutEnd(In.S,
               fmt::format("{:{}}{}{:>5} {} {}", "", Before, Mark, I,
                           In.S.Unicode ? "│" : "|", printable(In.S, Plain)),
               In.S.Width)));
  }
}

/// The severity, at least \p Indent columns wide.
static std::string leadOf(const Finding &F, size_t Indent) {
  std::string Lead = "  " + std::string(nameOf(F.severity()));
  Lead.resize(std::max(Indent, Lead.size() + 2), ' ');
  return Lead;
}

/// Columns after a lead of \p Used.
static size_t roomBehind(const Style &S, size_t Used) {
  return S.Width > Used ? S.Width - Used : 1;
}

/// True if subject and location on one line would be cut to fragments.
static bool isPlaceBelow(const Finding &F, size_t Room) {
  constexpr size_t kNarrow = 56;
  return Room < kNarrow && !F.Where.Function.empty();
}

std::vector<std::string> findingNames(const ReportContext &In,
                                      std::span<const Finding> Shown,
                                      size_t Indent) {
  size_t Width = In.S.Width;
  std::vector<std::string> Names;
  for (const Finding &F : Shown) {
    const size_t Room = roomBehind(In.S, leadOf(F, Indent).size());
    const bool IsAlone = F.Where.Function.empty() || isPlaceBelow(F, Room);
    Width = std::min(Width, IsAlone ? Room : std::max(Room / 2, size_t{8}));
    Names.push_back(printable(In.S, aboutOf(In.P, F)));
  }
  return shortNames(In.S, Names, Width);
}

void findingTitle(Sheet &To, const ReportContext &In, const Finding &F,
                  const std::string &Name, size_t Indent, bool Column) {
  const std::string Lead = leadOf(F, Indent);
  std::string Location =
      F.Where.Function.empty() ? std::string() : locationText(In.S, F.Where);
  if (Column && F.Where.Line && F.Where.Column)
    Location += fmt::format(":{}", F.Where.Column);
  const size_t Room = roomBehind(In.S, Lead.size());
  const bool OwnLine = isPlaceBelow(F, Room);
  if (!Location.empty() && !OwnLine)
    Location =
        dot(In.S) + fitLocation(In.S, Location,
                                Room - std::min(Room, displayWidth(Name) + 3));
  To.line(
      paint(In.S, F.severity() == Severity::High ? Paint::Red : Paint::Yellow,
            Lead) +
      paint(In.S, Paint::Bold, Name) + (OwnLine ? std::string() : Location));
  if (OwnLine)
    To.line(std::string(Indent, ' ') + fitLocation(In.S, Location, Room));
}

void findingsSection(Sheet &To, const ReportContext &In) {
  if (In.V.Findings == 0)
    return;
  constexpr size_t kFew = 5;
  const std::vector<Finding> All = findingsOf(In.P, ~size_t{0});
  const size_t Most = std::min(
      All.size(),
      In.V.Findings.value_or(In.V.shows(By::Finding) ? All.size() : kFew));
  if (Most == 0 && !All.empty())
    return;
  To.title("FINDINGS");
  if (All.empty())
    To.paragraph(whyNoFinding(In.P), 2);
  std::map<std::pair<RuleId, std::string>, size_t> Equal;
  for (size_t I = 0; I < Most; ++I)
    ++Equal[{All[I].Rule, locationText(In.S, All[I].Where)}];
  constexpr size_t kIndent = 10; // width of the longest word plus spaces
  const std::vector<std::string> Names =
      findingNames(In, std::span(All).first(Most), kIndent);
  for (size_t I = 0; I < Most; ++I) {
    const Finding &F = All[I];
    findingTitle(To, In, F, Names[I], kIndent,
                 Equal[{F.Rule, locationText(In.S, F.Where)}] > 1);
    sourceLines(To, In, F.Where, kIndent);
    To.paragraph(F.Message + (F.CallerUnknown && In.P.Calls.Deepest == 0
                                  ? "; stacks=16 records who calls it"
                                  : ""),
                 kIndent);
    if (const std::string Saves = savesText(In.P, F); !Saves.empty())
      To.paragraph(Saves, kIndent);
    To.paragraph((In.S.Unicode ? "→ " : "> ") + F.Advice, kIndent);
  }
  if (std::ranges::any_of(
          All, [](const Finding &F) { return F.By == Measure::Traffic; }))
    if (const std::string Why = whyNotFaster(In.P); !Why.empty())
      To.paragraph(Why, 2);
  if (!In.V.shows(By::Finding) && !In.V.Findings)
    To.more(All.size() - Most, "finding", {}, "--findings all shows them");
}

} // namespace inmem::report

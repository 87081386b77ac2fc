//===- FindingsText.cpp - Changes to make, first --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/AllocationCost.h"
#include "report/findings/Findings.h"
#include "report/text/LocationText.h"
#include "report/text/Sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace inmem::report {

/// A line of source between its neighbours.
static void source(Sheet &To, const ReportContext &In, const SourceLocation &At,
                   size_t Indent) {
  const auto Text =
      In.O.Source && At.Line > 0 ? In.O.Source(At.File) : std::nullopt;
  if (!Text)
    return;
  std::vector<std::string_view> Lines;
  for (size_t From = 0; From < Text->size();) {
    const size_t End = std::min(Text->find('\n', From), Text->size());
    Lines.push_back(std::string_view(*Text).substr(From, End - From));
    From = End + 1;
  }
  if (At.Line > Lines.size())
    return; // another file of that name
  for (size_t I = std::max<size_t>(At.Line, 2) - 1;
       I <= std::min<size_t>(At.Line + 1, Lines.size()); ++I) {
    std::string Plain;
    for (const char C : Lines[I - 1])
      Plain += C == '\t' ? std::string("    ") : std::string(1, C);
    To.line(paint(
        In.S, I == At.Line ? Paint::None : Paint::Dim,
        cutEnd(In.S,
               fmt::format("{:{}}{:>5} {} {}", "", Indent, I,
                           In.S.Unicode ? "│" : "|", printable(In.S, Plain)),
               In.S.Width)));
  }
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
  std::map<std::pair<std::string_view, std::string>, size_t> Equal;
  for (size_t I = 0; I < Most; ++I)
    ++Equal[{All[I].Rule, locationText(In.S, All[I].Where)}];
  for (size_t I = 0; I < Most; ++I) {
    const Finding &F = All[I];
    const std::string_view Word = nameOf(F.severity());
    constexpr size_t kIndent = 10; // of the longest word, and spaces
    std::string Lead = "  " + std::string(Word);
    Lead.resize(kIndent, ' ');
    std::string What = printable(In.S, aboutOf(In.P, F));
    std::string Location =
        F.Where.Function.empty() ? std::string() : locationText(In.S, F.Where);
    if (F.Where.Line && F.Where.Column &&
        Equal[{F.Rule, locationText(In.S, F.Where)}] > 1)
      Location += fmt::format(":{}", F.Where.Column);
    const size_t Room = In.S.Width > kIndent ? In.S.Width - kIndent : 1;
    constexpr size_t kNarrow = 56; // Both on a line would be bits of names.
    const bool OwnLine = Room < kNarrow && !Location.empty();
    What = shortenName(
        In.S, What,
        Location.empty() || OwnLine ? Room : std::max(Room / 2, size_t{8}));
    if (!Location.empty() && !OwnLine)
      Location = dot(In.S) +
                 fitLocation(In.S, Location,
                             Room - std::min(Room, displayWidth(What) + 3));
    To.line(
        paint(In.S, F.severity() == Severity::High ? Paint::Red : Paint::Yellow,
              Lead) +
        paint(In.S, Paint::Bold, What) + (OwnLine ? std::string() : Location));
    if (OwnLine)
      To.line(std::string(kIndent, ' ') + fitLocation(In.S, Location, Room));
    source(To, In, F.Where, kIndent);
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

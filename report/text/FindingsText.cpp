//===- FindingsText.cpp - Changes to make, first --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/Findings.h"
#include "report/text/LocationText.h"
#include "report/text/Printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace inmem::report {

std::string Printer::savesText(const Finding &F) const {
  std::vector<std::string> Parts;
  if (F.SavesAllocations > 0)
    Parts.push_back(
        fmt::format("{} = {}", counted(F.SavesAllocations, "block"),
                    humanShare(F.SavesAllocations, P.Totals.Allocations)));
  if (F.SavesBytes > 0)
    Parts.push_back(
        fmt::format("{} = {}", humanBytes(F.SavesBytes),
                    humanShare(F.SavesBytes, P.Totals.AllocatedBytes)));
  if (!Parts.empty())
    return fmt::format("saves {}", fmt::join(Parts, ", "));
  return fmt::format("about {} of all bytes, {} of all blocks",
                     humanShare(F.Bytes, P.Totals.AllocatedBytes),
                     humanShare(F.Allocations, P.Totals.Allocations));
}

/// A line of source between its neighbours.
void Printer::source(const SourceLocation &At, size_t Indent) {
  const auto Text = O.Source && At.Line > 0 ? O.Source(At.File) : std::nullopt;
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
    line(paint(S, I == At.Line ? Paint::None : Paint::Dim,
               cutEnd(S,
                      fmt::format("{:{}}{:>5} {} {}", "", Indent, I,
                                  S.Unicode ? "│" : "|", printable(S, Plain)),
                      S.Width)));
  }
}

void Printer::findings() {
  if (V.Findings == 0)
    return;
  constexpr size_t kFew = 5;
  const std::vector<Finding> All = findingsOf(P, ~size_t{0});
  const size_t Most =
      std::min(All.size(),
               V.Findings.value_or(V.shows(By::Finding) ? All.size() : kFew));
  if (Most == 0 && !All.empty())
    return;
  title("FINDINGS");
  if (All.empty())
    paragraph(whyNoFinding(P), 2);
  std::map<std::pair<std::string_view, std::string>, size_t> Equal;
  for (size_t I = 0; I < Most; ++I)
    ++Equal[{All[I].Rule, locationText(S, All[I].Where)}];
  for (size_t I = 0; I < Most; ++I) {
    const Finding &F = All[I];
    const std::string_view Word = nameOf(F.severity());
    constexpr size_t kIndent = 10; // of the longest word, and spaces
    std::string Lead = "  " + std::string(Word);
    Lead.resize(kIndent, ' ');
    std::string What = printable(S, aboutOf(P, F));
    std::string Location =
        F.Where.Function.empty() ? std::string() : locationText(S, F.Where);
    if (F.Where.Line && F.Where.Column &&
        Equal[{F.Rule, locationText(S, F.Where)}] > 1)
      Location += fmt::format(":{}", F.Where.Column);
    const size_t Room = S.Width > kIndent ? S.Width - kIndent : 1;
    constexpr size_t kNarrow = 56; // Both on a line would be bits of names.
    const bool OwnLine = Room < kNarrow && !Location.empty();
    What = shortenName(
        S, What,
        Location.empty() || OwnLine ? Room : std::max(Room / 2, size_t{8}));
    if (!Location.empty() && !OwnLine)
      Location =
          dot() + fitLocation(S, Location,
                              Room - std::min(Room, displayWidth(What) + 3));
    line(paint(S, F.severity() == Severity::High ? Paint::Red : Paint::Yellow,
               Lead) +
         paint(S, Paint::Bold, What) + (OwnLine ? std::string() : Location));
    if (OwnLine)
      line(std::string(kIndent, ' ') + fitLocation(S, Location, Room));
    source(F.Where, kIndent);
    paragraph(F.Message + (F.CallerUnknown && P.Calls.Deepest == 0
                               ? "; stacks=16 records who calls it"
                               : ""),
              kIndent);
    if (const std::string Saves = savesText(F); !Saves.empty())
      paragraph(Saves, kIndent);
    paragraph((S.Unicode ? "→ " : "> ") + F.Advice, kIndent);
  }
  if (!V.shows(By::Finding) && !V.Findings)
    more(All.size() - Most, "finding", {}, "--findings all shows them");
}

} // namespace inmem::report

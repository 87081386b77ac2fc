//===- Findings.cpp - What to change, first -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/Findings.h"
#include "report/text/PlaceText.h"
#include "report/text/Printer.h"

#include <fmt/format.h>
#include <map>

namespace inmem::report {

void Printer::findings() {
  if (V.Findings == 0)
    return;
  constexpr size_t kFew = 5;
  const std::vector<Finding> All = findingsOf(P, ~size_t{0});
  const size_t Most =
      std::min(All.size(),
               V.Findings.value_or(V.shows(By::Finding) ? All.size() : kFew));
  if (Most == 0 && !(All.empty() && V.shows(By::Finding)))
    return;
  title("FINDINGS");
  if (All.empty())
    line("  nothing that a rule knows how to save");
  std::map<std::pair<std::string_view, std::string>, size_t> Equal;
  for (size_t I = 0; I < Most; ++I)
    ++Equal[{All[I].Rule, placeText(S, All[I].Where)}];
  for (size_t I = 0; I < Most; ++I) {
    const Finding &F = All[I];
    const std::string_view Word = nameOf(F.severity());
    constexpr size_t kIndent = 10; // of the longest word, and spaces
    std::string Lead = "  " + std::string(Word);
    Lead.resize(kIndent, ' ');
    std::string What = !F.Type           ? std::string("memory")
                       : F.OfObjects     ? classText(S, P.Types[*F.Type])
                       : F.Alias.empty() ? typeText(S, P.Types[*F.Type])
                                         : printable(S, F.Alias);
    std::string Place =
        F.Where.Function.empty() ? std::string() : placeText(S, F.Where);
    if (F.Where.Line && F.Where.Column &&
        Equal[{F.Rule, placeText(S, F.Where)}] > 1)
      Place += fmt::format(":{}", F.Where.Column);
    const size_t Room = S.Width > kIndent ? S.Width - kIndent : 1;
    constexpr size_t kNarrow = 56; // Both on a line would be bits of names.
    const bool OwnLine = Room < kNarrow && !Place.empty();
    What = shortenName(
        S, What,
        Place.empty() || OwnLine ? Room : std::max(Room / 2, size_t{8}));
    if (!Place.empty() && !OwnLine)
      Place = dot() +
              fitPlace(S, Place, Room - std::min(Room, displayWidth(What) + 3));
    line(paint(S, F.severity() == Severity::High ? Paint::Red : Paint::Yellow,
               Lead) +
         paint(S, Paint::Bold, What) + (OwnLine ? std::string() : Place));
    if (OwnLine)
      line(std::string(kIndent, ' ') + fitPlace(S, Place, Room));
    paragraph(F.Message + (F.CallerUnknown && P.Calls.Deepest == 0
                               ? "; stacks=16 records who calls it"
                               : ""),
              kIndent);
    paragraph((S.Unicode ? "→ " : "> ") + F.Advice, kIndent);
  }
  if (!V.shows(By::Finding) && !V.Findings)
    more(All.size() - Most, "finding", {}, "--findings all shows them");
}

} // namespace inmem::report

//===- TextReport.cpp - A profile for a terminal --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/TextReport.h"

#include "report/model/LibraryMemory.h"
#include "report/text/FreeReport.h"
#include "report/text/LocationText.h"
#include "report/text/PhaseReport.h"
#include "report/text/Printer.h"
#include "report/text/StackReport.h"
#include "report/text/TimelineReport.h"

#include <algorithm>

namespace inmem::report {

void Printer::wrapped(const std::vector<std::string> &Parts, unsigned Indent) {
  std::string Line(Indent, ' ');
  size_t Used = Indent;
  bool First = true;
  for (const std::string &Part : Parts) {
    const std::string Fit =
        cutEnd(S, Part, S.Width > Indent ? S.Width - Indent : 1);
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

void Printer::paragraph(std::string_view Text, size_t Indent,
                        std::string_view Lead, Paint Color) {
  const size_t Room = S.Width > Indent + 2 ? S.Width - Indent : 2;
  const std::string Whole = printable(S, Text);
  std::string Before(Lead);
  Before.resize(Indent, ' ');
  std::string_view Rest = Whole;
  while (!Rest.empty()) {
    size_t Cut = Rest.size();
    if (displayWidth(Rest) > Room) {
      // The last space before which all fits.
      Cut = Rest.rfind(' ');
      while (Cut != std::string_view::npos && Cut > 0 &&
             displayWidth(Rest.substr(0, Cut)) > Room)
        Cut = Rest.rfind(' ', Cut - 1);
      if (Cut == std::string_view::npos || Cut == 0)
        Cut = std::min(Rest.find(' '), Rest.size());
    }
    line(paint(S, Color, Before + cutEnd(S, Rest.substr(0, Cut), Room)));
    Before.assign(Indent, ' ');
    Rest.remove_prefix(Cut);
    while (Rest.starts_with(' '))
      Rest.remove_prefix(1);
  }
}

std::string Printer::madeBy(const SiteResult &Site) {
  CallersMissing |= P.Calls.Deepest == 0 && !isLibraryMemory(P, Site) &&
                    isCallerUnknown(Site);
  return siteText(S, Site);
}

std::vector<std::string>
Printer::madeByEach(const std::vector<const SiteResult *> &Sites) {
  std::vector<std::string> Lines;
  Lines.reserve(Sites.size());
  for (const SiteResult *Site : Sites)
    Lines.push_back(madeBy(*Site));
  tellApart(Lines, Sites);
  return Lines;
}

void Printer::callersHint(std::optional<size_t> UnderFindings) {
  const size_t End = Out.size();
  if (UnderFindings && Out.rfind("stacks=16", *UnderFindings) != Out.npos)
    return; // a finding said so, or why there is none
  if (!UnderFindings)
    line("");
  paragraph(fmt::format(
                "library code {}: INMEM_OPTIONS=stacks=16 records who calls it",
                UnderFindings ? "below" : "above"),
            UnderFindings ? 2 : 0, {}, Paint::Dim);
  if (UnderFindings)
    std::rotate(Out.begin() + static_cast<ptrdiff_t>(*UnderFindings),
                Out.begin() + static_cast<ptrdiff_t>(End), Out.end());
}

std::string Printer::run() {
  if (!O.Plain)
    head();
  std::optional<size_t> UnderFindings;
  if (V.shows(By::Finding) || (!O.Plain && V.shows(By::Type))) {
    findings();
    UnderFindings = Out.size();
  }
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
    } else if (What == By::Cpu) {
      cpuTable();
    } else if (What == By::Thread) {
      threadTable();
    } else if (What != By::Finding) { // They come first.
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
  if (V.shows(By::Type) || V.shows(By::Site))
    atPeak();
  alive();
  if (CallersMissing) // which the tables found out
    callersHint(UnderFindings);
  return std::move(Out);
}

std::string printText(const Profile &P, const View &V,
                      const TextOptions &Options) {
  return Printer(P, V, Options).run();
}

} // namespace inmem::report

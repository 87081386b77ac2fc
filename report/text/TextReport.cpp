//===- TextReport.cpp - A profile for a terminal --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/TextReport.h"

#include "report/text/Sections.h"
#include "report/text/ViewReports.h"

#include <fmt/format.h>

namespace inmem::report {

/// Explains how to see the callers of library code, at the end or after the
/// findings, which end at \p UnderFindings.
static void callersHint(Sheet &To, std::optional<size_t> UnderFindings) {
  const size_t End = To.size();
  if (UnderFindings &&
      To.upTo(*UnderFindings).find("stacks=16") != std::string_view::npos)
    return; // the findings section already says so
  if (!UnderFindings)
    To.line("");
  To.paragraph(fmt::format("library code {}: INMEM_OPTIONS=stacks=16 records "
                           "who calls it",
                           UnderFindings ? "below" : "above"),
               UnderFindings ? 2 : 0, {}, Paint::Dim);
  if (UnderFindings)
    To.moveBack(End, *UnderFindings);
}

static void table(Sheet &To, const ReportContext &In, SiteLines &Lines,
                  By What) {
  const auto &[P, V, O, S] = In;
  switch (What) {
  case By::Type:
    return V.Edges.empty() ? typeSection(To, In) : bucketSection(To, In);
  case By::Site:
    return siteSection(To, In, Lines);
  case By::Stack:
    To.title(V.Stacks.BottomUp ? "CALL STACKS, allocating function first"
                               : "CALL STACKS");
    return To.append(stackTreeText(P, V, S));
  case By::Blame:
    To.title("BLAME");
    return To.append(blameText(P, V, S));
  case By::Frees:
    To.title("WHO FREES");
    return To.append(freesText(P, V, S));
  case By::Cpu:
    return cpuSection(To, In);
  case By::Thread:
    return threadSection(To, In);
  case By::Phase:
    return To.append(phaseTable(P, V, S));
  case By::Time:
    return To.append(timelineTable(P, V, S));
  case By::Field:
    return fieldSection(To, In);
  case By::Finding: // findings come first
    return;
  }
}

/// The sections that follow a table of types.
static void sectionsOfTypes(Sheet &To, const ReportContext &In,
                            SiteLines &Lines) {
  const auto &[P, V, O, S] = In;
  detailsSection(To, In, Lines);
  objectSection(To, In);
  copySection(To, In);
  undestroyedSection(To, In, Lines);
  placedSection(To, In, Lines);
  if (!V.shows(By::Phase))
    To.append(phaseTable(P, V, S));
  if (!V.shows(By::Time) && hasSummaries(P))
    To.append(timelineTable(P, V, S));
}

std::string printText(const Profile &P, const View &With,
                      const TextOptions &Options) {
  if (Options.OneScreen)
    return printScreen(P, With, Options);
  View V = With;
  V.HeapOnly = true; // objects have their own table
  const ReportContext In = {P, V, Options, Options.Look};
  Sheet To(In.S);
  SiteLines Lines(P, In.S);
  if (!Options.Plain)
    headSection(To, In);
  std::optional<size_t> UnderFindings;
  if (V.shows(By::Finding) || (!Options.Plain && V.shows(By::Type))) {
    findingsSection(To, In);
    UnderFindings = To.size();
  }
  for (const By What : V.Tables)
    table(To, In, Lines, What);
  if (Options.Plain)
    return std::move(To).take();
  if (V.shows(By::Type))
    sectionsOfTypes(To, In, Lines);
  if (V.shows(By::Type) || V.shows(By::Site))
    peakSection(To, In, Lines);
  aliveSection(To, In, Lines);
  mappedSection(To, In);
  if (Lines.callersMissing()) // set while the tables were written
    callersHint(To, UnderFindings);
  return std::move(To).take();
}

} // namespace inmem::report

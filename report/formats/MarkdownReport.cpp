//===- MarkdownReport.cpp - A summary for a comment, or for a program -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/MarkdownReport.h"

#include "report/base/Units.h"
#include "report/findings/Findings.h"
#include "report/model/ShownNames.h"
#include "report/model/UserLocations.h"
#include "report/names/TypeName.h"
#include "report/text/Table.h"

#include <fmt/format.h>

namespace inmem::report {

std::string markdownCode(std::string_view Text, size_t Most) {
  Style Plain;
  Plain.Unicode = true;
  std::string Out = printable(Plain, Text);
  // Characters that end code, or a cell of a table.
  for (char &C : Out)
    if (C == '`' || C == '\n' || C == '\r')
      C = '\'';
  if (Out.size() > Most) {
    size_t End = Most - 3;
    while (End > 0 && (static_cast<unsigned char>(Out[End]) & 0xC0) == 0x80)
      --End;
    Out = Out.substr(0, End) + "...";
  }
  std::string Cell;
  for (const char C : Out)
    Cell += C == '|' ? std::string("\\|") : std::string(1, C);
  return '`' + Cell + '`';
}

namespace {

/// Text between our own words.
std::string plain(std::string_view Text) {
  std::string Out;
  for (const char C : Text)
    switch (C) {
    case '<':
      Out += "&lt;";
      break;
    case '&':
      Out += "&amp;";
      break;
    case '|':
    case '`':
    case '*':
    case '[':
    case '\\':
    case '_':
      (Out += '\\') += C;
      break;
    case '\n':
    case '\r':
      Out += ' ';
      break;
    default:
      Out += C;
    }
  return Out;
}

std::string locationText(const SourceLocation &At) {
  if (At.File.empty())
    return shortFunction(At.Function);
  return At.Line > 0 ? fmt::format("{}:{}", At.File, At.Line) : At.File;
}

std::string head(const Profile &P) {
  std::string Out = "### Memory";
  if (!P.Processes.empty() && !P.Processes[0].Command.empty())
    Out += ": " +
           markdownCode(
               fmt::format("{}", fmt::join(P.Processes[0].Command, " ")), 120);
  Out += fmt::format(
      "\n\n{} in {}; {} in {} alive at the end",
      humanBytes(P.Totals.allocatedBytes()),
      P.Totals.allocations() ? counted(*P.Totals.allocations(), "block")
                             : humanCount(P.Totals.allocations()) + " blocks",
      humanBytes(P.Totals.liveBytes()), humanCount(P.Totals.liveAllocations()));
  if (P.PeakLiveBytes)
    Out += "; peak " + humanBytes(*P.PeakLiveBytes);
  Out += ".\n";
  for (size_t I = 0; I < std::min<size_t>(P.Notes.size(), 3); ++I)
    Out += "> " + plain(P.Notes[I].substr(0, 200)) + "\n";
  return Out;
}

std::vector<std::string> findingRows(const Profile &P, size_t Most) {
  std::vector<std::string> Out;
  for (const Finding &F : findingsOf(P, Most)) {
    std::string Row = fmt::format("- **{}** {}", nameOf(F.severity()),
                                  markdownCode(nameOf(F.Rule), 40));
    if (F.Type)
      Row += ' ' + markdownCode(aboutOf(P, F), 80);
    if (!F.Where.Function.empty() || !F.Where.File.empty())
      Row += " at " + markdownCode(locationText(F.Where), 100);
    Row += fmt::format(": {} ({}). {}\n", plain(F.Message),
                       plain(savesText(P, F)), plain(F.Advice));
    Out.push_back(std::move(Row));
  }
  return Out;
}

std::string figures(const Counts &C) {
  return fmt::format("{} | {} | {} |\n", humanBytes(C.allocatedBytes()),
                     humanCount(C.allocations()), humanBytes(C.liveBytes()));
}

std::vector<std::string> tableRows(const Profile &P, const View &V) {
  std::vector<std::string> Out;
  const size_t Top = V.Top > 0 ? V.Top : 10;
  if (V.shows(By::Site)) {
    for (const size_t I : selectSites(P, V)) {
      const SiteResult &S = P.Sites[I];
      if (Out.size() == Top)
        break;
      Out.push_back(
          fmt::format("| {} | {} | {} | {}",
                      markdownCode(shortFunction(locationOf(S).Function), 70),
                      markdownCode(locationText(locationOf(S)), 70),
                      markdownCode(shownBlocks(P, S), 60), figures(S.Sum)));
    }
    return Out;
  }
  for (const TypeRow &R : selectTypeRows(P, V)) {
    if (Out.size() == Top)
      break;
    const std::string Life =
        R.life().P50 ? humanLifetime(*R.life().P50, P.LifetimeUnit, true) : "-";
    Out.push_back(fmt::format("| {} | {} | {}", markdownCode(R.name(), 90),
                              Life, figures(R.sum())));
  }
  return Out;
}

std::string next(std::string_view File) {
  const std::string Of = markdownCode(File, 200);
  const std::string Name = Of.substr(1, Of.size() - 2);
  return fmt::format("\nNext: `inmem report --by site {0}`, `inmem report "
                     "--by finding {0}`, `inmem html -o report.html {0}`\n",
                     Name);
}

} // namespace

std::string printMarkdown(const Profile &P, const View &V,
                          std::string_view File) {
  const std::string End = next(File);
  std::string Out = head(P);
  const auto Add = [&](std::string Title, const std::vector<std::string> &Rows,
                       size_t Room) {
    size_t Shown = 0;
    for (const std::string &Row : Rows) {
      // Room for the line that says how many are left out.
      if (Out.size() + Title.size() + Row.size() + 40 > Room)
        break;
      Out += std::exchange(Title, "") + Row;
      ++Shown;
    }
    if (Shown < Rows.size())
      Out += fmt::format("\nand {} more\n", Rows.size() - Shown);
  };
  const size_t Room = kMarkdownRoom - End.size();
  if (!V.shows(By::Site) && V.Findings != 0) {
    std::vector<std::string> Rows = findingRows(P, V.Findings.value_or(6));
    if (Rows.empty())
      Rows.push_back(plain(whyNoFinding(P)) + "\n");
    Add("\n#### Findings\n\n", Rows, Room * 6 / 10);
  }
  Add(V.shows(By::Site)
          ? "\n| function | where | type | allocated | blocks | alive |\n"
            "| --- | --- | --- | ---: | ---: | ---: |\n"
          : "\n| type | median life | allocated | blocks | alive |\n"
            "| --- | ---: | ---: | ---: | ---: |\n",
      tableRows(P, V), Room);
  return Out + End;
}

} // namespace inmem::report

//===- MarkdownReport.cpp - A summary for a comment, or for a program -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/Reports.h"

#include "report/base/Units.h"
#include "report/findings/Findings.h"
#include "report/model/LibraryCode.h"
#include "report/model/ShownNames.h"
#include "report/names/TypeName.h"
#include "report/text/ApartNames.h"
#include "report/text/LocationText.h"
#include "report/text/Table.h"

#include <fmt/format.h>

namespace inmem::report {

std::string markdownCode(std::string_view Text, size_t Most) {
  Style Plain;
  Plain.Unicode = true;
  std::string Out = printable(Plain, Text);
  // Characters that end code, or a table's cell.
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

/// The program's text inside a sentence of the report.
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

/// Names and paths are cut where rows agree, in UTF-8.
Style wide() {
  Style S;
  S.Unicode = true;
  return S;
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
  const std::vector<Finding> Found = findingsOf(P, Most);
  std::vector<std::string> About, Out;
  for (const Finding &F : Found)
    About.push_back(F.Type ? aboutOf(P, F) : std::string());
  About = shortNames(wide(), About, 80);
  for (size_t I = 0; I < Found.size(); ++I) {
    const Finding &F = Found[I];
    std::string Row = fmt::format("- **{}** {}", nameOf(F.severity()),
                                  markdownCode(nameOf(F.Rule), 40));
    if (F.Type)
      Row += ' ' + markdownCode(About[I], 240);
    if (!F.Where.Function.empty() || !F.Where.File.empty())
      Row += " at " +
             markdownCode(fitPath(wide(), locationText(F.Where), 100), 300);
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

std::vector<std::string> siteRows(const Profile &P, const View &V, size_t Top) {
  std::vector<const SiteResult *> Sites;
  std::vector<std::string> Functions, Blocks, Out;
  for (const size_t I : selectSites(P, V)) {
    if (Sites.size() == Top)
      break;
    Sites.push_back(&P.Sites[I]);
    Functions.push_back(shortFunction(locationOf(P.Sites[I]).Function));
    Blocks.push_back(shownBlocks(P, P.Sites[I]));
  }
  Functions = shortNames(wide(), Functions, 70);
  Blocks = shortNames(wide(), Blocks, 60);
  for (size_t I = 0; I < Sites.size(); ++I)
    Out.push_back(fmt::format(
        "| {} | {} | {} | {}", markdownCode(Functions[I], 210),
        markdownCode(fitPath(wide(), locationText(locationOf(*Sites[I])), 70),
                     210),
        markdownCode(Blocks[I], 180), figures(Sites[I]->Sum)));
  return Out;
}

std::vector<std::string> tableRows(const Profile &P, const View &V) {
  const size_t Top = V.Top > 0 ? V.Top : 10;
  if (V.shows(By::Site))
    return siteRows(P, V, Top);
  std::vector<TypeRow> Rows = selectTypeRows(P, V);
  Rows.resize(std::min(Rows.size(), Top));
  std::vector<std::string> Names, Out;
  for (const TypeRow &R : Rows)
    Names.push_back(R.name());
  Names = shortNames(wide(), Names, 90);
  for (size_t I = 0; I < Rows.size(); ++I) {
    const TypeRow &R = Rows[I];
    const std::string Life =
        R.life().P50 ? humanLifetime(*R.life().P50, P.LifetimeUnit, true) : "-";
    Out.push_back(fmt::format("| {} | {} | {}", markdownCode(Names[I], 270),
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
      // Leaves room for the line with the number of rows left out.
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

//===- HtmlCommand.cpp - inmem html ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PageOptions.h"
#include "cli/OutputFile.h"

namespace inmem::tools {

Action setUpHtml(CommandLine &App) {
  struct HtmlState {
    std::vector<std::string> Files;
    PageChoice Page;
    std::string Output, Heap;
    bool Diff = false;
  };
  const auto S = std::make_shared<HtmlState>();
  App.option("FILE", S->Files, "trace files; several are added up")
      .required()
      .reads();
  App.option("-o,--output", S->Output, "the file to write")
      .valueName("OUT.html")
      .required()
      .writes();
  App.flag("--diff", S->Diff, "two traces side by side: OLD NEW");
  App.option("--heap", S->Heap,
             "a heap snapshot to show, too; otherwise the newest that the "
             "process has left next to its trace")
      .valueName("FILE.heap")
      .reads();
  S->Page.addTo(App);
  App.footer("The page is one file that loads nothing: it can be mailed, or "
             "kept as an\nartifact. It holds the text of the source files that "
             "allocate most, unless\n--no-source is given. With snapshots "
             "(INMEM_OPTIONS=periodic=1) or events\n(mode=trace) it has a time "
             "line that filters everything else.\n\nExamples:\n"
             "  inmem html -o report.html trace.inmem\n"
             "  inmem html --diff old.inmem new.inmem -o diff.html\n"
             "  inmem run --html -- ./app");
  return [S]() -> Outcome {
    if (const auto Wrong = S->Page.parse())
      return *Wrong;
    if (S->Diff && S->Files.size() != 2)
      return Outcome::usage("html --diff: expected OLD and NEW");
    if (S->Diff && !S->Heap.empty())
      return Outcome::usage("html --diff: a heap snapshot cannot be shown; "
                            "inmem heap diff compares two");
    std::vector<PageInput> Sides;
    using Names = std::vector<std::string>;
    for (const Names &Of :
         S->Diff ? std::vector<Names>{{S->Files[0]}, {S->Files[1]}}
                 : std::vector<Names>{S->Files}) {
      auto Side = readPageInput(Of);
      if (!Side)
        return Outcome::unreadable(Side.status());
      Sides.push_back(std::move(*Side));
    }
    // A snapshot that was found, not named, is an input, too.
    if (Sides.size() == 1 && Sides[0].Traces.size() == 1)
      if (const std::string Trace =
              snapshotBeside(Sides[0].Traces[0].fileName());
          isSameFile(Trace, S->Output))
        return Outcome::usage("html: " + Trace + " is an input and the output");
    const auto Extra = snapshotFor(Sides, S->Heap);
    if (!Extra)
      return Outcome::unreadable(Extra.status());
    return writePage(makePage(Sides, S->Page, *Extra), S->Output);
  };
}

} // namespace inmem::tools

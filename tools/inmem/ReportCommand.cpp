//===- ReportCommand.cpp - inmem report -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReportOptions.h"
#include "cli/OutputFile.h"
#include "files/Inputs.h"
#include "files/TraceFolder.h"

#include <cstdio>

namespace inmem::tools {

Action setUpReport(CommandLine &App) {
  struct ReportState {
    ReportOptions Options;
    std::vector<std::string> Files;
    std::string Output;
  };
  const auto S = std::make_shared<ReportState>();
  App.option("FILE", S->Files,
             "trace files; several are added up; none: the newest "
             "of this folder")
      .reads();
  S->Options.addTo(App);
  App.option("-o,--output", S->Output, "write to a file")
      .valueName("FILE")
      .writes();
  App.footer("Examples:\n"
             "  inmem report inmem.4711.inmem\n"
             "  inmem report --by site --sort live --top 50 inmem.*.inmem\n"
             "  inmem report --buckets 5s,15s,25s trace.inmem\n"
             "  inmem report --type 'std::*' --min-bytes 64k trace.inmem\n"
             "  inmem report --format csv --by site -o sites.csv trace.inmem");
  return [S]() -> Outcome {
    ReportRequest Request;
    if (const auto Wrong = S->Options.parse(Request))
      return *Wrong;
    if (S->Files.empty()) {
      const auto Newest = TraceFolder(".").listStarts();
      if (Newest.empty())
        return Outcome::usage("report: expected FILE: there is no *.inmem in "
                              "this folder; if the program ran here, "
                              "`inmem doctor PROGRAM` says why it left none");
      S->Files = {Newest.front().Name};
      if (isSameFile(S->Files[0], S->Output))
        return Outcome::usage("report: " + S->Output +
                              " is an input and the output");
      std::fprintf(stderr, "inmem: the newest trace here: %s\n",
                   S->Files[0].c_str());
    }
    const auto Traces = readInputs(S->Files);
    if (!Traces)
      return Outcome::unreadable(Traces.status());
    Request.Files = S->Files;
    return report(*Traces, Request, S->Output, stdout);
  };
}

} // namespace inmem::tools

//===- ReplayCommand.cpp - inmem replay -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Command.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "replay/View.h"
#include "report/base/Units.h"
#include "trace/read/Reader.h"

#include <algorithm>

namespace inmem::tools {

namespace {

struct ReplayState {
  std::string File, Output, Unwritten;
  std::vector<std::string> Allocators;
  TextOrJson Format = TextOrJson::Text;
  ColourMode Colour = ColourMode::Auto;
  size_t Orders = 5, Pid = 0;
};

/// The process to replay: the only one, or the one given by --pid.
const trace::Trace *chooseProcess(const std::vector<trace::Trace> &Traces,
                                  size_t Pid) {
  for (const trace::Trace &T : Traces)
    if (Pid ? T.Header.Pid == Pid : Traces.size() == 1)
      return &T;
  return nullptr;
}

std::string pidsOf(const std::vector<trace::Trace> &Traces) {
  std::string Out;
  for (const trace::Trace &T : Traces)
    Out += (Out.empty() ? "" : ", ") + std::to_string(T.Header.Pid);
  return Out;
}

Outcome replay(const ReplayState &S) {
  std::vector<ReplayedRow> Rows;
  for (const std::string &Text :
       S.Allocators.empty() ? allocatorNames() : S.Allocators) {
    auto With = parseAllocator(Text);
    if (!With)
      return Outcome::usage("replay " + With.status().str());
    Rows.push_back({std::move(*With), {}});
  }
  const auto Reserved = report::parseBytes(S.Unwritten);
  if (!S.Unwritten.empty() && !Reserved)
    return Outcome::usage("replay --unwritten: expected a size such as 1M, "
                          "found '" +
                          S.Unwritten + "'");
  const auto Traces = trace::readTraces(S.File);
  if (!Traces)
    return Outcome::unreadable(Traces.status());
  const trace::Trace *T = chooseProcess(*Traces, S.Pid);
  if (!T)
    return Outcome::usage("replay --pid: expected one of " + pidsOf(*Traces) +
                          ", found " +
                          (S.Pid ? std::to_string(S.Pid) : "nothing"));
  auto Steps = readScript(*T);
  if (!Steps)
    return Outcome::unreadable(Steps.status());
  const auto Runs = Replayer::find();
  if (!Runs)
    return Outcome::unreadable(Runs.status());
  if (Reserved)
    for (Script::Thread &Of : Steps->Threads)
      for (replayer::Step &Each : Of.Steps)
        Each.IsReserved = Each.Size >= *Reserved;
  const std::vector<Order> Orders = makeOrders(*Steps, S.Orders);
  {
    const Progress Working("replaying");
    for (ReplayedRow &Row : Rows)
      for (const Order &O : Orders) {
        const auto Size = Runs->run(*Steps, O, Row.With);
        // Without --malloc, any allocator may be missing.
        if (!Size && S.Allocators.empty() && Row.Sizes.empty())
          break;
        if (!Size)
          return Outcome::unreadable(Size.status());
        Row.Sizes.push_back(*Size);
      }
  }
  const ReplayView V = {*T, *Steps, Orders, Rows};
  const std::string Text =
      S.Format == TextOrJson::Json
          ? report::jsonText(replayJson(V))
          : replayText(V, styleFor(fileno(stdout), S.Colour));
  if (const auto Done = writeText(S.Output, stdout, Text); !Done.ok())
    return Outcome::unwritable(Done);
  return {};
}

} // namespace

Action setUpReplay(CommandLine &App) {
  const auto S = std::make_shared<ReplayState>();
  App.option("TRACE", S->File,
             "a trace of INMEM_OPTIONS=mode=trace:clock=exact")
      .required()
      .reads();
  App.option("--malloc", S->Allocators,
             "an allocator, and variables for it: glibc, jemalloc, mimalloc, "
             "tcmalloc or place (the lines that inmem optimize would place); "
             "without it, all that are installed")
      .valueName("NAME[:VARIABLE=VALUE,...]")
      .suggests(allocatorNames())
      .oneValue();
  App.option("--orders", S->Orders,
             "orders of the threads' steps that are tried")
      .valueName("N")
      .showDefault();
  App.option("--unwritten", S->Unwritten,
             "write only the first page of blocks of that size or more, such "
             "as 1M")
      .valueName("SIZE");
  App.option("--pid", S->Pid, "the process, if the trace has several")
      .valueName("PID");
  App.format(S->Format, "{}");
  App.option("-o,--output", S->Output, "file to write; -: standard output")
      .valueName("OUT")
      .writes();
  addColourOption(App, S->Colour);
  App.footer(
      "Allocates and frees as the recorded program did, once with each "
      "allocator and in each\norder, and prints the resident memory of the "
      "heap: its peak, and at the end.\n\n"
      "Examples:\n"
      "  INMEM_OPTIONS=mode=trace:clock=exact:output=app.inmem ./app\n"
      "  inmem replay app.inmem\n"
      "  inmem replay --malloc glibc --malloc glibc:MALLOC_ARENA_MAX=2 "
      "app.inmem\n"
      "  inmem replay --malloc jemalloc:MALLOC_CONF=dirty_decay_ms:0 "
      "app.inmem");
  return [S]() -> Outcome {
    if (S->Orders == 0)
      return Outcome::usage("replay --orders: expected 1 or more, found 0");
    return replay(*S);
  };
}

} // namespace inmem::tools

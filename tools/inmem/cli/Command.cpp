//===- Command.cpp - The table of subcommands -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Command.h"

namespace inmem::tools {

std::span<const Command> commands() {
  static constexpr Command kAll[] = {
      {"run", "run a program with recording on and print the report", setUpRun},
      {"attach", "record a process that already runs", setUpAttach},
      {"detach", "end what `inmem attach` began", setUpDetach},
      {"report", "tables and lifetime histograms of traces", setUpReport},
      {"flame", "a flame graph of call stacks", setUpFlame},
      {"html", "one page with everything, for the browser", setUpHtml},
      {"serve", "the same over a folder of traces, on this machine",
       setUpServe},
      {"symbolize", "put functions, files and lines of stacks into traces",
       setUpSymbolize},
      {"diff", "what changed between two traces", setUpDiff},
      {"check", "whether traces stay within a budget or near a baseline",
       setUpCheck},
      {"export", "a trace for other tools: pprof, speedscope, massif and more",
       setUpExport},
      {"query", "questions over a fleet: many traces in Parquet files",
       setUpQuery},
      {"fleet", "upkeep of a fleet's folder: compact and expire", setUpFleet},
      {"collect", "upload finished traces to a shared store", setUpCollect},
      {"import", "a trace of what heaptrack, DHAT, massif or pprof recorded",
       setUpImport},
      {"add-types", "types in heap profiles of jemalloc, gperftools, pprof",
       setUpAddTypes},
      {"heap", "a heap snapshot: retained sizes, leaks, duplicates, padding",
       setUpHeap},
      {"resident", "each resident page explained: who pins it, what returns it",
       setUpResident},
      {"replay", "peak and final RSS under other allocators, as ranges",
       setUpReplay},
      {"optimize", "a profile for the compiler from lifetimes", setUpOptimize},
      {"verify-optimization",
       "whether a program, or its lifetimes, got better or worse", setUpVerify},
      {"fix", "patches for findings, and whether they help", setUpFix},
      {"merge", "one trace file of many", setUpMerge},
      {"top", "types of a running program, live in the terminal", setUpTop},
      {"ctl", "start, stop, reset or look at recording in a running program",
       setUpCtl},
      {"mcp", "report, sites, findings and diff as tools for an agent",
       setUpMcp},
      {"lsp", "hints, hovers, findings and edits for editors", setUpLsp},
      {"doctor", "whether inmem, a program or a trace is as it should be",
       setUpDoctor},
      {"init", "lets the project in this folder build with inmem", setUpInit},
      {"completion", "completion of this command line for a shell",
       setUpCompletion},
      {"dump", "a trace as text, record by record", setUpDump},
  };
  return kAll;
}

} // namespace inmem::tools

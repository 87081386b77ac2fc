//===- ThreadTable.cpp - Threads ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/Printer.h"
#include <fmt/format.h>

namespace inmem::report {

void Printer::threadTable() {
  const std::vector<size_t> Rows = selectThreads(P, V);
  title("THREADS");
  Table T;
  T.column({"thread", false, true, 0, Paint::Bold});
  if (P.Processes.size() > 1)
    T.column({"pid", true, false, 3});
  T.column({"tid", true, false, 2});
  T.column({"bytes"});
  T.column({"share", true, false, 4});
  T.column({"blocks"});
  T.column({"freed here", true, false, 1});
  T.column({"temporary", true, false, 5});
  uint64_t Shown = 0, All = 0;
  for (const size_t I : Rows) {
    const ThreadResult &R = P.Threads[I];
    Shown += R.AllocatedBytes;
    std::vector<std::string> Cells = {R.Name.empty()
                                          ? fmt::format("thread {}", R.Index)
                                          : printable(S, R.Name)};
    if (P.Processes.size() > 1)
      Cells.push_back(fmt::format("{}", R.Pid));
    Cells.push_back(fmt::format("{}", R.Tid));
    Cells.push_back(humanBytes(R.AllocatedBytes));
    Cells.push_back(humanShare(R.AllocatedBytes, P.Totals.AllocatedBytes));
    Cells.push_back(humanCount(R.Allocations));
    Cells.push_back(humanBytes(R.FreedBytes));
    Cells.push_back(humanCount(R.Temporary));
    T.row(std::move(Cells));
  }
  for (const ThreadResult &R : P.Threads)
    All += R.AllocatedBytes;
  Out += T.render(S);
  more(P.Threads.size() - Rows.size(), "thread", humanBytes(All - Shown));
}

} // namespace inmem::report

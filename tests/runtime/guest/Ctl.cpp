//===- Ctl.cpp - `inmem ctl PID snapshot` for a guest ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses the tool's own LiveProcess without the libraries of the whole tool, so
// that it runs in a guest (aarch64_heap.py).
//
//===----------------------------------------------------------------------===//
#include "tools/inmem/live/LiveProcess.h"
#include "tools/inmem/live/RemoteImage.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace inmem;

// A guest has no libelf, which finds the attachment. Its programs run with
// inmem from the start and are never detached.
bool tools::isDetached(pid_t) { return false; }

int main(int Count, char **Words) {
  if (Count != 4 || std::strcmp(Words[1], "ctl") != 0 ||
      std::strcmp(Words[3], "snapshot") != 0)
    return 2;
  auto Process = tools::LiveProcess::attach(std::atoi(Words[2]), true);
  trace::Status Given = Process ? trace::Status() : Process.status();
  if (Given.ok())
    Given = Process->give(trace::CommandKind::Snapshot, "snapshot");
  if (Given.ok())
    Given = Process->give(trace::CommandKind::Heap);
  if (!Given.ok()) {
    std::fprintf(stderr, "%s\n", Given.str().c_str());
    return 3;
  }
  const bool Obeyed = Process->waitObeyed(std::chrono::milliseconds(100));
  std::puts(Obeyed ? "snapshot taken" : "waits");
  return 0;
}

//===- Progress.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Progress.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace inmem::tools {

Progress::Progress(std::string Of) : What(std::move(Of)) {
  if (isatty(STDERR_FILENO))
    Shower = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!Shower.joinable())
    return;
  {
    const std::lock_guard Held(Lock);
    IsDone = true;
  }
  Ended.notify_one();
  Shower.join();
}

void Progress::show() {
  using namespace std::chrono_literals;
  std::unique_lock Held(Lock);
  if (Ended.wait_for(Held, 500ms, [this] { return IsDone; }))
    return;
  for (int Seconds = 0;; ++Seconds) {
    std::fprintf(stderr, "\rinmem: %s ... %d s", What.c_str(), Seconds);
    std::fflush(stderr);
    if (Ended.wait_for(Held, 1s, [this] { return IsDone; }))
      break;
  }
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

} // namespace inmem::tools

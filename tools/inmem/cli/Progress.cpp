//===- Progress.cpp - A line on the terminal while work takes long --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Terminal.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace inmem::tools {

/// Cuts a line to the terminal's width: a wrapped line could not be erased.
static std::string cutToTerminal(std::string Line) {
  winsize Size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &Size) == 0 && Size.ws_col > 1)
    Line.resize(std::min<size_t>(Line.size(), Size.ws_col - 1));
  return Line;
}

/// Work that ends sooner shows nothing. Tests set 0, so that no speed of a
/// machine decides what they see.
static std::chrono::milliseconds quietTime() {
  using namespace std::chrono_literals;
  const char *Set = std::getenv("INMEM_PROGRESS_AFTER_MS");
  if (!Set)
    return 500ms;
  return std::chrono::milliseconds(std::strtoul(Set, nullptr, 10));
}

Progress::Progress(std::string Of) : What(std::move(Of)) {
  if (!isatty(STDERR_FILENO))
    return;
  if (quietTime().count() == 0)
    draw(0);
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

void Progress::draw(int Seconds) const {
  const std::string Line =
      "inmem: " + What + " ... " + std::to_string(Seconds) + " s";
  std::fprintf(stderr, "\r%s", cutToTerminal(Line).c_str());
  std::fflush(stderr);
}

void Progress::show() {
  using namespace std::chrono_literals;
  std::unique_lock Held(Lock);
  if (const auto Quiet = quietTime();
      Quiet.count() > 0 &&
      Ended.wait_for(Held, Quiet, [this] { return IsDone; }))
    return;
  for (int Seconds = 0;; ++Seconds) {
    draw(Seconds);
    if (Ended.wait_for(Held, 1s, [this] { return IsDone; }))
      break;
  }
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

} // namespace inmem::tools

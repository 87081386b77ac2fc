//===- Terminal.h - A terminal: style of text, and progress -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_TERMINAL_H
#define INMEM_TOOLS_TERMINAL_H

#include "cli/CommandLine.h"
#include "report/text/Table.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace inmem::tools {

/// Auto: on a terminal, unless NO_COLOR is set or TERM is dumb.
enum class ColourMode { Auto, Always, Never };

/// Declares --color; \p Into must outlive App.
void addColourOption(CommandLine &App, ColourMode &Into,
                     const std::string &Help = "{}",
                     const std::string &Names = "--color");

/// Width, colour and character set for text to Fd. Width: COLUMNS, else the
/// terminal's, else 100. Unicode if the locale is UTF-8.
report::Style styleFor(int Fd, ColourMode Colour);

// Progress.cpp: a terminal line that shows progress.

/// The work of building a profile.
inline constexpr const char *kAddingUp =
    "adding up and naming what was recorded";

/// Shows the current work and its duration on standard error, if that is a
/// terminal and the work takes more than half a second. The destructor erases
/// the line.
class Progress {
public:
  /// \param What text such as `reading 3 traces`
  explicit Progress(std::string What);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

private:
  void show();
  void draw(int Seconds) const;

  std::string What;
  std::mutex Lock;
  std::condition_variable Ended;
  bool IsDone = false;
  std::thread Shower; ///< not joinable without a terminal
};

} // namespace inmem::tools

#endif

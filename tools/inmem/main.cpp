//===- main.cpp - The `inmem` command -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one subcommand and maps errors to exit codes: 0 done, 1 a check found
// something, 2 wrong usage, 3 an input that cannot be read, 4 an output that
// cannot be written.
//
//===----------------------------------------------------------------------===//
#include "cli/Command.h"

#include "trace/read/MissingPages.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <unistd.h>

using namespace inmem::tools;

static const Program kProgram = {
    "inmem", "inmem " INMEM_VERSION,
    "inmem shows which C and C++ types a program allocates, where, "
    "how much, and how long they live.",
    "Examples:\n"
    "  inmem run -- ./app --its-own-options\n"
    "  inmem report inmem.4711.inmem\n"
    "  inmem report --by site --sort live *.inmem\n"
    "  inmem report --format json trace.inmem | jq .totals\n\n"
    "`inmem COMMAND --help` explains a command.\n"
    "Exit codes: 0 done, 1 a check found something, 2 wrong usage,\n"
    "3 an input that cannot be read, 4 an output that cannot be written."};

/// Called if a page of a mapped file is missing, because the file has shrunk.
static void endOfShrunkFile() {
  constexpr char kLine[] =
      "inmem: an input file became shorter while it was read\n";
  const ssize_t Ignored = write(STDERR_FILENO, kLine, sizeof kLine - 1);
  (void)Ignored;
  _exit(kUnreadable);
}

// An exception here is our own error in declaring options.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int Argc, char **Argv) {
  // End silently if the reader of our output exits (`| head`).
  std::signal(SIGPIPE, SIG_DFL);
  inmem::trace::MissingPages::handle(endOfShrunkFile);

  const Chosen What = chooseCommand(Argc, Argv, kProgram, commands());
  if (!What.Act)
    return What.Code;
  try {
    const Outcome Out = What.Act();
    if (!Out.Message.empty())
      std::fprintf(stderr, "inmem: %s\n", Out.Message.c_str());
    return Out.Code;
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "inmem: out of memory\n");
  } catch (const std::exception &Error) {
    std::fprintf(stderr, "inmem: %s\n", Error.what());
  }
  return kUnreadable;
}

//===- main.cpp - The `inmem` command -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses argv, runs one subcommand, maps errors to exit codes: 0 done, 1 a
// check found something, 2 wrong usage, 3 an input that cannot be read, 4 an
// output that cannot be written.
//
//===----------------------------------------------------------------------===//
#include "Command.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <unistd.h>
#include <vector>

using namespace inmem::tools;

/// A page of a mapped file is gone: the file is shorter than it was.
static void onShrunkFile(int) {
  constexpr char kLine[] =
      "inmem: an input file became shorter while it was read\n";
  const ssize_t Ignored = write(STDERR_FILENO, kLine, sizeof kLine - 1);
  (void)Ignored;
  _exit(kUnreadable);
}

// What is thrown here is a mistake of ours in declaring options.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int Argc, char **Argv) {
  // A reader of our output that goes away (`| head`) ends us silently.
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGBUS, onShrunkFile);

  CLI::App App("inmem shows which C and C++ types a program allocates, where, "
               "how much, and how long they live.");
  App.name("inmem");
  App.set_version_flag("--version", "inmem " INMEM_VERSION,
                       "print the version and exit");
  App.require_subcommand(1);
  App.footer(
      "Examples:\n"
      "  inmem run -- ./app --its-own-options\n"
      "  inmem report inmem.4711.inmem\n"
      "  inmem report --by site --sort live *.inmem\n"
      "  inmem report --format json trace.inmem | jq .totals\n\n"
      "`inmem COMMAND --help` explains a command.\n"
      "Exit codes: 0 done, 1 a check found something, 2 wrong usage,\n"
      "3 an input that cannot be read, 4 an output that cannot be written.");
  std::vector<std::pair<CLI::App *, Action>> Actions;
  for (const Command &One : commands()) {
    CLI::App *Sub = App.add_subcommand(One.Name, One.Summary);
    CommandLine Line(*Sub);
    Actions.emplace_back(Sub, One.Options(Line));
  }

  try {
    App.parse(Argc, Argv);
  } catch (const CLI::Success &Help) { // --help, --version
    return App.exit(Help);
  } catch (const CLI::ParseError &Error) {
    std::fprintf(stderr, "inmem: %s\n", Error.what());
    const auto Chosen = App.get_subcommands();
    std::fprintf(stderr, "inmem: see `inmem %s--help`\n",
                 Chosen.empty() ? "" : (Chosen[0]->get_name() + ' ').c_str());
    return kUsage;
  }
  for (const auto &[Sub, Act] : Actions) {
    if (!Sub->parsed())
      continue;
    try {
      const Outcome Out = Act();
      if (!Out.Message.empty())
        std::fprintf(stderr, "inmem: %s\n", Out.Message.c_str());
      return Out.Code;
    } catch (const std::bad_alloc &) {
      std::fprintf(stderr, "inmem: out of memory\n");
      return kUnreadable;
    } catch (const std::exception &Error) {
      std::fprintf(stderr, "inmem: %s\n", Error.what());
      return kUnreadable;
    }
  }
  return kUsage;
}

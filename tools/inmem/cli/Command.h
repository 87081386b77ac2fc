//===- Command.h - The subcommands of `inmem` -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subcommand is one file: its options, its help and its code. A line in
// commands() registers it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_COMMAND_H
#define INMEM_TOOLS_COMMAND_H

#include "cli/CommandLine.h"
#include "trace/read/Status.h"

#include <functional>
#include <span>

namespace inmem::tools {

/// Exit codes of the process.
enum ExitCode : int {
  kDone = 0,
  kFound = 1,      ///< a check found something
  kUsage = 2,      ///< wrong usage
  kUnreadable = 3, ///< an input that cannot be read
  kUnwritable = 4  ///< an output that cannot be written
};

/// Result of a command: an exit code, or an error with one.
struct Outcome {
  int Code = kDone;
  std::string Message; ///< printed as `inmem: Message`; empty: nothing

  static Outcome usage(std::string Text) { return {kUsage, std::move(Text)}; }
  static Outcome unreadable(const trace::Status &S) {
    return {kUnreadable, S.str()};
  }
  static Outcome unwritable(const trace::Status &S) {
    return {kUnwritable, S.str()};
  }
};

/// Runs the command after argv was parsed.
using Action = std::function<Outcome()>;

/// Adds options to App and returns the function to run with them.
using Setup = Action (*)(CommandLine &App);

struct Command {
  const char *Name;
  const char *Summary; ///< one line, for `inmem --help`
  Setup Options;
};

/// Help texts about the program.
struct Program {
  const char *Name, *Version, *Summary, *Footer;
};

/// The result of parsing argv: an action, or an exit code after help or a usage
/// error was printed.
struct Chosen {
  int Code = kDone;
  Action Act;
};
/// In ChooseCommand.cpp. \param All the commands to choose from
Chosen chooseCommand(int Argc, char **Argv, const Program &P,
                     std::span<const Command> All);

/// All subcommands, in help order.
std::span<const Command> commands();

Action setUpRun(CommandLine &App);
Action setUpAddTypes(CommandLine &App);
Action setUpAttach(CommandLine &App);
Action setUpDetach(CommandLine &App);
Action setUpReplay(CommandLine &App);
Action setUpReport(CommandLine &App);
Action setUpFlame(CommandLine &App);
Action setUpHtml(CommandLine &App);
Action setUpServe(CommandLine &App);
Action setUpMcp(CommandLine &App);
Action setUpLsp(CommandLine &App);
Action setUpSymbolize(CommandLine &App);
Action setUpDiff(CommandLine &App);
Action setUpCheck(CommandLine &App);
Action setUpExport(CommandLine &App);
Action setUpQuery(CommandLine &App);
Action setUpFleet(CommandLine &App);
Action setUpCollect(CommandLine &App);
Action setUpImport(CommandLine &App);
Action setUpMerge(CommandLine &App);
Action setUpDump(CommandLine &App);
Action setUpCtl(CommandLine &App);
Action setUpHeap(CommandLine &App);
Action setUpResident(CommandLine &App);
Action setUpOptimize(CommandLine &App);
Action setUpVerify(CommandLine &App);
Action setUpFix(CommandLine &App);
Action setUpTop(CommandLine &App);
Action setUpDoctor(CommandLine &App);
Action setUpInit(CommandLine &App);
Action setUpCompletion(CommandLine &App);

} // namespace inmem::tools

#endif

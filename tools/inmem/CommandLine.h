//===- CommandLine.h - Options of a subcommand ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What subcommands need of CLI11, without its headers: they cost each unit that
// includes them five seconds of compile time.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_COMMANDLINE_H
#define INMEM_TOOLS_COMMANDLINE_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): not ours
class App;
class Option;
} // namespace CLI

namespace inmem::tools {

/// One option or positional argument.
class Option {
public:
  explicit Option(CLI::Option &O) : Of(O) {}
  /// Sets the name of the value in the help.
  Option &valueName(const char *Name);
  Option &required();
  /// The help shows the value that the variable has now.
  Option &showDefault();
  /// Each value needs the option's name again: what follows is an argument.
  Option &oneValue();
  Option &oneOf(const std::vector<std::string> &Values);
  Option &between(int Min, int Max);
  /// The values are files, or folders of them, that the command reads.
  Option &reads();
  /// The value is a file that the command writes. No command starts that would
  /// write to what it reads.
  Option &writes();

private:
  CLI::Option &Of;
};

/// Use that a command makes of files named by an option.
enum class FileUse { None, Reads, Writes };
FileUse fileUseOf(const CLI::Option *O);
/// The words of oneOf(); empty: any value.
const std::vector<std::string> &choicesOf(const CLI::Option *O);

/// Where the words behind `--` go; null: they are arguments.
std::vector<std::string> *commandOf(const CLI::App &A);

/// Declares options; the variables must outlive parsing.
class CommandLine {
public:
  explicit CommandLine(CLI::App &A) : App(A) {}
  Option option(const std::string &Names, std::string &Into,
                const std::string &Help);
  Option option(const std::string &Names, std::vector<std::string> &Into,
                const std::string &Help);
  Option option(const std::string &Names, size_t &Into,
                const std::string &Help);
  Option option(const std::string &Names, std::optional<size_t> &Into,
                const std::string &Help);
  Option option(const std::string &Names, std::optional<std::string> &Into,
                const std::string &Help);
  Option option(const std::string &Names, int &Into, const std::string &Help);
  Option option(const std::string &Names, double &Into,
                const std::string &Help);
  void flag(const std::string &Names, bool &Into, const std::string &Help);
  /// The words behind the first `--` are a command line of the user's.
  void commandBehindDashes(std::vector<std::string> &Into);
  /// No option may follow the first positional argument.
  void positionalsLast();
  void footer(const std::string &Text);

private:
  CLI::App &App;
};

} // namespace inmem::tools

#endif

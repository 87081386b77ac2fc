//===- CommandLine.h - Options of a subcommand ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of CLI11 that subcommands need, without its headers, which cost each
// unit that includes them five seconds of compile time.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_COMMANDLINE_H
#define INMEM_TOOLS_COMMANDLINE_H

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
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
  /// Shows the variable's current value as the default in the help.
  Option &showDefault();
  /// Each value must repeat the option's name: the next word is an argument.
  Option &oneValue();
  Option &between(int Min, int Max);
  /// The values are files, or folders of them, that the command reads.
  Option &reads();
  /// Words that shells complete; other values are allowed.
  Option &suggests(std::vector<std::string> Words);
  /// The value is a file that the command writes. A command that would
  /// overwrite its input does not start.
  Option &writes();

private:
  CLI::Option &Of;
};

/// The use that a command makes of files named by an option.
enum class FileUse { None, Reads, Writes };
FileUse fileUseOf(const CLI::Option *O);
/// The words of a choice(); empty if any value is allowed.
const std::vector<std::string> &wordsOf(const CLI::Option *O);
/// The words of suggests().
const std::vector<std::string> &suggestionsOf(const CLI::Option *O);

/// Where the words after `--` are stored; null if they are arguments.
std::vector<std::string> *commandOf(const CLI::App &A);

/// A word on the command line and its value.
template <class T> struct Choice {
  std::string_view Word;
  T Value;
};
/// Choices from a list elsewhere, such as sortNames().
template <class T, class Entry, class Name>
std::vector<Choice<T>> choicesOf(std::span<const Entry> All, Name Entry::*Word,
                                 T Entry::*Value) {
  std::vector<Choice<T>> Out;
  Out.reserve(All.size());
  for (const Entry &One : All)
    Out.push_back({One.*Word, One.*Value});
  return Out;
}
/// As above, but each entry is its own value.
template <class Entry, class Name>
std::vector<Choice<const Entry *>> choicesOf(std::span<const Entry> All,
                                             Name Entry::*Word) {
  std::vector<Choice<const Entry *>> Out;
  Out.reserve(All.size());
  for (const Entry &One : All)
    Out.push_back({One.*Word, &One});
  return Out;
}

enum class TextOrJson { Text, Json };

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
  /// Declares an option with one of the words in \p All, which appear in help,
  /// error messages and completion. \param Help `{}` is replaced by the list of
  /// words
  template <class T>
  Option choice(const std::string &Names, T &Into,
                const std::vector<Choice<std::type_identity_t<T>>> &All,
                const std::string &Help) {
    std::vector<std::string> Words;
    Words.reserve(All.size());
    for (const Choice<T> &One : All)
      Words.emplace_back(One.Word);
    return choice(
        Names, std::move(Words),
        [All, &Into](size_t I) { Into = All[I].Value; },
        [All, &Into] {
          const auto At = std::ranges::find(All, Into, &Choice<T>::Value);
          return static_cast<size_t>(At - All.begin());
        },
        Help);
  }
  /// --format of commands that print text or JSON.
  /// \param Help as of choice()
  void format(TextOrJson &Into, const std::string &Help = "{}");
  void flag(const std::string &Names, bool &Into, const std::string &Help);
  /// The words after the first `--` are a command line of the user's.
  void commandBehindDashes(std::vector<std::string> &Into);
  /// Allows no option after the first positional argument.
  void positionalsLast();
  void footer(const std::string &Text);

private:
  /// \param Set takes the index of the word on the command line
  /// \param Get returns the index of the default
  Option choice(const std::string &Names, std::vector<std::string> Words,
                const std::function<void(size_t)> &Set,
                const std::function<size_t()> &Get, std::string Help);

  CLI::App &App;
};

} // namespace inmem::tools

#endif

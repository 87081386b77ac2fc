//===- CommandLine.cpp - Options of a subcommand --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/CommandLine.h"

#include "report/base/Words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <unistd.h>

namespace inmem::tools {

using report::didYouMean;
using report::listed;

static std::map<const CLI::Option *, std::vector<std::string>> &choices() {
  static std::map<const CLI::Option *, std::vector<std::string>> All;
  return All;
}

Option &Option::valueName(const char *Name) {
  Of.type_name(Name);
  return *this;
}

Option &Option::required() {
  Of.required();
  return *this;
}

Option &Option::showDefault() {
  Of.capture_default_str();
  return *this;
}

Option &Option::oneValue() {
  Of.allow_extra_args(false);
  return *this;
}

const std::vector<std::string> &wordsOf(const CLI::Option *O) {
  static const std::vector<std::string> None;
  const auto Found = choices().find(O);
  return Found == choices().end() ? None : Found->second;
}

static std::map<const CLI::Option *, std::vector<std::string>> &suggestions() {
  static std::map<const CLI::Option *, std::vector<std::string>> All;
  return All;
}

Option &Option::suggests(std::vector<std::string> Words) {
  suggestions()[&Of] = std::move(Words);
  return *this;
}

const std::vector<std::string> &suggestionsOf(const CLI::Option *O) {
  return suggestions()[O];
}

Option &Option::between(int Min, int Max) {
  Of.expected(Min, Max);
  return *this;
}

static std::map<const CLI::Option *, FileUse> &fileUses() {
  static std::map<const CLI::Option *, FileUse> All;
  return All;
}

Option &Option::reads() {
  fileUses()[&Of] = FileUse::Reads;
  return *this;
}

Option &Option::writes() {
  fileUses()[&Of] = FileUse::Writes;
  return *this;
}

FileUse fileUseOf(const CLI::Option *O) {
  const auto Found = fileUses().find(O);
  return Found == fileUses().end() ? FileUse::None : Found->second;
}

Option CommandLine::option(const std::string &Names, std::string &Into,
                           const std::string &Help) {
  return Option(*App.add_option(Names, Into, Help));
}

Option CommandLine::option(const std::string &Names,
                           std::vector<std::string> &Into,
                           const std::string &Help) {
  return Option(*App.add_option(Names, Into, Help));
}

/// Needed because CLI11 wraps -1 to the largest number.
static const CLI::Validator &wholeNumber() {
  static const CLI::Validator Check(
      [](std::string &Text) {
        const bool Digits =
            !Text.empty() &&
            Text.find_first_not_of("0123456789") == std::string::npos;
        return Digits ? std::string()
                      : std::string("expected a number, 0 or more, found ") +
                            (access(Text.c_str(), F_OK) == 0 ? "the file '"
                                                             : "'") +
                            Text + "'";
      },
      "");
  return Check;
}

/// Accepts any number, so that CLI11's own message is never used.
static const CLI::Validator &anyNumber() {
  static const CLI::Validator Check(
      [](std::string &Text) {
        char *End = nullptr;
        std::strtod(Text.c_str(), &End);
        return !Text.empty() && *End == '\0'
                   ? std::string()
                   : "expected a number, found '" + Text + "'";
      },
      "");
  return Check;
}

Option CommandLine::option(const std::string &Names, size_t &Into,
                           const std::string &Help) {
  return Option(*App.add_option(Names, Into, Help)->check(wholeNumber()));
}

Option CommandLine::option(const std::string &Names,
                           std::optional<size_t> &Into,
                           const std::string &Help) {
  return Option(*App.add_option(Names, Into, Help)->check(wholeNumber()));
}

Option CommandLine::option(const std::string &Names,
                           std::optional<std::string> &Into,
                           const std::string &Help) {
  return Option(*App.add_option(Names, Into, Help));
}

Option CommandLine::option(const std::string &Names, int &Into,
                           const std::string &Help) {
  return Option(*App.add_option(Names, Into, Help)->check(wholeNumber()));
}

Option CommandLine::option(const std::string &Names, double &Into,
                           const std::string &Help) {
  return Option(*App.add_option(Names, Into, Help)->check(anyNumber()));
}

Option CommandLine::choice(const std::string &Names,
                           std::vector<std::string> Words,
                           const std::function<void(size_t)> &Set,
                           const std::function<size_t()> &Get,
                           std::string Help) {
  if (const size_t At = Help.find("{}"); At != std::string::npos)
    Help.replace(At, 2, listed(Words));
  const auto IndexOf = [Words](const std::string &Text) {
    return static_cast<size_t>(std::ranges::find(Words, Text) - Words.begin());
  };
  CLI::Option &O = *App.add_option_function<std::string>(
      Names, [=](const std::string &Text) { Set(IndexOf(Text)); }, Help);
  O.check(CLI::Validator(
      [=](std::string &Text) {
        return IndexOf(Text) < Words.size()
                   ? std::string()
                   : "expected " + listed(Words) + ", found '" + Text + "'" +
                         didYouMean(Text, Words);
      },
      ""));
  O.default_function([=] {
    const size_t At = Get();
    return At < Words.size() ? Words[At] : std::string();
  });
  choices()[&O] = std::move(Words);
  return Option(O);
}

void CommandLine::format(TextOrJson &Into, const std::string &Help) {
  choice("--format", Into,
         {{"text", TextOrJson::Text}, {"json", TextOrJson::Json}}, Help)
      .valueName("NAME")
      .showDefault();
}

void CommandLine::flag(const std::string &Names, bool &Into,
                       const std::string &Help) {
  App.add_flag(Names, Into, Help);
}

static std::map<const CLI::App *, std::vector<std::string> *> &userCommands() {
  static std::map<const CLI::App *, std::vector<std::string> *> All;
  return All;
}

void CommandLine::commandBehindDashes(std::vector<std::string> &Into) {
  userCommands()[&App] = &Into;
}

std::vector<std::string> *commandOf(const CLI::App &A) {
  const auto Found = userCommands().find(&A);
  return Found == userCommands().end() ? nullptr : Found->second;
}

void CommandLine::positionalsLast() { App.positionals_at_end(true); }

void CommandLine::footer(const std::string &Text) { App.footer(Text); }

} // namespace inmem::tools

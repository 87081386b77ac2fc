//===- CommandLine.cpp - Options of a subcommand --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandLine.h"

#include "Suggest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <unistd.h>

namespace inmem::tools {

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

Option &Option::oneOf(const std::vector<std::string> &Values) {
  const CLI::Validator Check(
      [Values](std::string &Text) {
        return std::ranges::find(Values, Text) != Values.end()
                   ? std::string()
                   : "expected " + listed(Values) + ", found '" + Text + "'" +
                         didYouMean(Text, Values);
      },
      "");
  Of.check(Check);
  choices()[&Of] = Values;
  return *this;
}

const std::vector<std::string> &choicesOf(const CLI::Option *O) {
  static const std::vector<std::string> None;
  const auto Found = choices().find(O);
  return Found == choices().end() ? None : Found->second;
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

/// CLI11 wraps -1 to the largest number.
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

/// Any number, so that the library's own words are never needed.
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

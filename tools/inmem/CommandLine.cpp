//===- CommandLine.cpp - Options of a subcommand --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandLine.h"

#include <CLI/CLI.hpp>

namespace inmem::tools {

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
  Of.check(CLI::IsMember(Values));
  return *this;
}

Option &Option::between(int Min, int Max) {
  Of.expected(Min, Max);
  return *this;
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
static const CLI::Validator kWhole(
    [](std::string &Text) {
      const bool Digits =
          !Text.empty() &&
          Text.find_first_not_of("0123456789") == std::string::npos;
      return Digits ? std::string()
                    : "expected a number, 0 or more, found '" + Text + "'";
    },
    "");

Option CommandLine::option(const std::string &Names, size_t &Into,
                           const std::string &Help) {
  return Option(*App.add_option(Names, Into, Help)->check(kWhole));
}

Option CommandLine::option(const std::string &Names,
                           std::optional<size_t> &Into,
                           const std::string &Help) {
  return Option(*App.add_option(Names, Into, Help)->check(kWhole));
}

Option CommandLine::option(const std::string &Names, int &Into,
                           const std::string &Help) {
  return Option(*App.add_option(Names, Into, Help));
}

Option CommandLine::option(const std::string &Names, double &Into,
                           const std::string &Help) {
  return Option(*App.add_option(Names, Into, Help));
}

void CommandLine::flag(const std::string &Names, bool &Into,
                       const std::string &Help) {
  App.add_flag(Names, Into, Help);
}

void CommandLine::positionalsLast() { App.positionals_at_end(true); }

void CommandLine::footer(const std::string &Text) { App.footer(Text); }

} // namespace inmem::tools

//===- CommandLine.cpp - Options of a subcommand --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandLine.h"

#include "Command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

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
static const CLI::Validator &wholeNumber() {
  static const CLI::Validator Check(
      [](std::string &Text) {
        const bool Digits =
            !Text.empty() &&
            Text.find_first_not_of("0123456789") == std::string::npos;
        return Digits ? std::string()
                      : "expected a number, 0 or more, found '" + Text + "'";
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

Chosen chooseCommand(int Argc, char **Argv, const Program &P,
                     std::span<const Command> All) {
  CLI::App App(P.Summary);
  App.name(P.Name);
  App.set_version_flag("--version", P.Version, "print the version and exit");
  App.require_subcommand(1);
  App.footer(P.Footer);
  std::vector<Action> Actions;
  for (const Command &One : All) {
    CommandLine Line(*App.add_subcommand(One.Name, One.Summary));
    Actions.push_back(One.Options(Line));
  }
  try {
    App.parse(Argc, Argv);
  } catch (const CLI::Success &Help) { // --help, --version
    return {App.exit(Help), nullptr};
  } catch (const CLI::ParseError &Error) {
    const auto Named = App.get_subcommands();
    const auto Word = std::find_if(Argv + 1, Argv + Argc, [](const char *Text) {
      return Text[0] != '-' && Text[0] != '\0';
    });
    if (Named.empty() && Word != Argv + Argc)
      std::fprintf(stderr, "%s: no subcommand '%s'\n", P.Name, *Word);
    else
      std::fprintf(stderr, "%s: %s\n", P.Name, Error.what());
    std::fprintf(stderr, "%s: see `%s %s--help`\n", P.Name, P.Name,
                 Named.empty() ? "" : (Named[0]->get_name() + ' ').c_str());
    return {kUsage, nullptr};
  }
  for (size_t I = 0; I < All.size(); ++I)
    if (App.got_subcommand(All[I].Name))
      return {kDone, std::move(Actions[I])};
  return {kUsage, nullptr};
}

} // namespace inmem::tools

//===- ChooseCommand.cpp - argv to the action of a subcommand -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CLI11 parses, but its errors are reported in our own words. A command that
// would overwrite its input does not start.
//
//===----------------------------------------------------------------------===//
#include "cli/Command.h"
#include "cli/HelpModel.h"
#include "cli/Output.h"
#include "cli/OutputFile.h"
#include "cli/Terminal.h"
#include "report/base/Words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace inmem::tools {

using report::didYouMean;

namespace fs = std::filesystem;

static ProgramHelp &model() {
  static ProgramHelp Only;
  return Only;
}

const ProgramHelp &programHelp() { return model(); }

namespace {

// Formats help to the width of the terminal.

using report::displayWidth;

/// Breaks \p Text at spaces into lines of at most \p Width columns; a longer
/// word gets its own line.
std::string wrappedAt(std::string_view Text, size_t Width) {
  std::string Out;
  size_t Used = 0;
  while (!Text.empty()) {
    const size_t End = std::min(Text.find(' '), Text.size());
    const size_t Own = displayWidth(Text.substr(0, End));
    if (Used > 0) {
      const bool Fits = Used + 1 + Own <= Width;
      Out += Fits ? ' ' : '\n';
      Used = Fits ? Used + 1 : 0;
    }
    Out += Text.substr(0, End);
    Used += Own;
    Text.remove_prefix(std::min(End + 1, Text.size()));
  }
  return Out;
}

/// Wraps an indented line such as `  126   it cannot be executed` or `  pprof:
/// a profile` below its explanation. Other lines are commands, and stay
/// unchanged.
std::string wrappedItem(const std::string &Line, size_t Width) {
  const size_t Word = std::min(Line.find_first_not_of(' '), Line.size());
  const size_t End = std::min(Line.find(' ', Word), Line.size());
  const size_t Text = std::min(Line.find_first_not_of(' ', End), Line.size());
  const bool IsName = End > Word && Line[End - 1] == ':';
  if (displayWidth(Line) <= Width || (Text < End + 2 && !IsName))
    return Line;
  const size_t Left = IsName ? Word + 2 : Text;
  const std::string Lines = wrappedAt(Line.substr(IsName ? Word : Text),
                                      Width - std::min(Width, Left));
  std::string Out = Line.substr(0, IsName ? Word : Text);
  for (const char C : Lines) {
    Out += C;
    if (C == '\n')
      Out.append(Left, ' ');
  }
  return Out;
}

/// Wraps only paragraphs that contain too long a line.
std::string wrappedParagraphs(const std::string &Text, size_t Width) {
  std::string Out, Joined, AsWritten;
  bool TooLong = false;
  const auto End = [&] {
    Out += TooLong ? wrappedAt(Joined, Width) + '\n' : AsWritten;
    Joined.clear();
    AsWritten.clear();
    TooLong = false;
  };
  for (size_t At = 0; At < Text.size();) {
    const size_t Next = std::min(Text.find('\n', At), Text.size());
    const std::string Line = Text.substr(At, Next - At);
    At = Next + 1;
    if (Line.empty() || Line[0] == ' ') {
      End();
      Out += wrappedItem(Line, Width) + '\n';
      continue;
    }
    TooLong |= displayWidth(Line) > Width;
    Joined += (Joined.empty() ? "" : " ") + Line;
    AsWritten += Line + '\n';
  }
  End();
  while (Out.ends_with("\n\n"))
    Out.pop_back();
  return Out;
}

class Wrapped : public CLI::Formatter {
public:
  explicit Wrapped(size_t Columns) : Width(Columns) {}

  std::string make_option_desc(const CLI::Option *O) const override {
    return besideNames(CLI::Formatter::make_option_desc(O));
  }
  std::string make_subcommand(const CLI::App *Sub) const override {
    std::string Out = "  " + Sub->get_name();
    Out.resize(std::max(Out.size() + 1, get_column_width()), ' ');
    return Out + indented(besideNames(Sub->get_description())) + '\n';
  }
  std::string make_description(const CLI::App *A) const override {
    return wrappedParagraphs(CLI::Formatter::make_description(A), Width);
  }
  std::string make_footer(const CLI::App *A) const override {
    return wrappedParagraphs(CLI::Formatter::make_footer(A), Width);
  }

private:
  /// Text that starts in the second column; the library indents its lines.
  std::string besideNames(const std::string &Text) const {
    constexpr size_t kLeast = 20;
    const size_t Left = get_column_width();
    return wrappedAt(Text, std::max(kLeast, Width - std::min(Width, Left)));
  }
  std::string indented(const std::string &Text) const {
    std::string Out;
    for (const char C : Text) {
      Out += C;
      if (C == '\n')
        Out.append(get_column_width(), ' ');
    }
    return Out;
  }

  size_t Width;
};

// Commands as data.

OptionHelp helpOf(const CLI::Option &O) {
  OptionHelp Out;
  for (const std::string &Name : O.get_snames())
    Out.Names.push_back("-" + Name);
  for (const std::string &Name : O.get_lnames())
    Out.Names.push_back("--" + Name);
  // A flag has no value; an argument is identified by its name.
  if (Out.Names.empty())
    Out.Value = O.get_name();
  else if (O.get_expected_max() > 0)
    Out.Value = O.get_type_name();
  Out.Text = O.get_description();
  Out.Default = O.get_default_str();
  Out.Choices = wordsOf(&O);
  Out.Suggested = suggestionsOf(&O);
  Out.Required = O.get_required();
  Out.IsFile = fileUseOf(&O) != FileUse::None;
  return Out;
}

ProgramHelp helpOf(const Program &P, const CLI::App &App,
                   std::span<const Command> All) {
  ProgramHelp Out{P.Name, P.Version, P.Summary, P.Footer, {}};
  for (const Command &One : All) {
    const CLI::App &Sub = *App.get_subcommand(One.Name);
    CommandHelp C{One.Name, One.Summary, Sub.get_footer(), {}};
    for (const CLI::Option *O : Sub.get_options())
      if (O->get_name() != "--help")
        C.Options.push_back(helpOf(*O));
    Out.Commands.push_back(std::move(C));
  }
  return Out;
}

/// Writes manual pages and completions below Folder, in their installed layout.
Chosen writePages(const Program &P, const std::string &Folder) {
  std::vector<ManualPage> All = manualPages(model());
  for (ManualPage &Page : All)
    Page.File = "man/" + Page.File;
  for (const Shell &One : shells())
    All.push_back({std::string(One.File), One.CompletionFor(model())});
  for (const ManualPage &Page : All) {
    const std::string To = Folder + "/" + Page.File;
    std::error_code Error; // ignored: writing reports the error
    fs::create_directories(fs::path(To).parent_path(), Error);
    if (const auto Done = writeText(To, stdout, Page.Text); !Done.ok()) {
      std::fprintf(stderr, "%s: %s\n", P.Name, Done.str().c_str());
      return {kUnwritable, nullptr};
    }
  }
  return {kDone, nullptr};
}

/// `--top N`, or `FILE` for an argument without a name.
std::string shown(const CLI::Option &O) {
  return O.get_positional() ? O.get_name()
                            : O.get_name() + " " + O.get_type_name();
}

std::vector<std::string> optionNames(const CLI::App &Of) {
  std::vector<std::string> Out;
  for (const CLI::Option *O : Of.get_options())
    for (const std::string &Name : O->get_lnames())
      Out.push_back("--" + Name);
  return Out;
}

/// Error message for an unparsed word.
std::string wrongWord(const CLI::App &Sub, const std::string &Word) {
  if (Word.size() < 2 || Word[0] != '-')
    return Sub.get_name() + ": '" + Word + "' is one argument too many";
  const std::string Name = Word.substr(0, Word.find('='));
  return Sub.get_name() + ": no option '" + Name + "'" +
         didYouMean(Name, optionNames(Sub));
}

/// Error message for an option that is given, or has values, too many or too
/// few times.
std::string wrongCount(const CLI::App &Sub, const std::string &Said) {
  for (const CLI::Option *O : Sub.get_options()) {
    const std::string Name = O->get_name();
    if (Said.find(Name) == std::string::npos)
      continue;
    if (O->get_expected_max() == 0)
      return Name + ": takes no value";
    const auto Most = static_cast<size_t>(O->get_items_expected_max());
    if (O->count() > Most)
      return O->get_positional()
                 ? Sub.get_name() + ": expected " + Name + ", found " +
                       std::to_string(O->count()) + " arguments"
                 : Name + ": given " + std::to_string(O->count()) + " times";
    if (Said.find("missing") != std::string::npos || O->count() == 0)
      return Name + ": expected " + O->get_type_name() + ", found nothing";
  }
  return Said;
}

/// CLI11's error in our words.
std::string wrongIn(const CLI::App &Sub, const CLI::ParseError &Error) {
  for (const std::string &Word : Sub.remaining())
    if (Word != "--")
      return wrongWord(Sub, Word);
  const std::string Kind = Error.get_name();
  std::string Said = Error.what();
  if (Kind == "RequiredError")
    for (const CLI::Option *O : Sub.get_options())
      if (O->get_required() && O->count() == 0)
        return Sub.get_name() + ": expected " + shown(*O);
  if (Kind == "ArgumentMismatch" || Kind == "ConversionError")
    return wrongCount(Sub, Said);
  return Said; // from one of our checks
}

/// True if an input, which may be a folder or `-`, contains that file.
bool isInput(const std::string &Input, const std::string &File) {
  if (Input == "-")
    return isSameFile(STDIN_FILENO, File);
  std::error_code Error;
  if (!fs::is_directory(Input, Error))
    return isSameFile(Input, File);
  for (const auto &Entry : fs::directory_iterator(Input, Error))
    if (isSameFile(Entry.path().string(), File))
      return true;
  return false;
}

/// True if two outputs would be written to one file.
bool isSameOutput(const std::string &A, const std::string &B) {
  std::error_code Error;
  if (fs::exists(A, Error))
    return isSameFile(A, B);
  const auto Where = [&Error](const std::string &Name) {
    return fs::weakly_canonical(fs::absolute(Name, Error), Error);
  };
  return Where(A) == Where(B);
}

/// Error message if the files that Sub names cannot be read and written
/// together.
std::optional<std::string> conflictOf(const CLI::App &Sub) {
  std::vector<std::string> Inputs;
  std::vector<std::pair<const CLI::Option *, std::string>> Outputs;
  bool HasOutput = false;
  for (const CLI::Option *O : Sub.get_options()) {
    const FileUse Use = fileUseOf(O);
    HasOutput |= Use == FileUse::Writes;
    if (Use == FileUse::Reads)
      for (const std::string &File : O->results())
        Inputs.push_back(File);
    if (Use == FileUse::Writes)
      for (const std::string &File : O->results())
        if (!File.empty() && File != "-" && descriptorNamed(File) < 0)
          Outputs.emplace_back(O, File);
  }
  const std::string Who = Sub.get_name() + ": ";
  for (const std::string &Input : Inputs) {
    for (const auto &[O, File] : Outputs)
      if (isInput(Input, File))
        return Who + File + " is an input and the output" +
               (O->get_name() == "--output" ? "" : " of " + O->get_name());
    // Otherwise, a command would read its own output, appended to the input.
    if (HasOutput && Input != "-" && isSameFile(STDOUT_FILENO, Input))
      return Who + Input + " is an input and standard output";
  }
  for (size_t I = 0; I < Outputs.size(); ++I)
    for (size_t J = I + 1; J < Outputs.size(); ++J)
      if (isSameOutput(Outputs[I].second, Outputs[J].second))
        return Who + Outputs[I].second + " is the output of " +
               Outputs[I].first->get_name() + " and of " +
               Outputs[J].first->get_name();
  return std::nullopt;
}

/// Moves the words after `--` to the command that Sub expects there, if any.
void takeCommand(const CLI::App &Sub, std::vector<std::string> &Words) {
  std::vector<std::string> *Into = commandOf(Sub);
  const auto Dashes = std::ranges::find(Words, "--");
  if (!Into || Dashes == Words.end())
    return;
  Into->assign(Dashes + 1, Words.end());
  Words.erase(Dashes, Words.end());
}

/// Prints a line about wrong usage, and where to find help.
Chosen refuse(const Program &P, const CLI::App *Sub, const std::string &Why) {
  std::fprintf(stderr, "%s: %s\n%s: see `%s %s--help`\n", P.Name, Why.c_str(),
               P.Name, P.Name, Sub ? (Sub->get_name() + ' ').c_str() : "");
  return {kUsage, nullptr};
}

} // namespace

Chosen chooseCommand(int Argc, char **Argv, const Program &P,
                     std::span<const Command> All) {
  CLI::App App(P.Summary);
  App.name(P.Name);
  // In a pipe, keep each option on one line, for grep.
  if (isatty(STDOUT_FILENO) || std::getenv("COLUMNS"))
    App.formatter(std::make_shared<Wrapped>(
        styleFor(STDOUT_FILENO, ColourMode::Never).Width));
  App.set_version_flag("--version", P.Version, "print the version and exit");
  App.require_subcommand(1);
  App.footer(P.Footer);
  std::vector<Action> Actions;
  std::vector<std::string> Names{"help"};
  for (const Command &One : All) {
    CommandLine Line(*App.add_subcommand(One.Name, One.Summary));
    Actions.push_back(One.Options(Line));
    Names.emplace_back(One.Name);
  }
  std::vector<std::string> Words(Argv + 1, Argv + Argc);
  if (Words.empty()) {
    std::fprintf(stderr, "%s: expected a subcommand\n\n%s", P.Name,
                 App.help().c_str());
    return {kUsage, nullptr};
  }
  model() = helpOf(P, App, All);
  // The build calls this to write the manual pages.
  if (Words.size() == 3 && Words[0] == "help" && Words[1] == "--pages")
    return writePages(P, Words[2]);
  // `help COMMAND` means `COMMAND --help`.
  if (Words[0] == "help") {
    Words.erase(Words.begin());
    if (Words.empty() || Words[0][0] != '-')
      Words.insert(Words.begin() + (Words.empty() ? 0 : 1), "--help");
  }
  if (!Words[0].starts_with('-') &&
      std::ranges::find(Names, Words[0]) == Names.end())
    return refuse(P, nullptr,
                  "no subcommand '" + Words[0] + "'" +
                      didYouMean(Words[0], Names));
  if (Words[0].starts_with('-') && Words[0] != "--help" && Words[0] != "-h" &&
      Words[0] != "--version")
    return refuse(P, nullptr,
                  "expected a subcommand, found the option '" + Words[0] + "'");
  if (!Words[0].starts_with('-'))
    takeCommand(*App.get_subcommand(Words[0]), Words);
  try {
    std::ranges::reverse(Words); // CLI11 expects reverse order
    App.parse(Words);
  } catch (const CLI::Success &Help) { // --help, --version
    return {App.exit(Help), nullptr};
  } catch (const CLI::ParseError &Error) {
    const auto Named = App.get_subcommands();
    return Named.empty() ? refuse(P, nullptr, Error.what())
                         : refuse(P, Named[0], wrongIn(*Named[0], Error));
  }
  for (size_t I = 0; I < All.size(); ++I)
    if (App.got_subcommand(All[I].Name)) {
      if (const auto Why = conflictOf(*App.get_subcommand(All[I].Name))) {
        std::fprintf(stderr, "%s: %s\n", P.Name, Why->c_str());
        return {kUsage, nullptr};
      }
      return {kDone, std::move(Actions[I])};
    }
  return {kUsage, nullptr};
}

} // namespace inmem::tools

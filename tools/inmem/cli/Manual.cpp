//===- Manual.cpp - Pages for man(1) --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/HelpModel.h"
#include "tools/wrapper/HelpText.h"

#include <algorithm>

namespace inmem::tools {

namespace {

/// Escapes text for man(1).
std::string manText(const std::string &Text) {
  std::string Out;
  bool Begins = true;
  for (const char C : Text) {
    if (Begins && (C == '.' || C == '\''))
      Out += "\\&";
    Begins = C == '\n';
    if (C == '\\')
      Out += "\\e";
    else if (C == '-')
      Out += "\\-";
    else
      Out += C;
  }
  return Out;
}

std::string manBold(const std::string &Text) {
  return "\\fB" + manText(Text) + "\\fR";
}

std::string manItalic(const std::string &Text) {
  return "\\fI" + manText(Text) + "\\fR";
}

std::string manHead(const std::string &Name, int Section,
                    const std::string &Summary) {
  std::string Title = Name;
  if (Section == 1)
    std::ranges::transform(Title, Title.begin(), [](char C) {
      return C >= 'a' && C <= 'z' ? static_cast<char>(C - 'a' + 'A') : C;
    });
  return ".\\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
         ".TH \"" +
         manText(Title) + "\" " + std::to_string(Section) +
         " \"\" \"inmem\"\n" + ".SH NAME\n" + manText(Name) + " \\- " +
         manText(Summary) + "\n";
}

/// Preformatted lines, such as examples.
std::string manLines(const std::string &Text) {
  return ".nf\n" + manText(Text) + (Text.ends_with('\n') ? "" : "\n") + ".fi\n";
}

std::string optionText(const OptionHelp &O) {
  std::string Names;
  for (const std::string &Name : O.Names)
    Names += (Names.empty() ? "" : ", ") + manBold(Name);
  if (!O.Value.empty())
    Names += (Names.empty() ? "" : " ") + manItalic(O.Value);
  std::string Out = ".TP\n" + Names + "\n" + manText(O.Text);
  if (!O.Default.empty())
    Out += " [" + manText(O.Default) + "]";
  return Out + "\n";
}

std::string synopsis(const ProgramHelp &P, const CommandHelp &C) {
  std::string Out = ".SH SYNOPSIS\n" + manBold(P.Name + " " + C.Name) + " [" +
                    manItalic("OPTIONS") + "]";
  for (const OptionHelp &O : C.Options)
    if (O.Names.empty())
      Out += " " +
             (O.Required ? manItalic(O.Value) : "[" + manItalic(O.Value) + "]");
    else if (O.Required)
      Out += " " + manBold(O.Names.back()) + " " + manItalic(O.Value);
  return Out + "\n";
}

std::string seeAlso(const std::vector<std::string> &Pages) {
  std::string Out = ".SH SEE ALSO\n";
  for (size_t I = 0; I < Pages.size(); ++I)
    Out += manText(Pages[I]) + (I + 1 < Pages.size() ? ",\n" : "\n");
  return Out;
}

ManualPage programPage(const ProgramHelp &P) {
  std::string Text = manHead(P.Name, 1, "which types a program allocates") +
                     ".SH SYNOPSIS\n" + manBold(P.Name) + " " +
                     manItalic("COMMAND") + " [" + manItalic("ARGUMENTS") +
                     "]\n" + ".SH DESCRIPTION\n" + manText(P.Summary) +
                     "\n.SH COMMANDS\n";
  std::vector<std::string> Pages;
  for (const CommandHelp &C : P.Commands) {
    Text += ".TP\n" + manBold(C.Name) + "\n" + manText(C.Summary) + "\n";
    Pages.push_back(P.Name + "-" + C.Name + "(1)");
  }
  Pages.insert(Pages.end(), {"inmem-clang(1)", "INMEM_OPTIONS(7)"});
  Text += ".SH NOTES\n" + manLines(P.Footer) + seeAlso(Pages);
  return {"man1/" + P.Name + ".1", Text};
}

ManualPage commandPage(const ProgramHelp &P, const CommandHelp &C) {
  const std::string Name = P.Name + "-" + C.Name;
  std::string Text = manHead(Name, 1, C.Summary) + synopsis(P, C);
  if (!C.Options.empty())
    Text += ".SH OPTIONS\n";
  for (const OptionHelp &O : C.Options)
    Text += optionText(O);
  if (!C.Footer.empty())
    Text += ".SH NOTES\n" + manLines(C.Footer);
  return {"man1/" + Name + ".1",
          Text + seeAlso({P.Name + "(1)", "INMEM_OPTIONS(7)"})};
}

ManualPage wrapperPage() {
  std::string Text =
      manHead("inmem-clang", 1, "clang that compiles and links with inmem") +
      ".SH SYNOPSIS\n" + manBold("inmem-clang") + " " + manItalic("ARGUMENTS") +
      "\n.br\n" + manBold("inmem-clang++") + " " + manItalic("ARGUMENTS") +
      "\n.SH DESCRIPTION\n" + manText(wrapper::kAbout) + "\n";
  for (const wrapper::HelpLine &L : wrapper::kHelpLines)
    Text += ".TP\n" + manBold(L.Title) + "\n" +
            manText(wrapper::filledIn(L.Text, "PREFIX/lib")) + "\n";
  return {"man1/inmem-clang.1",
          Text + seeAlso({"inmem(1)", "INMEM_OPTIONS(7)", "clang(1)"})};
}

ManualPage optionsPage() {
  struct Line {
    const char *Name, *Default, *Help;
  };
  static constexpr Line kLines[] = {
#define INMEM_OPTION(K, Member, Name, Default, Help) {Name, Default, Help},
#include "runtime/options/options.inc"
#undef INMEM_OPTION
  };
  std::string Text =
      manHead("INMEM_OPTIONS", 7,
              "what a program compiled with inmem records") +
      ".SH SYNOPSIS\n" + manBold("INMEM_OPTIONS=") + manItalic("NAME") +
      manBold("=") + manItalic("VALUE") + manBold(":") + "... " +
      manItalic("PROGRAM") + "\n.SH DESCRIPTION\n" +
      manText("The environment variable is read when the program starts. "
              "help=1 lists the options.") +
      "\n.SH OPTIONS\n";
  for (const Line &L : kLines)
    Text += optionText(
        {{std::string(L.Name) + "="}, "", L.Help, L.Default, {}, false, false});
  return {"man7/INMEM_OPTIONS.7", Text + seeAlso({"inmem(1)"})};
}

} // namespace

std::vector<ManualPage> manualPages(const ProgramHelp &Of) {
  std::vector<ManualPage> Out{programPage(Of), wrapperPage(), optionsPage()};
  for (const CommandHelp &C : Of.Commands)
    Out.push_back(commandPage(Of, C));
  // The C++ wrapper shares the page.
  Out.push_back({"man1/inmem-clang++.1", ".so man1/inmem-clang.1\n"});
  return Out;
}

} // namespace inmem::tools

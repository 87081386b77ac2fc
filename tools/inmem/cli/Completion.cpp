//===- Completion.cpp - Completion for shells -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/HelpModel.h"

#include <fmt/format.h>
#include <string_view>

namespace inmem::tools {

namespace {

std::string spaced(const std::vector<std::string> &Words) {
  std::string Out;
  for (const std::string &Word : Words)
    Out += (Out.empty() ? "" : " ") + Word;
  return Out;
}

std::string commandNames(const ProgramHelp &P) {
  std::string Out = "help";
  for (const CommandHelp &C : P.Commands)
    Out += " " + C.Name;
  return Out;
}

/// Quotes text for a shell, with characters in \p Special escaped.
std::string shellText(const std::string &Text, std::string_view Special) {
  std::string Out;
  for (const char C : Text) {
    if (C == '\'') {
      Out += "'\\''";
      continue;
    }
    if (Special.find(C) != std::string_view::npos)
      Out += '\\';
    Out += C == '\n' ? ' ' : C;
  }
  return Out;
}

/// Words that the value may be.
const std::vector<std::string> &valuesOf(const OptionHelp &O) {
  return O.Choices.empty() ? O.Suggested : O.Choices;
}

std::string forBash(const ProgramHelp &P) {
  std::string Options, Choices, Arguments;
  for (const CommandHelp &C : P.Commands) {
    std::vector<std::string> Names{"--help"};
    size_t Argument = 0;
    for (const OptionHelp &O : C.Options) {
      Names.insert(Names.end(), O.Names.begin(), O.Names.end());
      Argument += O.Names.empty();
      if (valuesOf(O).empty())
        continue;
      const std::string Values = "') values='" + spaced(valuesOf(O)) + "' ;;\n";
      for (const std::string &Name : O.Names)
        Choices += fmt::format("    '{} {}{}", C.Name, Name, Values);
      if (O.Names.empty())
        Arguments += fmt::format("    '{} {}{}", C.Name, Argument, Values);
    }
    Options += fmt::format("    {}) options='{}' ;;\n", C.Name, spaced(Names));
  }
  return "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
         "_inmem() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} options='' values=''\n"
         "  local before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  COMPREPLY=()\n"
         "  if [[ $COMP_CWORD == 1 || ( $COMP_CWORD == 2 && $before == help ) "
         "]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         commandNames(P) +
         " --help --version' -- \"$word\")\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         Options +
         "  esac\n"
         "  case \"${COMP_WORDS[1]} $before\" in\n" +
         Choices +
         "  esac\n"
         "  local argument=1 each list=''\n"
         "  for each in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
         "    [[ $each == -* ]] || argument=$((argument + 1))\n"
         "  done\n"
         "  [[ $values || $before == -* ]] || "
         "case \"${COMP_WORDS[1]} $argument\" in\n" +
         Arguments +
         "  esac\n"
         "  if [[ $values ]]; then\n"
         "    [[ $word != *,* ]] || list=${word%,*},\n"
         "    mapfile -t COMPREPLY < <(compgen -P \"$list\" -W \"$values\" -- "
         "\"${word##*,}\")\n"
         "  elif [[ $word == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -o default -F _inmem inmem\n";
}

std::string forZsh(const ProgramHelp &P) {
  constexpr std::string_view kSpecial = "[]:\\`$";
  std::string Names, Cases;
  for (const CommandHelp &C : P.Commands) {
    Names += "    '" + C.Name + ":" + shellText(C.Summary, ":\\") + "'\n";
    Cases += "  " + C.Name + ")\n    _arguments \\\n";
    size_t Argument = 0;
    for (const OptionHelp &O : C.Options) {
      const std::string Values = !valuesOf(O).empty()
                                     ? "(" + spaced(valuesOf(O)) + ")"
                                 : O.IsFile ? "_files"
                                            : " ";
      if (O.Names.empty()) {
        ++Argument;
        if (!valuesOf(O).empty())
          Cases += "      '" + std::to_string(Argument) + ":" +
                   shellText(O.Value, kSpecial) + ":" + Values + "' \\\n";
        if (O.IsFile)
          Cases += "      '*:" + shellText(O.Value, kSpecial) + ":_files' \\\n";
        continue;
      }
      for (const std::string &Name : O.Names)
        Cases += "      '*" + Name + "[" + shellText(O.Text, kSpecial) + "]" +
                 (O.Value.empty()
                      ? ""
                      : ":" + shellText(O.Value, kSpecial) + ":" + Values) +
                 "' \\\n";
    }
    Cases += "      '--help[print the help]'\n    ;;\n";
  }
  return "#compdef inmem\n"
         "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
         "local -a commands=(\n" +
         Names +
         ")\n"
         "if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
         "  _describe command commands\n"
         "  return\n"
         "fi\n"
         "local name=$words[2]\n"
         "shift words\n"
         "(( CURRENT-- ))\n"
         "case $name in\n" +
         Cases + "esac\n";
}

std::string forFish(const ProgramHelp &P) {
  std::string Out =
      "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n";
  const std::string First = "complete -c inmem -n __fish_use_subcommand -f ";
  for (const CommandHelp &C : P.Commands)
    Out +=
        First + "-a " + C.Name + " -d '" + shellText(C.Summary, "\\") + "'\n";
  Out += First +
         "-a help -d 'print the help'\n"
         "complete -c inmem -n '__fish_seen_subcommand_from help' -f "
         "-a '" +
         commandNames(P) + "'\n";
  for (const CommandHelp &C : P.Commands)
    for (const OptionHelp &O : C.Options) {
      if (O.Names.empty() && valuesOf(O).empty())
        continue;
      Out +=
          "complete -c inmem -n '__fish_seen_subcommand_from " + C.Name + "'";
      for (const std::string &Name : O.Names)
        Out += Name.starts_with("--") ? " -l " + Name.substr(2)
                                      : " -s " + Name.substr(1);
      if (!valuesOf(O).empty())
        Out += std::string(O.Names.empty() ? " -f" : " -x") + " -a '" +
               spaced(valuesOf(O)) + "'";
      else if (!O.Value.empty())
        Out += O.IsFile ? " -r" : " -x";
      Out += " -d '" + shellText(O.Text, "\\") + "'\n";
    }
  return Out;
}

} // namespace

std::span<const Shell> shells() {
  static constexpr Shell kAll[] = {
      {"bash", "bash-completion/completions/inmem", forBash},
      {"zsh", "zsh/site-functions/_inmem", forZsh},
      {"fish", "fish/vendor_completions.d/inmem.fish", forFish}};
  return kAll;
}

} // namespace inmem::tools

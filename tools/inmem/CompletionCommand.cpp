//===- CompletionCommand.cpp - inmem completion ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Command.h"
#include "cli/HelpModel.h"
#include "cli/Output.h"

#include <memory>

namespace inmem::tools {

Action setUpCompletion(CommandLine &App) {
  const auto Chosen = std::make_shared<const Shell *>();
  App.choice("SHELL", *Chosen, choicesOf(shells(), &Shell::Name), "{}")
      .required();
  App.footer("An installed inmem has it where shells look for it; otherwise "
             "load it yourself.\n\nExamples:\n"
             "  source <(inmem completion bash)\n"
             "  inmem completion fish > ~/.config/fish/completions/inmem.fish");
  return [Chosen]() -> Outcome {
    const auto Done =
        writeText("", stdout, (*Chosen)->CompletionFor(programHelp()));
    return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
  };
}

} // namespace inmem::tools

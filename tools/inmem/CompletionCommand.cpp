//===- CompletionCommand.cpp - inmem completion ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Command.h"
#include "HelpModel.h"
#include "Output.h"

namespace inmem::tools {

Action setUpCompletion(CommandLine &App) {
  const auto Shell = std::make_shared<std::string>();
  App.option("SHELL", *Shell, "bash, zsh or fish")
      .required()
      .oneOf({"bash", "zsh", "fish"});
  App.footer("An installed inmem has it where shells look for it; otherwise "
             "load it yourself.\n\nExamples:\n"
             "  source <(inmem completion bash)\n"
             "  inmem completion fish > ~/.config/fish/completions/inmem.fish");
  return [Shell]() -> Outcome {
    const auto Done =
        writeText("", stdout, completionFor(programHelp(), *Shell));
    return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
  };
}

} // namespace inmem::tools

//===- LspCommand.cpp - inmem lsp -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Command.h"
#include "lsp/Server.h"

namespace inmem::tools {

Action setUpLsp(CommandLine &App) {
  const auto Glob = std::make_shared<std::string>();
  const auto Stdio = std::make_shared<bool>(false);
  App.option("--trace", *Glob,
             "traces to look for, as seen from the workspace's folder; the "
             "newest is shown. Default: all *.inmem below it")
      .valueName("GLOB");
  App.flag("--stdio", *Stdio, "as without it; some editors add it");
  App.footer("An editor starts it and speaks the Language Server Protocol over "
             "standard input and\noutput. docs/howto/editor.md has the "
             "configuration of several.\n\nExamples:\n"
             "  inmem lsp\n"
             "  inmem lsp --trace 'build/*.inmem'");
  return [Glob, Stdio]() -> Outcome { return {Server(*Glob).run(), {}}; };
}

} // namespace inmem::tools

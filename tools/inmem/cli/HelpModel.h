//===- HelpModel.h - The text of --help, as data ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Help, manual pages and completions are generated from the same declarations.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_HELPMODEL_H
#define INMEM_TOOLS_HELPMODEL_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace inmem::tools {

struct OptionHelp {
  std::vector<std::string> Names; ///< with dashes; empty: positional
  std::string Value;              ///< empty: a flag
  std::string Text;
  std::string Default;              ///< empty: none is shown
  std::vector<std::string> Choices; ///< empty: anything
  bool Required = false, IsFile = false;
  std::vector<std::string> Suggested = {}; ///< some of its values
};

struct CommandHelp {
  std::string Name, Summary, Footer;
  std::vector<OptionHelp> Options;
};

struct ProgramHelp {
  std::string Name, Version, Summary, Footer;
  std::vector<CommandHelp> Commands;
};

/// All subcommands; filled by chooseCommand() before an action runs.
const ProgramHelp &programHelp();

struct ManualPage {
  std::string File; ///< such as `man1/inmem-report.1`
  std::string Text; ///< for man(7)
};

/// inmem(1), a page for each subcommand, inmem-clang(1), INMEM_OPTIONS(7).
std::vector<ManualPage> manualPages(const ProgramHelp &Of);

struct Shell {
  std::string_view Name;
  std::string_view File; ///< completion file, relative to the data folder
  std::string (*CompletionFor)(const ProgramHelp &Of);
};
/// The supported shells.
std::span<const Shell> shells();

} // namespace inmem::tools

#endif

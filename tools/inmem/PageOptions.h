//===- PageOptions.h - Traces to pages
//--------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_PAGEOPTIONS_H
#define INMEM_TOOLS_PAGEOPTIONS_H

#include "Command.h"
#include "ReportOptions.h"
#include "report/formats/Json.h"

namespace inmem::tools {

/// What `html` and `serve` let the user choose.
struct PageChoice {
  std::vector<std::string> Types, Sites;
  std::string Limit = "3500k";
  bool NoSymbols = false, NoSource = false;
  std::string SourceRoot;

  /// Declares them; this must outlive App.
  void addTo(CommandLine &App);
  /// What is wrong with them, if anything.
  std::optional<Outcome> check() const;
};

/// The data of a page of one set of files, or of two side by side (New is not
/// empty). On failure Data is empty.
struct PageResult {
  Outcome How;
  std::string Data;
  std::vector<std::string> Notes;
};
PageResult makePage(const std::vector<std::string> &Files,
                    const std::vector<std::string> &New,
                    const PageChoice &Choice,
                    const report::Json &Extra = report::Json::object());

} // namespace inmem::tools

#endif

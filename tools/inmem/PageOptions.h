//===- PageOptions.h - Traces to pages --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_PAGEOPTIONS_H
#define INMEM_TOOLS_PAGEOPTIONS_H

#include "ReportOptions.h"
#include "cli/Command.h"
#include "report/formats/Json.h"
#include "trace/read/Trace.h"

namespace inmem::tools {

/// Choices that `html` and `serve` offer the user.
struct PageChoice {
  std::vector<std::string> Types, Sites;
  std::string Limit = "3500k";
  uint64_t MostBytes = 0; ///< parsed Limit
  bool NoSymbols = false, NoSource = false;
  std::string SourceRoot;
  /// An editor's name. After parse(), the template of links with {file} and
  /// {line}, or empty.
  std::string Editor = "vscode";

  /// Declares the options; this must outlive App.
  void addTo(CommandLine &App);
  /// Parses Limit and Editor. \returns the first error, if any.
  std::optional<Outcome> parse();
};

/// Input for one side of a page.
struct PageInput {
  std::vector<trace::Trace> Traces;
  std::string Label;
};

/// The newest heap snapshot next to a trace: the last of app.heap, app.2.heap
/// and so on next to app.inmem, or empty. Does not follow links: `serve` shows
/// nothing from outside its folder.
std::string snapshotBeside(const std::string &TraceFile);

/// Members of a page's head for a heap snapshot. Uses \p File or, if empty,
/// snapshotBeside() the trace of the only process shown, if it belongs to that
/// process. A missing snapshot is not an error.
trace::Result<report::Json> snapshotFor(const std::vector<PageInput> &Sides,
                                        const std::string &File);

/// Reads the traces of one side. Its label is the first file, and the number of
/// others.
trace::Result<PageInput> readPageInput(const std::vector<std::string> &Files);
std::string pageLabel(const std::vector<std::string> &Files);

/// The data of a page with one side, or with old and new next to each other. On
/// failure, Data is empty. With damaged traces, How reports the damage and Data
/// is set.
struct PageResult {
  Outcome How;
  std::string Data;
  std::vector<std::string> Notes;
  std::vector<std::string> Sources; ///< files with text that it shows
};
PageResult makePage(const std::vector<PageInput> &Sides,
                    const PageChoice &Choice,
                    const report::Json &Extra = report::Json::object());

/// Writes a page to one file, and its notes to stderr. Refuses to overwrite a
/// file that it shows.
Outcome writePage(const PageResult &Page, const std::string &To);

} // namespace inmem::tools

#endif

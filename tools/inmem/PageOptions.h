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
  uint64_t MostBytes = 0; ///< Limit, once parsed
  bool NoSymbols = false, NoSource = false;
  std::string SourceRoot;
  /// A name; once parsed, the template of links with {file} and {line}, or
  /// empty.
  std::string Editor = "vscode";

  /// Declares them; this must outlive App.
  void addTo(CommandLine &App);
  /// Parses Limit and Editor. \returns the error in it, if any.
  std::optional<Outcome> parse();
};

/// Input for one side of a page.
struct PageInput {
  std::vector<trace::Trace> Traces;
  std::string Label;
};

/// The newest heap snapshot next to a trace: the last of app.heap, app.2.heap
/// and so on next to app.inmem, or empty. A link is not followed: `serve` shows
/// nothing from outside of its folder.
std::string snapshotBeside(const std::string &TraceFile);

/// Members of a page's head that show a heap snapshot: of \p File, or, if that
/// is empty, snapshotBeside() the trace of the one process shown, if it is of
/// that process. None is not an error.
trace::Result<report::Json> snapshotFor(const std::vector<PageInput> &Sides,
                                        const std::string &File);

/// Reads the traces of one side. Its label: the first file, and how many more.
trace::Result<PageInput> readPageInput(const std::vector<std::string> &Files);
std::string pageLabel(const std::vector<std::string> &Files);

/// The data of a page of one side, or of old and new next to each other. On
/// failure Data is empty; with damaged traces How says so and Data is there.
struct PageResult {
  Outcome How;
  std::string Data;
  std::vector<std::string> Notes;
  std::vector<std::string> Sources; ///< files with text that it shows
};
PageResult makePage(const std::vector<PageInput> &Sides,
                    const PageChoice &Choice,
                    const report::Json &Extra = report::Json::object());

/// Writes a page as one file, and its notes to stderr. Refuses to overwrite a
/// file that it shows.
Outcome writePage(const PageResult &Page, const std::string &To);

} // namespace inmem::tools

#endif

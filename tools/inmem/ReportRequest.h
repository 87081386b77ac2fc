//===- ReportRequest.h - Traces and a request to a report -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_REPORTREQUEST_H
#define INMEM_TOOLS_REPORTREQUEST_H

#include "cli/Command.h"
#include "cli/Terminal.h"
#include "report/model/View.h"
#include "trace/read/Trace.h"

#include <cstdio>

namespace inmem::tools {

/// PartOptions as values.
struct PartRequest {
  std::vector<std::string> ThreadGlobs;
  std::string Phase, Lived;
  /// The range of Lived: Times or Sizes, depending on the traces' clock.
  std::optional<report::ProfileOptions::Range> Times, Sizes;

  /// Applies the values to Build. Returns an error if --lived does not fit the
  /// traces' clock.
  std::optional<Outcome> apply(const std::vector<trace::Trace> &Traces,
                               report::ProfileOptions &Build) const;
};

enum class ReportFormat { Text, Json, Csv, Markdown };

/// An edge of --buckets: a time or a size, depending on the traces' clock.
struct BucketEdge {
  std::string Text;
  std::optional<uint64_t> Time, Size;
};

/// ReportOptions as values.
struct ReportRequest {
  report::View Shown;           ///< except Edges
  report::ProfileOptions Build; ///< except Part and names
  PartRequest Part;
  std::vector<BucketEdge> Edges; ///< as they were given
  ReportFormat Format = ReportFormat::Text;
  size_t Details = 0;
  bool OneScreen = false;           ///< text: see printScreen()
  std::optional<size_t> Rows;       ///< number of types on the screen
  std::vector<std::string> Files;   ///< trace files, as given to commands
  std::vector<std::string> Sources; ///< source roots
  ColourMode Colour = ColourMode::Auto;
  bool Diagnostics = false, NoSymbols = false;
};

/// Prints a report of Traces to Path (empty: Default).
Outcome report(const std::vector<trace::Trace> &Traces,
               const ReportRequest &Request, const std::string &Path,
               std::FILE *Default);

} // namespace inmem::tools

#endif

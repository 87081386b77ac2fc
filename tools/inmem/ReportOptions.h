//===- ReportOptions.h - Options that `report` and `run` share ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_REPORTOPTIONS_H
#define INMEM_TOOLS_REPORTOPTIONS_H

#include "Command.h"
#include "report/model/View.h"
#include "trace/Trace.h"

#include <cstdio>

namespace inmem::tools {

/// PartOptions as values.
struct PartRequest {
  std::vector<std::string> ThreadGlobs;
  std::string Phase, Lived;
  /// The range of Lived; the clock of the traces decides which it is.
  std::optional<report::ProfileOptions::Range> Times, Sizes;

  /// Puts them into Build; an error if --lived does not fit the traces' clock.
  std::optional<Outcome> apply(const std::vector<trace::Trace> &Traces,
                               report::ProfileOptions &Build) const;
};

/// Options that choose a part of what happened; for each command that shows
/// traces.
struct PartOptions {
  std::vector<std::string> Threads;
  std::string Lived, Phase;

  /// Declares them; this must outlive App.
  void addTo(CommandLine &App);
  /// A part is chosen.
  bool chooses() const {
    return !Threads.empty() || !Lived.empty() || !Phase.empty();
  }
  /// \returns the first error, or nothing and the values in \p Out.
  std::optional<Outcome> parse(PartRequest &Out) const;
};

enum class ReportFormat { Text, Json, Csv, Markdown };

/// An edge of --buckets: a time or a size, as the clock of the traces decides.
struct BucketEdge {
  std::string Text;
  std::optional<uint64_t> Time, Size;
};

/// ReportOptions as values.
struct ReportRequest {
  report::View Shown;           ///< but for Edges
  report::ProfileOptions Build; ///< but for Part and names
  PartRequest Part;
  std::vector<BucketEdge> Edges; ///< as they were given
  ReportFormat Format = ReportFormat::Text;
  size_t Details = 0;
  std::string Colour;
  bool Diagnostics = false, NoSymbols = false;
};

/// The options as texts of the command line.
struct ReportOptions {
  std::vector<std::string> By{"type"};
  std::string Sort = "bytes";
  std::optional<size_t> Top;
  size_t Details = 3;
  std::vector<std::string> Buckets;
  std::string Findings; ///< all, N, off; empty: the format decides
  std::string Format = "text";
  std::vector<std::string> Types, Sites, Assume;
  PartOptions Part;
  std::string MinBytes = "0";
  std::string Colour = "auto";
  bool Diagnostics = false;
  bool NoSymbols = false;
  bool BottomUp = false, Lines = false, Recursion = false, Blamed = false,
       Frees = false;
  std::vector<std::string> BlameIgnore, BlameTarget;

  /// Declares them; this must outlive App.
  void addTo(CommandLine &App);
  /// \returns the first error, or nothing and the values in \p Out.
  std::optional<Outcome> parse(ReportRequest &Out) const;
};

/// Prints a report of Traces to Path (empty: Default).
Outcome report(const std::vector<trace::Trace> &Traces,
               const ReportRequest &Request, const std::string &Path,
               std::FILE *Default);

/// Declares --type and --site; both must outlive App.
void addGlobOptions(CommandLine &App, std::vector<std::string> &Types,
                    std::vector<std::string> &Sites);

/// Splits at commas that are not in brackets.
std::vector<std::string> splitList(const std::vector<std::string> &Lists);

/// The words of --by to values; an error text for anything else.
std::optional<std::string> parseBy(const std::vector<std::string> &Words,
                                   std::vector<report::By> &Out);

} // namespace inmem::tools

#endif

//===- ReportOptions.h - What `report` and `run` have in common -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_REPORTOPTIONS_H
#define INMEM_TOOLS_REPORTOPTIONS_H

#include "Command.h"
#include "report/model/View.h"
#include "trace/Trace.h"

#include <cstdio>

namespace inmem::tools {

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
  /// What is wrong with them, if anything.
  std::optional<Outcome> check() const;
  /// Puts them into Build; an error if --lived does not fit the traces' clock.
  std::optional<Outcome> apply(const std::vector<trace::Trace> &Traces,
                               report::ProfileOptions &Build) const;
};

/// Options as they stand on the command line.
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
  /// What is wrong with them, if anything.
  std::optional<Outcome> check() const;
};

/// Prints a report of Traces to Path (empty: Default).
Outcome report(const std::vector<trace::Trace> &Traces,
               const ReportOptions &Options, const std::string &Path,
               std::FILE *Default);

/// Declares --type and --site; both must outlive App.
void addGlobOptions(CommandLine &App, std::vector<std::string> &Types,
                    std::vector<std::string> &Sites);

/// Splits at commas that do not stand in brackets.
std::vector<std::string> splitList(const std::vector<std::string> &Lists);

/// The words of --by to values; an error text for anything else.
std::optional<std::string> parseBy(const std::vector<std::string> &Words,
                                   std::vector<report::By> &Out);

} // namespace inmem::tools

#endif

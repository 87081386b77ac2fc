//===- ReportOptions.h - Options that `report` and `run` share ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_REPORTOPTIONS_H
#define INMEM_TOOLS_REPORTOPTIONS_H

#include "ReportRequest.h"

namespace inmem::tools {

/// Options that select part of the run, for each command that shows traces.
struct PartOptions {
  std::vector<std::string> Threads;
  std::string Lived, Phase;

  /// Declares the options; this must outlive App.
  void addTo(CommandLine &App);
  /// A part is chosen.
  bool chooses() const {
    return !Threads.empty() || !Lived.empty() || !Phase.empty();
  }
  /// \returns the first error; otherwise nullopt, with the values in \p Out.
  std::optional<Outcome> parse(PartRequest &Out) const;
};

/// The options as command-line text.
struct ReportOptions {
  std::vector<std::string> By;
  report::Sort Order = report::Sort::Bytes;
  std::optional<size_t> Top;
  std::optional<size_t> Details;
  bool Full = false;
  std::vector<std::string> Buckets;
  std::string Findings; ///< all, N, off; empty: the format decides
  ReportFormat Format = ReportFormat::Text;
  std::vector<std::string> Types, Sites, Assume, Sources;
  PartOptions Part;
  std::string MinBytes = "0";
  ColourMode Colour = ColourMode::Auto;
  bool Diagnostics = false;
  bool NoSymbols = false;
  bool ExactTypes = false;
  bool BottomUp = false, Lines = false, Recursion = false, Blamed = false,
       Frees = false;
  std::vector<std::string> BlameIgnore, BlameTarget;

  /// Declares the options; this must outlive App.
  void addTo(CommandLine &App);
  /// \returns the first error; otherwise nullopt, with the values in \p Out.
  std::optional<Outcome> parse(ReportRequest &Out) const;
};

/// Declares --type and --site; both must outlive App.
void addGlobOptions(CommandLine &App, std::vector<std::string> &Types,
                    std::vector<std::string> &Sites);

/// Splits at commas that are not in brackets.
std::vector<std::string> splitList(const std::vector<std::string> &Lists);

/// The words of --by for \p Tables, in the order of byNames().
std::vector<std::string> byWords(std::span<const report::By> Tables);

/// Converts the words of --by to values. Returns an error text for any other
/// word.
std::optional<std::string> parseBy(const std::vector<std::string> &Words,
                                   std::vector<report::By> &Out);

} // namespace inmem::tools

#endif

//===- Inputs.h - Trace files named on the command line ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_INPUTS_H
#define INMEM_TOOLS_INPUTS_H

#include "report/model/Profile.h"
#include "trace/read/Trace.h"

#include <vector>

namespace inmem::tools {

/// Reads all processes of all files in order, but each process only once.
trace::Result<std::vector<trace::Trace>>
readInputs(const std::vector<std::string> &Files);

/// The first damage in any trace, which makes part of an input unreadable.
std::optional<trace::Status>
firstDamage(const std::vector<trace::Trace> &Traces);

/// Prints diagnostics of the reader and the verifier to stderr, one a line.
void printDiagnostics(const std::vector<trace::Trace> &Traces);
/// Prints notes on the traces to stderr, one a line, if the output cannot
/// contain them.
void printNotes(const report::Profile &P);
/// Prints how types were found, and the sites whose types are uncertain.
void printTyping(const report::Profile &P);

// Notices.cpp: notes for the top of a report.

/// Adds notes to \p P about common surprises in first reports: several runs
/// added up, a program compiled without inmem, or a glob of --type, --site or
/// --thread without a match. \param Built the options that \p P was built with
void addNotices(const std::vector<trace::Trace> &Traces,
                const report::ProfileOptions &Built, report::Profile &P);

} // namespace inmem::tools

#endif

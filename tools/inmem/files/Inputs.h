//===- Inputs.h - Trace files named on the command line ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_INPUTS_H
#define INMEM_TOOLS_INPUTS_H

#include "report/model/Profile.h"
#include "trace/read/Trace.h"

#include <vector>

namespace inmem::tools {

/// Reads all processes of all files, in order; each process once.
trace::Result<std::vector<trace::Trace>>
readInputs(const std::vector<std::string> &Files);

/// The first damage of any trace, which makes an input partly unreadable.
std::optional<trace::Status>
firstDamage(const std::vector<trace::Trace> &Traces);

/// Prints diagnostics of reader and verifier to stderr, a line each.
void printDiagnostics(const std::vector<trace::Trace> &Traces);
/// Prints notes on the traces to stderr, a line each, where the output has no
/// place for them.
void printNotes(const report::Profile &P);
/// Prints how types were found, and the sites where they are in doubt.
void printTyping(const report::Profile &P);

// Notices.cpp: Notices that a reader should see first.

/// Adds notes to \p P on common surprises of first reports: several runs added
/// up, a program compiled without inmem, a glob of --type, --site or --thread
/// that matches nothing.
/// \param Built the options that \p P was built with
void addNotices(const std::vector<trace::Trace> &Traces,
                const report::ProfileOptions &Built, report::Profile &P);

} // namespace inmem::tools

#endif

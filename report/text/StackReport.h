//===- StackReport.h - Stacks and blame as text, JSON and CSV -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reports show of CallStacks. Called by TextReport, JsonReport and
// CsvReport where the view asks for it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_STACKREPORT_H
#define INMEM_REPORT_STACKREPORT_H

#include "report/model/View.h"
#include "report/text/Table.h"

namespace inmem::report {

/// The tree of all stacks that the view selects.
std::string stackTreeText(const Profile &P, const View &V, const Style &S);
/// The stacks of one row's blocks, each on a line, at most \p Most of them.
std::string stacksOfTypeText(const Profile &P, const TypeRow &Of,
                             const Style &S, size_t Most);
/// Classes to blame, in all and for each type.
std::string blameText(const Profile &P, const View &V, const Style &S);

/// Word for a frame's origin: `call`, `inlined`, …
std::string_view wordFor(StackFrame::Kind How);
/// A frame as one line shows it: its short function, and a word for what is
/// not a call: `(inlined)`, `(tail call)`.
std::string frameText(const Style &S, const StackFrame &F);
/// Short names of functions, the innermost first, in one line: `make < f <
/// main`.
std::string stackLine(const Style &S, std::span<const std::string> Functions);
/// Fits the result of stackLine() into \p Width columns: outer functions give
/// way.
std::string fitStack(const Style &S, std::string_view Text, size_t Width);

} // namespace inmem::report

#endif

//===- ViewReports.h - Frees, phases, stacks and time line ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of reports that a view selects. Called by the printers of whole
// reports.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_TEXT_VIEWREPORTS_H
#define INMEM_REPORT_TEXT_VIEWREPORTS_H

#include "report/model/OverTime.h"
#include "report/model/View.h"
#include "report/text/Table.h"

namespace inmem::report {

// FreeReport.cpp: freeing against allocating code.
//
// The counterpart of blame: allocating against freeing functions and threads,
// as text, JSON and CSV. The reports call it if the view selects it.

/// Functions, in all and for each type, and threads.
std::string freesText(const Profile &P, const View &V, const Style &S);

// PhaseReport.cpp: Phases one after another.
//
// The program's activity in each of its phases, and the table of them. The
// printers of whole reports call this.

/// Name of a phase in text, including unnamed phases.
std::string phaseText(const Style &S, const PhaseResult &P);
/// A table with a title; empty without phases.
std::string phaseTable(const Profile &P, const View &V, const Style &S);
/// One row per phase and type.
std::string phasesCsv(const Profile &P);

// StackReport.cpp: Stacks and blame as text, JSON and CSV.
//
// CallStacks as text. TextReport, JsonReport and CsvReport call it if the view
// selects it.

/// The tree of all stacks that the view selects.
std::string stackTreeText(const Profile &P, const View &V, const Style &S);
/// The stacks of a row's blocks, each on a line, at most \p Most of them.
std::string stacksOfTypeText(const Profile &P, const TypeRow &Of,
                             const Style &S, size_t Most);
/// Classes to blame, in all and for each type.
std::string blameText(const Profile &P, const View &V, const Style &S);

/// Word for a frame's origin: `call`, `inlined`, …
std::string_view wordFor(StackFrame::Kind How);
/// A frame on one line: its short function, and a word for other kinds than
/// calls: `(inlined)`, `(tail call)`.
std::string frameText(const Style &S, const StackFrame &F);
/// Short names of functions, the innermost first, in one line: `make < f <
/// main`.
std::string stackLine(const Style &S, std::span<const std::string> Functions);
/// Fits the result of stackLine() into \p Width columns: outer functions are
/// dropped.
std::string fitStack(const Style &S, std::string_view Text, size_t Width);

// TimelineReport.cpp: Live bytes over the run.
//
// From the summaries that periodic=, phases and snapshots leave in a trace: the
// growth of each type, and types that grow without bound (Growth.h). The
// printers of whole reports call it.

/// Findings and a table with sparklines; empty without a time line.
std::string timelineTable(const Profile &P, const View &V, const Style &S);
/// One row per type and point.
std::string timelineCsv(const Profile &P);

} // namespace inmem::report

#endif

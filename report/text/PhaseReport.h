//===- PhaseReport.h - Phases one after another ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program did in each of its phases, and the table of them. The
// printers of whole reports call this.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_PHASEREPORT_H
#define INMEM_REPORT_PHASEREPORT_H

#include "report/model/View.h"
#include "report/text/Table.h"

namespace inmem::report {

/// Name of a phase in text, also of one without a name.
std::string phaseText(const Style &S, const PhaseResult &P);
/// A table with a title; empty without phases.
std::string phaseTable(const Profile &P, const View &V, const Style &S);
/// One row a phase and type.
std::string phasesCsv(const Profile &P);

} // namespace inmem::report

#endif

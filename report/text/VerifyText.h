//===- VerifyText.h - Figures of two programs or runs, as text --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_VERIFYTEXT_H
#define INMEM_REPORT_TEXT_VERIFYTEXT_H

#include "report/optimize/ProgramRuns.h"
#include "report/optimize/RecordedRuns.h"
#include "report/text/Table.h"

namespace inmem::report {

/// A table of the figures, resident memory over time, and notes.
/// \param Runs of each program
std::string printPrograms(const ProgramRuns &Of, size_t Runs, double Tolerance,
                          const Style &Look);

/// A table of the figures of two recorded runs.
std::string printRecorded(const RecordedRuns &Old, const RecordedRuns &New,
                          double Tolerance, const Style &Look);

} // namespace inmem::report

#endif

//===- OptimizeText.h - Figures of predictions and of two programs --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_OPTIMIZETEXT_H
#define INMEM_REPORT_TEXT_OPTIMIZETEXT_H

#include "report/optimize/PredictionCheck.h"
#include "report/optimize/ProgramRuns.h"
#include "report/text/Table.h"

namespace inmem::report {

// PredictionText.cpp: Correct and wrong predictions as text.

/// Sums, notes, and a table of the contexts that were not as predicted. \param
/// Top rows of the table; 0 for all
std::string printPredictions(const PredictionCheck &Checked,
                             const std::vector<std::string> &Notes, size_t Top,
                             const Style &Look);

// VerifyText.cpp: Figures of two programs or runs, as text.

/// A table of the figures, resident memory over time, and notes. \param Runs
/// the number of runs of each program
std::string printPrograms(const ProgramRuns &Of, size_t Runs, double Tolerance,
                          const Style &Look);

/// A table of the figures of two recorded runs.
std::string printRecorded(const RecordedRuns &Old, const RecordedRuns &New,
                          double Tolerance, const Style &Look);

} // namespace inmem::report

#endif

//===- PredictionText.h - Predictions, right and wrong, as text -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_PREDICTIONTEXT_H
#define INMEM_REPORT_TEXT_PREDICTIONTEXT_H

#include "report/optimize/PredictionCheck.h"
#include "report/text/Table.h"

namespace inmem::report {

/// Sums, notes, and a table of the contexts that were not as predicted.
/// \param Top rows of the table; 0: all
std::string printPredictions(const PredictionCheck &Checked,
                             const std::vector<std::string> &Notes, size_t Top,
                             const Style &Look);

} // namespace inmem::report

#endif

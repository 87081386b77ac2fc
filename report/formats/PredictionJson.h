//===- PredictionJson.h - Predictions, right and wrong, as JSON -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FORMATS_PREDICTIONJSON_H
#define INMEM_REPORT_FORMATS_PREDICTIONJSON_H

#include "report/formats/Json.h"
#include "report/optimize/PredictionCheck.h"

namespace inmem::report {

/// The member `predictions` of inmem-verify/1.
Json printPredictionsJson(const PredictionCheck &Checked,
                          const std::vector<std::string> &Notes);

} // namespace inmem::report

#endif

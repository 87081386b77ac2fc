//===- VerifyJson.h - Figures of two programs or runs, as JSON --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FORMATS_VERIFYJSON_H
#define INMEM_REPORT_FORMATS_VERIFYJSON_H

#include "report/formats/Json.h"
#include "report/optimize/ProgramRuns.h"
#include "report/optimize/RecordedRuns.h"

namespace inmem::report {

/// Members of inmem-verify/1 for programs: runs, figures, memory over time.
Json programsJson(const ProgramRuns &Of, size_t Runs, double Tolerance);

/// The member `figures` for traces.
Json recordedJson(const RecordedRuns &Old, const RecordedRuns &New,
                  double Tolerance);

} // namespace inmem::report

#endif

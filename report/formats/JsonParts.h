//===- JsonParts.h - Parts and siblings of "inmem-report/1" -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts that JsonReport adds if the view selects them or the trace has them.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_JSONPARTS_H
#define INMEM_REPORT_JSONPARTS_H

#include "report/formats/Json.h"
#include "report/model/View.h"
#include "report/optimize/PredictionCheck.h"
#include "report/optimize/ProgramRuns.h"

namespace inmem::report {

Json phasesJson(const Profile &P);
/// Points and, by type, live bytes at each, slope and finding; null if there
/// are none.
Json timelineJson(const Profile &P);
Json findingsJson(const Profile &P, const View &V);
/// `{"direction": …, "roots": [node]}`; a node has function, file, line,
/// module, kind, inclusive counts, "self" and "children".
Json stackTreeJson(const Profile &P, const View &V);
/// `[{"frames": [frame], counts}]`, most bytes first, frames innermost first.
Json stacksOfTypeJson(const Profile &P, size_t Type);
/// `{"classes": [...], "types": [{"type": …, "classes": [...]}]}`
Json blameJson(const Profile &P, const View &V);
/// `{"function": …, "file", "line", "module", "kind"}`; null if unknown.
Json frameJson(const StackFrame &F);
/// `{"cells": [...], "functions": [...], "threads": [...]}`. Each of the three
/// adds up to the frees shown.
Json freesJson(const Profile &P, const View &V);

// PredictionJson.cpp: Correct and wrong predictions as JSON.

/// The member `predictions` of inmem-verify/1.
Json printPredictionsJson(const PredictionCheck &Checked,
                          const std::vector<std::string> &Notes);

// VerifyJson.cpp: Figures of two programs or runs, as JSON.

/// Members of inmem-verify/1 for programs: runs, figures, memory over time.
Json programsJson(const ProgramRuns &Of, size_t Runs, double Tolerance);

/// The member `figures` for traces.
Json recordedJson(const RecordedRuns &Old, const RecordedRuns &New,
                  double Tolerance);

} // namespace inmem::report

#endif

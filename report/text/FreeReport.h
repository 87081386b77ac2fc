//===- FreeReport.h - Who frees whose blocks ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counterpart of blame: allocating against freeing functions and threads,
// as text, JSON and CSV. Called by the reports where the view asks for it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_FREEREPORT_H
#define INMEM_REPORT_FREEREPORT_H

#include "report/model/View.h"
#include "report/text/Table.h"

#include <nlohmann/json_fwd.hpp>

namespace inmem::report {

/// A cell of the matrix with its two functions chosen: the innermost frame that
/// matters to the view's blame options or, without any, that is not of the
/// system's libraries. Empty functions: no frame matters, or not known.
struct FreePair {
  const FreeResult *Cell;
  Place Allocating, Freeing;
};
std::vector<FreePair> freePairs(const Profile &P, const View &V);

/// Functions, in all and for each type, and threads.
std::string freesText(const Profile &P, const View &V, const Style &S);
/// `{"cells": [...], "functions": [...], "threads": [...]}`; each of the three
/// adds up to the frees of what is shown.
nlohmann::ordered_json freesJson(const Profile &P, const View &V);

} // namespace inmem::report

#endif

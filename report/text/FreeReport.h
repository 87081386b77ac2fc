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

namespace inmem::report {

/// Functions, in all and for each type, and threads.
std::string freesText(const Profile &P, const View &V, const Style &S);
} // namespace inmem::report

#endif

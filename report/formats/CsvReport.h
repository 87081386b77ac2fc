//===- CsvReport.h - A profile as comma-separated values ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RFC 4180: a header line, CRLF, quotes where needed; exact integers, unknown
// is an empty field. One row per type, site or thread.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_CSVREPORT_H
#define INMEM_REPORT_CSVREPORT_H

#include "report/model/View.h"

namespace inmem::report {

/// The first of V.Tables decides what a row is.
std::string printCsv(const Profile &P, const View &V);

} // namespace inmem::report

#endif

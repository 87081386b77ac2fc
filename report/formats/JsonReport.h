//===- JsonReport.h - A profile as "inmem-report/1" -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schema scripts rely on (docs: contract): exact integers, unknown is
// null. Members beyond the schema: alias, buckets, threads, sites, module,
// chain, objects.constructed.{thread,placed,unknown}.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_JSONREPORT_H
#define INMEM_REPORT_JSONREPORT_H

#include "report/formats/Json.h"
#include "report/model/View.h"

namespace inmem::report {

/// Adds the members that every row of counts has.
void putCounts(Json &Into, const Counts &C);

/// The object that printJson() prints.
Json reportJson(const Profile &P, const View &V);
/// One JSON object, indented by two, with a newline at the end. Invalid UTF-8
/// becomes U+FFFD.
std::string printJson(const Profile &P, const View &V);

} // namespace inmem::report

#endif

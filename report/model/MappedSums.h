//===- MappedSums.h - Memory that the program maps itself -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_MAPPEDSUMS_H
#define INMEM_REPORT_MODEL_MAPPEDSUMS_H

#include "report/model/SiteRows.h"

namespace inmem::report {

/// Adds up mappings by caller. Callers that are shown alike are one row.
class MappedSums {
public:
  MappedSums(Profile &Out, SiteRows &Sites) : Out(Out), Sites(Sites) {}

  void add(const trace::Trace &T);
  void finish();

private:
  Profile &Out;
  SiteRows &Sites;
  std::unordered_map<std::string, size_t> Index;
};

} // namespace inmem::report

#endif

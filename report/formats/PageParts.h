//===- PageParts.h - Members of a page's head -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_PAGEPARTS_H
#define INMEM_REPORT_PAGEPARTS_H

#include "report/formats/PageData.h"

#include <map>

namespace inmem::report {

/// Members of the classes that have blocks or objects, by index of the type.
Json fieldsJson(const Profile &P, std::span<const trace::Trace> Traces);

/// Source files that exist, by descending bytes.
/// \param ByFile bytes that the lines of a file allocate or keep
Json pageSources(const std::map<std::string, uint64_t> &ByFile,
                 const PageOptions &Options);

/// Figures that another tool did not count: columns of the page by the name
/// that they have there.
Json unknownJson(const Profile &P);

/// Texts of reports about findings: savings of each as a text, of all of
/// them together with each block counted once, and why none makes the program
/// faster (null: that is not so).
Json adviceJson(const Profile &P);

} // namespace inmem::report

#endif

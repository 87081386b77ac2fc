//===- TypeText.h - Names of types and blocks in text ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_TYPETEXT_H
#define INMEM_REPORT_TEXT_TYPETEXT_H

#include "report/model/View.h"
#include "report/text/Table.h"

#include <string>

namespace inmem::report {

/// Name of a type in text: its alias, or its simplified spelling, marked if it
/// is inferred.
std::string typeText(const Style &S, const TypeResult &T);
std::string typeText(const Style &S, const TypeRow &R);
/// Name of a site's blocks: by what it allocates, such as `std::vector<Foo>
/// buffer`, or else by their type.
std::string blocksText(const Style &S, const Profile &P, const SiteResult &R);
/// Name of a class of counted objects in the text report.
std::string classText(const Style &S, const TypeResult &T);

} // namespace inmem::report

#endif

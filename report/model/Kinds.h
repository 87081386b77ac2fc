//===- Kinds.h - Names for the blocks of a type ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_KINDS_H
#define INMEM_REPORT_MODEL_KINDS_H

#include "report/model/Profile.h"

namespace inmem::report {

/// Kinds of a type, most bytes first; none if all its blocks go by one name.
std::vector<KindResult> kindsOf(const Profile &P, const TypeResult &T);

} // namespace inmem::report

#endif

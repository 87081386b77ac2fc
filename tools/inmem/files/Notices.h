//===- Notices.h - Notices that a reader should see first -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_NOTICES_H
#define INMEM_TOOLS_NOTICES_H

#include "report/model/Profile.h"
#include "trace/read/Trace.h"

#include <vector>

namespace inmem::tools {

/// Adds to \p P's notes what first reports often are without their reader
/// knowing: several runs added up, a program compiled without inmem, a glob of
/// --type, --site or --thread that matches nothing.
/// \param Built the options that \p P was built with
void addNotices(const std::vector<trace::Trace> &Traces,
                const report::ProfileOptions &Built, report::Profile &P);

} // namespace inmem::tools

#endif

//===- Timeline.h - Live bytes of each type at each snapshot --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_TIMELINE_H
#define INMEM_REPORT_MODEL_TIMELINE_H

#include "report/model/Profile.h"

#include <unordered_map>

namespace inmem::report {

/// \param SiteOfId rows of the trace's sites
void addTimeline(const trace::Trace &T,
                 const std::unordered_map<uint32_t, size_t> &SiteOfId,
                 Profile &Out);

} // namespace inmem::report

#endif

//===- NextSteps.h - Commands that lead on from a report ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_NEXTSTEPS_H
#define INMEM_TOOLS_NEXTSTEPS_H

#include "report/model/Profile.h"

#include <utility>

namespace inmem::tools {

/// Commands, and what each shows, the most useful for this profile first.
/// \param Files its traces; empty: they are not kept
std::vector<std::pair<std::string, std::string>>
nextSteps(const report::Profile &P, const std::vector<std::string> &Files);

} // namespace inmem::tools

#endif

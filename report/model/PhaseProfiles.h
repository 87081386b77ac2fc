//===- PhaseProfiles.h - A profile of each phase --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_PHASEPROFILES_H
#define INMEM_REPORT_PHASEPROFILES_H

#include "report/model/Profile.h"

namespace inmem::report {

/// The phases of all traces in order, and what came before the first.
/// \param Options types and sites are chosen as for a profile
/// \param Most no more phases a trace, the first ones
trace::Result<std::vector<PhaseResult>>
phasesOf(std::span<const trace::Trace> Traces, const ProfileOptions &Options,
         size_t Most);

} // namespace inmem::report

#endif

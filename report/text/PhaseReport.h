//===- PhaseReport.h - Phases one after another ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program did in each of its phases, and the table of them. The
// printers of whole reports call this.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_PHASEREPORT_H
#define INMEM_REPORT_PHASEREPORT_H

#include "report/model/View.h"
#include "report/text/Table.h"

#include <nlohmann/json_fwd.hpp>

namespace inmem::report {

/// The phases of all traces in order, and what came before the first.
/// \param Options types and sites are chosen as for a profile
/// \param Most no more phases a trace, the first ones
trace::Result<std::vector<PhaseResult>>
phasesOf(std::span<const trace::Trace> Traces, const ProfileOptions &Options,
         size_t Most);

/// What a phase without a name is called in text.
std::string phaseText(const Style &S, const PhaseResult &P);
/// A table with a title; empty without phases.
std::string phaseTable(const Profile &P, const View &V, const Style &S);
nlohmann::ordered_json phasesJson(const Profile &P);
/// One row a phase and type.
std::string phasesCsv(const Profile &P);

} // namespace inmem::report

#endif

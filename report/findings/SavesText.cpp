//===- SavesText.cpp - Savings of a finding, and their shares -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/Findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace inmem::report {

/// A finding about memory that is alive.
static std::string footprintText(const Profile &P, const Finding &F) {
  if (P.PeakLiveBytes)
    return fmt::format(
        "holds {} = {} of the peak", humanBytes(F.Bytes),
        humanShare(std::min(F.Bytes, *P.PeakLiveBytes), *P.PeakLiveBytes));
  return fmt::format("holds {} = {} of what is alive", humanBytes(F.Bytes),
                     humanShare(F.Bytes, P.Totals.LiveBytes));
}

std::string savesText(const Profile &P, const Finding &F) {
  std::vector<std::string> Parts;
  if (F.SavesAllocations > 0)
    Parts.push_back(
        fmt::format("{} = {}", counted(F.SavesAllocations, "block"),
                    humanShare(F.SavesAllocations, P.Totals.Allocations)));
  if (F.SavesBytes > 0)
    Parts.push_back(
        fmt::format("{} = {}", humanBytes(F.SavesBytes),
                    humanShare(F.SavesBytes, P.Totals.AllocatedBytes)));
  std::string Out;
  if (!Parts.empty())
    Out = fmt::format("saves {} of all allocated", fmt::join(Parts, ", "));
  if (F.SavesPeakBytes > 0 && P.PeakLiveBytes)
    Out += fmt::format("{}{} = {} of the peak", Out.empty() ? "saves " : "; ",
                       humanBytes(F.SavesPeakBytes),
                       humanShare(std::min(F.SavesPeakBytes, *P.PeakLiveBytes),
                                  *P.PeakLiveBytes));
  if (!Out.empty())
    return Out;
  if (F.By == Measure::Footprint)
    return footprintText(P, F);
  return fmt::format("about {} of all bytes, {} of all blocks",
                     humanShare(F.Bytes, P.Totals.AllocatedBytes),
                     humanShare(F.Allocations, P.Totals.Allocations));
}

} // namespace inmem::report

//===- NoFinding.cpp - Why a profile has no findings ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/Rules.h"
#include "report/model/LibraryCode.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

std::string whyNoFinding(const Profile &P) {
  std::string Why = "none: no rule found 1 % of all bytes or blocks to save";
  if (P.WholeRun && endedInOrder(P) && keptToItsEnd(P))
    Why += fmt::format("; {} of the peak was alive at the end, in use or lost: "
                       "INMEM_OPTIONS=snapshot=exit and inmem heap show what "
                       "nothing refers to",
                       humanShare(P.Totals.LiveBytes, *P.PeakLiveBytes));
  uint64_t Unknown = 0, ByOthers = 0, ByLibrary = 0;
  for (const SiteResult &R : P.Sites) {
    if (isLibraryMemory(P, R))
      continue;
    if (!P.Types[R.Type].Name) {
      Unknown += R.Sum.AllocatedBytes;
      if (R.Kind == "caller")
        ByOthers += R.Sum.AllocatedBytes;
    }
    if (isCallerUnknown(R))
      ByLibrary += R.Sum.AllocatedBytes;
  }
  const bool Instrumented =
      std::ranges::any_of(P.Processes, &ProcessResult::Instrumented);
  const uint64_t Half = P.Totals.AllocatedBytes / 2;
  if (P.Totals.AllocatedBytes > 0 && Unknown > Half)
    return Why + fmt::format("; {} of the bytes have no type, and most rules "
                             "need one{}",
                             humanShare(Unknown, P.Totals.AllocatedBytes),
                             !Instrumented ? ": compile with inmem-clang++"
                             : ByOthers > Half
                                 ? ": code that was not compiled with inmem "
                                   "allocates them"
                                 : "");
  if (P.Calls.Deepest == 0 && ByLibrary > 0)
    return Why + fmt::format("; {} of the bytes are library code's: "
                             "INMEM_OPTIONS=stacks=16 records its callers, "
                             "which some rules need",
                             humanShare(ByLibrary, P.Totals.AllocatedBytes));
  return Why;
}

} // namespace inmem::report

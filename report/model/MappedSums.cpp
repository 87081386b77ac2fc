//===- MappedSums.cpp - Memory that the program maps itself ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Accumulators.h"
#include "report/model/LibraryCode.h"
#include "trace/text/Names.h"

#include <algorithm>

namespace inmem::report {

static void addTo(MappedResult &To, const trace::MappedTotal &M) {
  To.Calls += M.Calls;
  To.Bytes += M.Bytes;
  To.UnmappedBytes += std::min(M.UnmappedBytes, M.Bytes);
  To.PeakBytes += M.PeakBytes;
}

void MappedSums::add(const trace::Trace &T) {
  for (const trace::MappedTotal &M : T.Mapped) {
    if (M.Site == trace::kAllMapped) {
      if (!Out.MappedTotals)
        Out.MappedTotals.emplace();
      addTo(*Out.MappedTotals, M);
      continue;
    }
    if (M.Calls == 0)
      continue;
    MappedResult R;
    if (M.Site) {
      trace::Entry E;
      E.Site = M.Site;
      R.Site = Sites.describe(T, E, 0);
    }
    R.Call = std::string(
        trace::nameOf(trace::kMapCallNames, static_cast<uint64_t>(M.Call)));
    const SourceLocation &At = locationOf(R.Site);
    const std::string Key = At.Function + '\n' + At.File + '\n' +
                            std::to_string(At.Line) + '\n' + R.Site.Module +
                            '\n' + R.Call;
    const auto [Row, IsNew] = Index.try_emplace(Key, Out.Mapped.size());
    if (IsNew)
      Out.Mapped.push_back(std::move(R));
    addTo(Out.Mapped[Row->second], M);
  }
}

void MappedSums::finish() {
  std::ranges::stable_sort(Out.Mapped, std::ranges::greater(),
                           &MappedResult::PeakBytes);
  if (Out.MappedTotals && Out.MappedTotals->Calls == 0)
    Out.MappedTotals.reset();
}

} // namespace inmem::report

//===- PartRows.h - Rows over a part of a run -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_PARTROWS_H
#define INMEM_REPORT_MODEL_PARTROWS_H

#include "report/model/Profile.h"
#include "report/model/RowSums.h"

#include <map>
#include <unordered_map>

namespace inmem::report {

/// The rows of a snapshot, by site and type.
class SnapshotRows {
public:
  SnapshotRows(const trace::Trace &T, const trace::Snapshot *At)
      : T(T), At(At) {
    for (uint32_t I = 0; At && I < At->Header.Rows; ++I) {
      const trace::Row R = T.snapshotRow(*At, I);
      const uint32_t Type = R.Type != 0 ? R.Type : T.site(R.Site).Type;
      Base &B = Rows[uint64_t{R.Site} << 32 | Type];
      B.Totals.add(R);
      B.Row = I;
    }
  }
  explicit operator bool() const { return At != nullptr; }
  /// Null if nothing was counted until then.
  const trace::RowTotals *totals(const trace::Entry &E) const {
    const auto Found = Rows.find(key(E));
    return Found == Rows.end() ? nullptr : &Found->second.Totals;
  }
  trace::Buckets buckets(const trace::Entry &E) const {
    trace::Buckets Out;
    if (const auto Found = Rows.find(key(E)); Found != Rows.end())
      T.snapshotRow(*At, Found->second.Row, &Out);
    return Out;
  }

private:
  struct Base {
    trace::RowTotals Totals;
    uint32_t Row;
  };
  static uint64_t key(const trace::Entry &E) {
    return uint64_t{E.Site} << 32 | E.Type;
  }
  const trace::Trace &T;
  const trace::Snapshot *At;
  std::unordered_map<uint64_t, Base> Rows;
};

/// Rows over a part of the run.
class PartRows {
public:
  PartRows(const trace::Trace &T, const Interval &Part)
      : T(T), From(T, Part.From), To(T, Part.To) {}
  RowSums since(const trace::Entry &E) const {
    RowSums Sums;
    if (const trace::RowTotals *Before = From.totals(E))
      Sums.Before = *Before;
    Sums.Now = To ? trace::RowTotals() : E.Totals;
    if (const trace::RowTotals *AtEnd = To.totals(E))
      Sums.Now = *AtEnd;
    Sums.Reset = From || To;
    return Sums;
  }
  /// Lifetimes up to the start of the part, or nothing.
  std::optional<trace::Buckets> before(const trace::Entry &E) const {
    return From.totals(E) ? std::optional(From.buckets(E)) : std::nullopt;
  }
  trace::Buckets atEnd(const trace::Entry &E) const {
    return To ? To.buckets(E) : T.buckets(E);
  }

private:
  const trace::Trace &T;
  const SnapshotRows From, To;
};

/// Figures of a row at a mark.
inline trace::RowTotals totalsOf(const trace::MarkRow &M) {
  trace::Row R{};
  R.Allocations = M.Allocations;
  R.Bytes = M.Bytes;
  R.Frees = M.Frees;
  R.FreedBytes = M.FreedBytes;
  R.Temporary = M.Temporary;
  R.Reallocations = M.Reallocations;
  R.MovedOut = M.MovedOut;
  R.MovedOutBytes = M.MovedOutBytes;
  R.WeightedAllocations = M.WeightedAllocations;
  R.WeightedBytes = M.WeightedBytes;
  R.WeightedFrees = M.WeightedFrees;
  R.WeightedFreedBytes = M.WeightedFreedBytes;
  trace::RowTotals Out;
  Out.add(R);
  return Out;
}

/// Counts of single threads at the beginning and at the end of a part of the
/// run.
class ThreadRows {
public:
  /// Nothing if the trace lacks these counts.
  static std::optional<ThreadRows> of(const trace::Trace &T,
                                      const Interval &Part) {
    auto From = Part.From ? T.rowsAt(*Part.From)
                          : std::optional(std::vector<trace::MarkRow>());
    auto To = Part.To ? T.rowsAt(*Part.To) : std::optional(T.rowsNow());
    if (!From || !To)
      return std::nullopt;
    return ThreadRows(T, std::move(*From), std::move(*To));
  }
  /// Sums over the selected rows, before the part and at its end, by the key
  /// that KeyOf makes of a row.
  template <class KeyOf, class Predicate>
  auto sums(KeyOf Key, Predicate Want) const {
    using Sums = std::pair<trace::RowTotals, trace::RowTotals>;
    std::map<decltype(Key(trace::MarkRow{})), Sums> Out;
    for (const trace::MarkRow &M : From)
      if (T->site(M.Site).ofBlocks() && Want(M))
        Out[Key(M)].first.add(totalsOf(M));
    for (const trace::MarkRow &M : To)
      if (T->site(M.Site).ofBlocks() && Want(M))
        Out[Key(M)].second.add(totalsOf(M));
    return Out;
  }
  /// The key of an entry.
  uint64_t entryOf(const trace::MarkRow &M) const {
    const uint32_t Type = M.Type != 0 ? M.Type : T->site(M.Site).Type;
    return uint64_t{M.Site} << 32 | Type;
  }

private:
  ThreadRows(const trace::Trace &T, std::vector<trace::MarkRow> From,
             std::vector<trace::MarkRow> To)
      : T(&T), From(std::move(From)), To(std::move(To)) {}

  const trace::Trace *T;
  std::vector<trace::MarkRow> From, To;
};

/// A trace, and the selected part of it.
struct TracePart {
  const trace::Trace &T;
  Interval Shown;
  std::optional<ThreadRows> ByThread; ///< rows of the selected part, if known
};

// MadeInPart.cpp: rows of blocks allocated in a part of a run.

/// Changes rows to the growth in a part of a run: their live blocks become
/// those at its end minus those from before it, at least 0. Which of the blocks
/// at the end are older is not recorded. Totals do not change. \returns whether
/// there were blocks from before
bool leaveMadeInPart(Profile &P);

} // namespace inmem::report

#endif

//===- Blocks.h - Blocks by site and type ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_BLOCKS_H
#define INMEM_REPORT_MODEL_BLOCKS_H

#include "report/model/PartRows.h"
#include "report/model/RowSums.h"
#include "report/model/SiteRows.h"
#include "report/model/Typing.h"

namespace inmem::report {

/// Sums of blocks with their lifetimes.
class BlockSums {
public:
  BlockSums(const ProfileOptions &With, Profile &Out, TypeRows &Types,
            SiteRows &Sites, Typing &Rules, StackBuilder &Calls,
            NoteList &Notes)
      : Options(With), Out(Out), Types(Types), Sites(Sites), Rules(Rules),
        Calls(Calls), Notes(Notes) {}

  void add(const TracePart &Part);
  void finish();

  /// Rows of the sites of the trace that was added last, by their ids there.
  const std::unordered_map<uint32_t, size_t> &siteOfId() const {
    return SiteOfId;
  }
  /// The counts of these sites in the report.
  const std::map<uint32_t, Counts> &countsOfId() const { return CountsOfId; }

private:
  uint16_t passedBy(const trace::Trace &T, const trace::Entry &E);
  void choosePlace(const trace::Trace &T, const trace::Entry &E,
                   SiteResult &Site);
  std::vector<uint32_t> framesOf(const trace::Trace &T, const trace::Entry &E,
                                 SiteResult &Site);
  void addStack(const trace::Trace &T, const trace::Entry &E, size_t Site,
                std::vector<uint32_t> Frames, const Counts &C,
                const LifetimeSum &Life);
  trace::RowTotals totalsOfThreads(const trace::Trace &T, const trace::Entry &E,
                                   trace::Buckets &Raw) const;
  void keepThoseThatLived(LifetimeSum &Life, Counts &C) const;
  void addElements(const trace::Site &S, size_t Type, const Counts &C);
  void addAllocationLifetimes(const trace::Trace &T, const trace::Entry &E,
                              size_t Site, const Counts &C);

  const ProfileOptions &Options;
  Profile &Out;
  TypeRows &Types;
  SiteRows &Sites;
  Typing &Rules;
  StackBuilder &Calls;
  NoteList &Notes;
  using Lifetimes = std::map<size_t, LifetimeSum>; ///< by row
  Lifetimes SiteLifetimes, TypeLifetimes;
  Lifetimes SiteAllocationLifetimes,
      TypeAllocationLifetimes;      ///< measured in allocations
  std::set<size_t> ElementsUnknown; ///< types with unknown element counts
  std::unordered_map<uint32_t, size_t> SiteOfId;
  std::map<uint32_t, Counts> CountsOfId;
};

} // namespace inmem::report

#endif

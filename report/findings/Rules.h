//===- Rules.h - The rules behind findings --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FINDINGS_RULES_H
#define INMEM_REPORT_FINDINGS_RULES_H

#include "report/findings/Findings.h"
#include "report/model/UserLocations.h"

namespace inmem::report {

/// Sites whose blocks are one finding.
struct SiteGroup {
  std::vector<size_t> Sites; ///< of Profile::Sites; the first has the location
  Counts Sum;

  void add(const Profile &P, size_t Site) {
    Sites.push_back(Site);
    Sum.add(P.Sites[Site].Sum);
  }
};
/// Groups sites of one kind of blocks by line: several calls there are one
/// finding. Sites without a line are apart.
std::vector<SiteGroup> byLine(const Profile &P,
                              const std::vector<size_t> &Sites);

/// Where the rules put what they find.
class FindingList {
public:
  explicit FindingList(const Profile &P) : P(P) {}

  const Profile &P;

  /// True if the amount is worth a line: 1 % of the process's bytes or blocks,
  /// and 16 KiB or 100 blocks.
  bool isEnough(uint64_t Bytes, uint64_t Blocks) const;
  /// The finding of a site: its type and counts are set.
  Finding of(std::string_view Rule, const SiteResult &S) const;
  /// As above, for all sites of a group.
  Finding of(std::string_view Rule, const SiteGroup &G) const;
  /// As above, for a type as a whole.
  Finding of(std::string_view Rule, size_t Type) const;
  /// True if a site is a library's and its blocks are unknown, or
  /// for whom it allocates.
  bool isForeign(const SiteResult &S) const;
  /// The site of most bytes of a type; null if it has none.
  const SiteResult *siteOf(size_t Type) const;
  /// Keeps a finding if what it saves, or else what it is about, is enough.
  /// \param At the site that has its location; null: the place is set, if any
  void add(Finding F, const SiteResult *At);
  void add(Finding F, const SiteGroup &G) {
    add(std::move(F), &P.Sites[G.Sites.front()]);
  }
  std::vector<Finding> take() { return std::move(All); }

private:
  double stakeOf(uint64_t Bytes, uint64_t Blocks) const;

  std::vector<Finding> All;
};

// Growth.cpp: containers that grow step by step
void findRegrowth(FindingList &Out);
void findRehash(FindingList &Out);
// Churn.cpp: blocks that need not be
void findTemporaries(FindingList &Out);
void findNodes(FindingList &Out);
void findSplitShared(FindingList &Out);
void findShortStrings(FindingList &Out);
void findExceptions(FindingList &Out);
void findStreams(FindingList &Out);
// Deques.cpp
void findShortDeques(FindingList &Out);
// Strings.cpp
void findStringCopies(FindingList &Out);
// Arena.cpp
void findArenas(FindingList &Out);
// Objects.cpp: objects that need not be, or need not be so large
void findCopies(FindingList &Out);
void findPadding(FindingList &Out);
void findOverReserved(FindingList &Out);
void findUndestroyed(FindingList &Out);
// Run.cpp: the run as a whole
void findUnboundedGrowth(FindingList &Out);
void findAlive(FindingList &Out);
void findForeignFrees(FindingList &Out);
void findSteadyPhases(FindingList &Out);

} // namespace inmem::report

#endif

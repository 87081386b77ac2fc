//===- Rules.h - The rules behind findings --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FINDINGS_RULES_H
#define INMEM_REPORT_FINDINGS_RULES_H

#include "report/findings/Findings.h"
#include "report/model/LibraryCode.h"

namespace inmem::report {

/// Sites that share one finding.
struct SiteGroup {
  std::vector<size_t> Sites; ///< in Profile::Sites; the first has the location
  Counts Sum;

  void add(const Profile &P, size_t Site) {
    Sites.push_back(Site);
    Sum.add(P.Sites[Site].Sum);
  }
};
/// Groups sites of one kind of blocks by line: several calls on a line are one
/// finding. Sites without a line stay separate.
std::vector<SiteGroup> byLine(const Profile &P,
                              const std::vector<size_t> &Sites);

/// Output of the rules.
class FindingList {
public:
  explicit FindingList(const Profile &P) : P(P) {}

  const Profile &P;

  /// True if the amount justifies a line: 1 % of the process's bytes or blocks,
  /// and 16 KiB or 100 blocks.
  bool isEnough(uint64_t Bytes, uint64_t Blocks) const;
  /// As above, for the peak: 1 % of its bytes.
  bool isEnoughAlive(uint64_t Bytes, uint64_t Blocks) const;
  /// The finding of a site, with its type and counts set.
  Finding of(RuleId Rule, const SiteResult &S) const;
  /// As above, for all sites of a group.
  Finding of(RuleId Rule, const SiteGroup &G) const;
  /// As above, for a type as a whole.
  Finding of(RuleId Rule, size_t Type) const;
  /// True if the user's code cannot affect a site's blocks: a runtime library
  /// allocates them for its own use, or the site is a library's and neither its
  /// blocks nor its callers are known.
  bool isForeign(const SiteResult &S) const;
  /// The site with most bytes of a type; null if there is none.
  const SiteResult *siteOf(size_t Type) const;
  /// Keeps a finding if its savings or, without savings, its subject are large
  /// enough. \param At the site with its location; null if the location is set,
  /// if any
  void add(Finding F, const SiteResult *At);
  void add(Finding F, const SiteGroup &G) {
    add(std::move(F), &P.Sites[G.Sites.front()]);
  }
  std::vector<Finding> take() { return std::move(All); }

private:
  double stakeOf(uint64_t Bytes, uint64_t Blocks) const;
  double footprintOf(uint64_t Bytes) const;
  void score(Finding &F) const;

  std::vector<Finding> All;
};

// GrowthRules.cpp: containers that grow step by step
void findRegrowth(FindingList &Out);
void findRehash(FindingList &Out);
// Churn.cpp: unnecessary blocks
void findTemporaries(FindingList &Out);
void findNodes(FindingList &Out);
void findSplitShared(FindingList &Out);
void findShortStrings(FindingList &Out);
void findExceptions(FindingList &Out);
void findStreams(FindingList &Out);
// Reuse.cpp: blocks that could be reused
void findLargeInLoop(FindingList &Out);
void findObjectChurn(FindingList &Out);
// Deques.cpp
void findShortDeques(FindingList &Out);
// Strings.cpp
void findStringCopies(FindingList &Out);
// ArenaRule.cpp
void findArenas(FindingList &Out);
// ObjectRules.cpp: objects that are unnecessary, or larger than necessary
void findCopies(FindingList &Out);
void findPadding(FindingList &Out);
void findOverReserved(FindingList &Out);
// FieldRules.cpp: fields that the run did not need (accesses=on)
void findUnneededFields(FindingList &Out);
// ArrayRules.cpp: arrays of which loops use a small part (accesses=on)
void findColdInArrays(FindingList &Out);
// Footprint.cpp: blocks that are a large part of the peak
void findPeakBlocks(FindingList &Out);
// LeftAlive.cpp: memory that is never freed
void findAlive(FindingList &Out);
void findUndestroyed(FindingList &Out);
// LiveGrowth.cpp: memory that grows
void findUnboundedGrowth(FindingList &Out);
void findLiveGrowth(FindingList &Out);
// Run.cpp: the run as a whole
void findForeignFrees(FindingList &Out);
void findSteadyPhases(FindingList &Out);

/// True if all processes exited: blocks alive after a kill, or in a running
/// process, might have been freed.
bool endedInOrder(const Profile &P);
/// True if most of the peak was alive at the end, but not leaked: the process
/// did not release its data, so that leaks cannot be separated from data in use
/// at the end.
bool keptToItsEnd(const Profile &P);

} // namespace inmem::report

#endif

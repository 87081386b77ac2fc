//===- Rules.h - The rules behind findings --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FINDINGS_RULES_H
#define INMEM_REPORT_FINDINGS_RULES_H

#include "report/findings/Findings.h"

namespace inmem::report {

/// Where the rules put what they find.
class FindingList {
public:
  explicit FindingList(const Profile &P) : P(P) {}

  const Profile &P;

  /// Keeps a finding if it is about enough: what it saves, or else what it is
  /// about, is 1 % of the process's bytes or blocks, and 16 KiB or 100 blocks.
  void add(Finding F);
  /// The finding of a site: its type, place and counts are set.
  Finding of(std::string_view Rule, const SiteResult &S) const;
  std::vector<Finding> take() { return std::move(All); }

private:
  std::vector<Finding> All;
};

/// Whether a place is known and in no header or library of the system.
bool isUserCode(const Place &P);
/// Whether a stack allocates in the function of a site.
bool passes(const Profile &P, const StackResult &R, const Place &Site);
/// The innermost frame in the user's code; null: there is none.
const Place *userFrame(const Profile &P, const StackResult &R);
/// The nearest place in the user's code: of the inlined chain, else of the
/// stack that allocated the most bytes; and whether there is one.
std::pair<Place, bool> userPlace(const Profile &P, const SiteResult &S);

// Growth.cpp: containers that grow step by step
void findRegrowth(FindingList &Out);
void findRehash(FindingList &Out);
// Churn.cpp: blocks that need not be
void findTemporaries(FindingList &Out);
void findNodes(FindingList &Out);
void findSplitShared(FindingList &Out);
void findShortStrings(FindingList &Out);
void findExceptions(FindingList &Out);
// Objects.cpp: objects that need not be, or need not be so large
void findCopies(FindingList &Out);
void findPadding(FindingList &Out);
void findUndestroyed(FindingList &Out);
// Run.cpp: the run as a whole
void findUnboundedGrowth(FindingList &Out);
void findAlive(FindingList &Out);
void findForeignFrees(FindingList &Out);
void findSteadyPhases(FindingList &Out);

} // namespace inmem::report

#endif

//===- Undestroyed.h - Classes whose objects did not all end --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_UNDESTROYED_H
#define INMEM_REPORT_UNDESTROYED_H

#include "report/model/Profile.h"

namespace inmem::report {

/// A class that may have objects left.
struct Undestroyed {
  const TypeResult *Type;
  std::optional<uint64_t> Alive; ///< by what was made and destroyed
  uint64_t InLiveBlocks = 0;     ///< blocks that were never freed
  /// Indices of Profile::Sites that allocated those blocks, most of them first.
  std::vector<size_t> LiveSites;
  uint64_t atLeast() const { return Alive.value_or(InLiveBlocks); }
};

/// Most first. Where no destructor is counted, a class whose objects were made
/// on the heap and whose blocks were not freed.
std::vector<Undestroyed> undestroyed(const Profile &P);

/// The places that made what is still alive, most first; all places where
/// objects were not followed.
std::vector<ObjectSite> suspects(const ObjectCounts &Objects);

} // namespace inmem::report

#endif

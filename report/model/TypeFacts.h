//===- TypeFacts.h - Facts derived for one type -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_TYPEFACTS_H
#define INMEM_REPORT_MODEL_TYPEFACTS_H

#include "report/model/Profile.h"

#include <span>

namespace inmem::report {

// Kinds.cpp: Names for the blocks of a type.

/// Kinds of a type, most bytes first; none if all its blocks share one name.
std::vector<KindResult> kindsOf(const Profile &P, const TypeResult &T);

// Packing.cpp: The size of a class without padding between members.

/// The members of a class in the order that needs the fewest bytes: by
/// alignment, the largest first, after its bases. A member's alignment is
/// assumed to be the largest that its offset and size allow, so that Bytes is
/// never too small. None for unions, bit-fields, and classes without recorded
/// members or savings.
std::optional<PackedResult> packingOf(const trace::Trace &T,
                                      const trace::Type &Type);

/// As above, for a class that is in no trace.
std::optional<PackedResult> packingOf(const trace::Type &Type,
                                      std::span<const trace::Field> Fields);

// Undestroyed.cpp: classes with objects that were not destroyed.

/// A class that may have undestroyed objects.
struct Undestroyed {
  const TypeResult *Type;
  std::optional<uint64_t> Alive; ///< constructed minus destroyed
  uint64_t InLiveBlocks = 0;     ///< blocks that were never freed
  /// Indices of Profile::Sites that allocated these blocks, those with most of
  /// them first.
  std::vector<size_t> LiveSites;
  uint64_t atLeast() const { return Alive.value_or(InLiveBlocks); }
};

/// In descending order. If no destructor is counted, classes of heap objects in
/// blocks that were not freed.
std::vector<Undestroyed> undestroyed(const Profile &P);

/// The source locations that constructed the live objects, in descending order;
/// all of them if objects were not followed.
std::vector<ObjectSite> suspects(const ObjectCounts &Objects);

} // namespace inmem::report

#endif

//===- RuleFacts.h - Facts that rules of findings look up -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FINDINGS_RULEFACTS_H
#define INMEM_REPORT_FINDINGS_RULEFACTS_H

#include "report/model/FieldResult.h"
#include "report/model/Profile.h"

#include <functional>
#include <span>
#include <string>

namespace inmem::report {

// AllocationCost.cpp: The allocator's share of the run time.

/// The allocator's share of a run's time.
struct AllocationCost {
  double Part = 0;       ///< from 0 to 1
  bool Measured = false; ///< from profile= samples; else a price per block
  /// True if the share is so small that no finding makes the program faster.
  bool isLittle() const;
};

/// None if there are neither samples nor a duration, or the run was too short.
std::optional<AllocationCost> allocationCost(const Profile &P);

/// One line for findings that promise fewer blocks: allocation does not take
/// most of the time, and profile= shows the code that does. Empty if it does,
/// or that is unknown.
std::string whyNotFaster(const Profile &P);

// BlockUsers.cpp: The code that a function allocates for.

/// The program's functions that call sites of the program among \p Sites, with
/// their shares of the blocks: `; for parse 61 %, load 39 %`. Taken from call
/// stacks or, without them, from inlined chains. Empty if fewer than two are
/// known, or less than half of the blocks have one. \param Sites indices into
/// Profile::Sites \param Blocks the blocks to count
std::string callersText(const Profile &P, std::span<const size_t> Sites,
                        uint64_t Counts::*Blocks);

/// True if functions of the program other than the allocating one freed all
/// blocks of \p Sites, so that they outlive it (frees=on). None if unknown, or
/// if this holds for only some.
std::optional<bool> outliveFunction(const Profile &P,
                                    std::span<const size_t> Sites);

// FieldLayout.cpp: Sizes of classes with fewer fields.

/// \p Bytes, rounded up to a multiple of \p Align.
uint64_t alignTo(uint64_t Bytes, uint64_t Align);

/// The size of a class without the fields for which \p Removed is true, with
/// the others in their order. Each keeps the alignment that its offset and size
/// show. 0 if no field is left.
uint64_t sizeWithout(const TypeResult &T,
                     const std::function<bool(const FieldResult &)> &Removed);

/// True if some field shares bytes with another one, as in unions.
bool overlap(const std::vector<FieldResult> &Fields);

/// The number of objects of \p Class in one object of \p Node, if that is a
/// node of a standard container, or the block that std::make_shared()
/// allocates.
uint64_t objectsInNode(std::string_view Node, std::string_view Class);

/// `a`, `a and b`, `a, b and 3 others`
std::string listOf(const std::vector<const FieldResult *> &Fields);

// RuntimeBlocks.cpp: Blocks of the runtime libraries.

/// True if the C or C++ runtime library allocates a site's blocks for its own
/// use, or the language does: buffers of opendir() and fopen(), exception
/// objects and their texts, frames of coroutines. Changes to the program's
/// source cannot move them. False for blocks that a function of the C library
/// returns to its caller, such as strdup().
bool isRuntimesOwn(const Profile &P, const SiteResult &S);

} // namespace inmem::report

#endif

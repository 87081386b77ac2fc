//===- Stacks.h - stacks=N: sites by their callers ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pair of site and stack gets an id from the same range as sites. Rows,
// cells, lifetimes, the live index, frees and events then work as they do
// without stacks, and a free needs no additional instruction. A thread finds
// the id by a hash of the frames that it has walked, without a lock. Stacks are
// stored as a tree of (parent, code address) in which each node is unique.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_STACKS_H
#define INMEM_RUNTIME_STACKS_H

#include "stacks/StackCache.h"
#include "state/ThreadState.h"

namespace inmem::rt {

/// Frames as entered in the tree, with the frames of tail calls inserted.
struct Chain {
  static constexpr unsigned kMost = 2 * kMaxDepth;
  uint32_t Addresses[kMost]; ///< address numbers, innermost first
  uint32_t Flags[kMost];
  unsigned Count;

  void add(uint32_t Address, uint32_t Flag) {
    if (Count == kMost)
      return;
    Addresses[Count] = Address;
    Flags[Count++] = Flag;
  }
};

/// Per-thread state for stacks= and frees=. Valid when zero.
struct StackState {
  /// A 64-bit hash identifies site and frames: the probability that two of a
  /// million stacks collide is 3e-8.
  struct Known {
    uint64_t Hash;
    uint32_t Site;
  };
  static constexpr unsigned kKnown = 1024;
  Known Sites[kKnown];
  uint32_t Generation; ///< code generation of Sites
  Unwinder Unwind;
  StackCache Cache;
  /// Frames of the event being recorded. Not on the stack, which may be a
  /// coroutine's of a few KiB.
  StackWalk Walked;
  Chain Path;
};

/// Null when out of memory. Empty in a forked child that has not noticed the
/// fork.
StackState *makeStackState();

/// The id of site \p Site with the calling thread's stack, or \p Site itself
/// when out of memory or without a stack. The thread has rows and holds the
/// guard, but not the mutex. May change errno.
uint32_t siteWithStack(ThreadState &T, uint32_t Site);

/// The pair of \p Site and the calling thread's stack, with \p Context, if it
/// can be found without reading the thread's slots; else null. \p S: the
/// thread's state.
INMEM_INLINE const KnownStack *quicklyKnown(StackState &S, uint32_t Site,
                                            HookFrame At, uint64_t Context) {
  if (INMEM_UNLIKELY(S.Generation != codeGeneration()))
    return nullptr;
  StackCache &C = S.Cache;
  const KnownStack *Known;
  if (Context) {
    const QuickStack &Quick = C.Quick[C.quickOf(At, Site, Context)];
    Known = Quick.isAt(At, Site, Context) ? &Quick.Known : nullptr;
  } else {
    Known = knownByWords(C, Site, At);
  }
  if (INMEM_UNLIKELY(!Known) || INMEM_UNLIKELY(!Known->Where.R) ||
      INMEM_UNLIKELY(countsBelowZero(C.ToCheck)))
    return nullptr;
  return Known;
}

/// The id of site \p Site with the stack of \p Other. As siteWithStack.
uint32_t siteWithStackOf(uint32_t Site, uint32_t Other);

/// The number of the stack that \p S has walked; 0 if it has no frames or there
/// is no memory. Writes the stack to the trace at its first use. Needs the
/// guard, without the mutex. May change errno.
uint32_t stackOfWalk(StackState &S);

/// The number of the code at \p Pc; 0 when out of memory. Writes the address to
/// the trace at its first use. Needs the guard, without the mutex. May change
/// errno.
uint32_t codeAddressOf(uintptr_t Pc);

/// Call after fork in the child, whose trace has no stacks yet.
void forgetStacks();

} // namespace inmem::rt

#endif

//===- CallerPaths.h - Who called the library that allocated --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// callers=on. A site in code of a library, or in a wrapper, stands for all that
// call it. A hook there compares the return address of the function that it was
// called from with what the site has seen, and further ones as far as it takes
// to reach the user's code; where each is saved follows from the one before. A
// path that is new is walked once, by unwinding. Nothing is written at calls,
// so that nothing is ever out of date.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_CALLERPATHS_H
#define INMEM_RUNTIME_CALLERPATHS_H

#include "hot/Recorder.h"
#include "unwind/Unwind.h"

namespace inmem::rt {

/// A return address on paths from a site. Never changed once Return is there:
/// signal handlers and what they interrupt read them too.
struct CallerNode {
  uintptr_t Return; ///< written last; 0: free
  uintptr_t From;   ///< the site, or a node's number * 2 + 1
  trace::Row *R;    ///< where the path ends here; null: further ones decide
  trace::Cell *C;   ///< to R, or to Direct
  /// Words from the place of this return address to that of the next one, and
  /// on the direct path to the third; 0: none. Up kByFp: it is 8 bytes above
  /// what the frame pointer saved FpAt words from here points to.
  int16_t Up;
  union {
    int16_t Third, FpAt;
  };
  uint32_t Number;
  /// The direct path: the first one seen, where it has two or three return
  /// addresses at fixed distances; Direct is null if there is none.
  uintptr_t Second, ThirdReturn;
  trace::Row *Direct;
};
static_assert(sizeof(CallerNode) == 64);
inline constexpr int16_t kByFp = -1;

/// Nodes that are found in their own place.
inline constexpr size_t kQuickNodes = 256;

/// What blocks of site From, which may have a caller, become at a site of a
/// library's that knows more of them.
struct CallerMove {
  uint32_t From; ///< written last; 0: free
  uint32_t Site, To;
};

/// Per thread; kept in its ThreadRows.
struct CallerPaths {
  CallerNode Quick[kQuickNodes];
  static constexpr size_t kMoves = 256;
  CallerMove Moves[kMoves];
  /// Open addressing, for those whose place is taken. Replaced by larger ones;
  /// old ones stay for what a signal handler has interrupted.
  struct Table {
    uint32_t Mask, Count;
    CallerNode Nodes[];
  };
  Table *Others;
  uint32_t Numbers;    ///< in use
  uint32_t Generation; ///< of the code that nodes refer to
  Unwinder Unwind;
};

INMEM_INLINE const CallerNode &quickNode(const CallerPaths &P, uintptr_t From,
                                         uintptr_t Return) {
  constexpr uintptr_t kMask = (kQuickNodes - 1) * sizeof(CallerNode);
  return *reinterpret_cast<const CallerNode *>(
      reinterpret_cast<const char *>(P.Quick) + ((From + Return * 8) & kMask));
}

/// allocatedFrom for paths that are not direct, and all other cases.
INMEM_COLD INMEM_CALLED void *allocatedFromSlow(void *P, uint64_t Size,
                                                struct inmem_site *Site,
                                                const uintptr_t *Back);

/// The row at the end of the direct path, if it is the one.
INMEM_INLINE trace::Row *directRow(const CallerNode &N, const uintptr_t *Back) {
  if (!N.Direct || Back[N.Up] != N.Second ||
      (N.Third && Back[N.Third] != N.ThirdReturn))
    return nullptr;
  return N.Direct;
}

/// The block [P, P + Size) now exists and belongs to \p Site, as it was reached
/// through the function whose return address is at \p Back. \returns \p P
INMEM_INLINE void *allocatedFrom(void *P, uint64_t Size,
                                 struct inmem_site *Site,
                                 const uintptr_t *Back) {
  ThreadState &T = Thread;
  announce(T, P);
  Size += Size == 0;
  const CallerPaths *Paths = T.QuickPaths;
  if (INMEM_LIKELY(Paths != nullptr)) {
    const auto From = reinterpret_cast<uintptr_t>(Site);
    const uintptr_t Return = *Back;
    const CallerNode &N = quickNode(*Paths, From, Return);
    if (INMEM_LIKELY(N.Return == Return) && INMEM_LIKELY(N.From == From)) {
      Slot S = {N.R, N.C};
      if (INMEM_MAYBE(S.R == nullptr))
        S.R = directRow(N, Back);
      if (INMEM_LIKELY(S.R != nullptr)) {
        countAllocation(T, S, P, Size, siteEntry(S.R->Site));
        return P;
      }
    }
  }
  return allocatedFromSlow(P, Size, Site, Back);
}

/// The rest of realloc, as reallocated() for such a site.
INMEM_CALLED __attribute__((noinline)) void *
reallocatedFrom(void *P, uint64_t Size, struct inmem_site *Site,
                const uintptr_t *Back, uint32_t OldSite);

/// The id of \p Site, whose own is \p Id, with the caller that its path leads
/// to; \p Id if that is not known. The thread has rows. With the guard,
/// without the mutex. May change errno.
uint32_t idWithCaller(ThreadState &T, struct inmem_site *Site, uint32_t Id,
                      const uintptr_t *Back);

/// As idWithCaller() if the path is known; else 0. Without the guard.
uint32_t knownWithCaller(const ThreadState &T, const struct inmem_site *Site,
                         const uintptr_t *Back);

/// Counts the block if the path is known. The fast path is open.
bool countKnown(ThreadState &T, const CallerPaths &Paths, void *P,
                uint64_t Size, const struct inmem_site *Site,
                const uintptr_t *Back);

/// The id of blocks of \p Site with \p Return, whatever is further up; 0 if it
/// depends on that, or is not known.
uint32_t idWithoutPath(const CallerPaths &Paths, const struct inmem_site *Site,
                       uintptr_t Return);

/// Where a move from \p From to \p Site is kept.
INMEM_INLINE size_t moveIndex(uint32_t From, uint32_t Site) {
  return (From + Site * 8) % CallerPaths::kMoves;
}

/// The id of blocks of site \p From that become those of \p Site, whose id is
/// \p Id: with the caller that they have, if it is a library's. It is known
/// from then on. With the guard, without the mutex.
uint32_t idAfterMove(ThreadState &T, const struct inmem_site *Site, uint32_t Id,
                     uint32_t From);

/// Whether a forked child has them too, as leaveSlotsToChild().
void leavePathsToChild(CallerPaths &P, bool Leave);

/// Whether code was unloaded since: the slow path forgets the thread's paths.
INMEM_INLINE bool hasOldPaths(const ThreadState &T) {
  const CallerPaths *P = T.QuickPaths;
  return P && P->Generation != codeGeneration();
}

/// Code was unloaded: forgets all threads' paths. With the mutex.
void forgetCallerPaths();

/// Where the calling function's return address is saved.
#if defined(__x86_64__)
extern "C" void *inmem_return_slot() __asm__("llvm.addressofreturnaddress.p0");
#define INMEM_RETURN_SLOT() static_cast<const uintptr_t *>(inmem_return_slot())
#else
#define INMEM_RETURN_SLOT() static_cast<const uintptr_t *>(nullptr)
#endif

} // namespace inmem::rt

#endif

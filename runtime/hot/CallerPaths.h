//===- CallerPaths.h - Who called the library that allocated --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// callers=on. A site in code of a library, or in a wrapper, represents all its
// callers. A hook there compares the return address of the function that it was
// called from with what the site has seen, and further ones until
// these reach the user's code; where each is saved follows from the one before.
// A path that is new is walked once, by unwinding. Nothing is written at calls,
// so that nothing is ever out of date.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_CALLERPATHS_H
#define INMEM_RUNTIME_CALLERPATHS_H

#include "hot/Recorder.h"
#include "unwind/Unwind.h"

namespace inmem::rt {

/// The id that a path ends in, on this thread.
struct CallerEnd {
  trace::Row *R;
  trace::Cell *C;
  IndexEntry Value;
};

/// A return address on paths from a site. Never changed once Key is there:
/// signal handlers and what they interrupt read them too.
struct CallerNode {
  /// Written last. The return address if the path ends here, minus it if
  /// further ones decide; 0: free.
  uintptr_t Key;
  uintptr_t From; ///< the site, or a node's number * 2 + 1
  /// The end of the path that ends here, or of the direct one: the first path
  /// seen, if it has two or three return addresses that hooks can find
  /// (isCompared). Without one, R is null.
  CallerEnd End;
  /// Return addresses of the direct path. If it has two, Third is the second
  /// as well; on AArch64, 0.
  uintptr_t Second, Third;
  /// Words from the place of this return address to that of the next one, and
  /// on the direct path to the third. Up kByFp: it is 8 bytes above what the
  /// frame pointer saved FpAt words from here points to.
  int16_t Up;
  union {
    int16_t UpToThird, FpAt;
  };
  uint32_t Number;

  bool endsHere() const { return static_cast<intptr_t>(Key) > 0; }
  uintptr_t returnAddress() const { return endsHere() ? Key : 0 - Key; }
  bool is(uintptr_t OfFrom, uintptr_t Return) const {
    return From == OfFrom && (Key == Return || Key + Return == 0);
  }
};
static_assert(sizeof(CallerNode) == 64);
inline constexpr int16_t kByFp = -1;

/// AArch64's frames begin with the caller's frame pointer and a return address.
/// \returns the record of the function that the return address at \p Back
/// leads to, whose code must be known to keep one.
INMEM_INLINE const uintptr_t *recordAbove(const uintptr_t *Back) {
  return reinterpret_cast<const uintptr_t *>(Back[-1]);
}
/// True if hooks can compare the return address after that of \p F.
inline bool isCompared(const CallerFrame &F) {
  return kHasFrameRecords ? F.How == CallerFrame::ByFp && F.FpAt == -1
                          : F.How == CallerFrame::Fixed;
}

/// Another path of several return addresses that hooks can find. Never changed.
struct CallerChain {
  static constexpr unsigned kMost = 7;
  CallerChain *Next; ///< with the same first return address
  CallerEnd End;
  uint32_t Count;
  /// Words from the first return address. After the last level, if there is
  /// room: 0, where the first return address is compared with 0, and differs.
  int32_t At[kMost];
  uintptr_t Returns[kMost];

  /// True if its return addresses are saved above \p Back. Inner ones first:
  /// outer ones may be beyond the stack otherwise. Five instructions a level.
  INMEM_INLINE bool isAbove(const uintptr_t *Back) const {
    if constexpr (kHasFrameRecords) {
      for (unsigned I = 0; I < Count; ++I) {
        Back = recordAbove(Back) + 1;
        if (*Back != Returns[I])
          return false;
      }
      return true;
    }
    if (Back[At[0]] != Returns[0])
      return false;
#pragma clang loop unroll(full)
    for (unsigned I = 1; I < kMost; ++I)
      if (Back[At[I]] != Returns[I])
        return Count == I;
    return true;
  }
};

/// Nodes that are found in one of two slots of their own.
inline constexpr size_t kQuickNodes = 512;

/// Blocks of site From, which may have a caller, become blocks of To at Site, a
/// library's site that knows more about them.
struct CallerMove {
  uint32_t From; ///< written last; 0: free
  uint32_t Site, To;
};

/// Per thread; kept in its ThreadRows.
struct CallerPaths {
  CallerNode Quick[kQuickNodes];
  static constexpr size_t kMoves = 64;
  CallerMove Moves[kMoves];
  /// Open addressing, for paths whose slot is taken. Replaced by larger ones;
  /// old ones stay for what a signal handler has interrupted.
  struct Table {
    uint32_t Mask, Count;
    CallerNode Nodes[];
  };
  Table *Others;
  CallerChain *Chains[kQuickNodes]; ///< by the slot of their first node
  /// Chains are never given back, so there are few blocks of them.
  struct Block {
    Block *Next;
    uint32_t Used;
    static constexpr uint32_t kChains = 33;
    CallerChain Chains[kChains];
  };
  static_assert(sizeof(Block) <= kPage);
  Block *Blocks; ///< the newest
  uint32_t NumBlocks;
  uint32_t Numbers;    ///< in use
  uint32_t Generation; ///< of the code that nodes refer to
  Unwinder Unwind;
};

/// Bytes from the first node to that of the slot that the hooks look at.
INMEM_INLINE uintptr_t quickOffset(uintptr_t From, uintptr_t Return) {
  constexpr uintptr_t kMask = (kQuickNodes - 1) * sizeof(CallerNode);
  return (From + Return * 8) & kMask;
}
INMEM_INLINE const CallerNode &quickNode(const CallerPaths &P,
                                         uintptr_t Offset) {
  return *reinterpret_cast<const CallerNode *>(
      reinterpret_cast<const char *>(P.Quick) + Offset);
}

/// A hash of a return address on a path from \p From.
INMEM_INLINE size_t homeOf(uintptr_t From, uintptr_t Return, uint32_t Mask) {
  return (From * 0x9E3779B97F4A7C15u ^ Return * 0xC2B2AE3D27D4EB4Fu) >> 32 &
         Mask;
}

/// Where a node is if the slot that the hooks look at is another's: two hot
/// paths that share it do not share this one.
INMEM_INLINE const CallerNode &secondNode(const CallerPaths &P, uintptr_t From,
                                          uintptr_t Return) {
  return P.Quick[homeOf(From, Return, kQuickNodes - 1)];
}

/// True if \p N leads to its row from \p Return, which is at \p Back.
INMEM_INLINE bool leadsToRow(const CallerNode &N, uintptr_t Return,
                             const uintptr_t *Back) {
  if constexpr (kHasFrameRecords) {
    if (INMEM_LIKELY(N.Key == Return))
      return true;
    if (N.Key + Return != 0 || !N.End.R)
      return false;
    // A return address that matches belongs to a function that has a record.
    const uintptr_t *Record = recordAbove(Back);
    uintptr_t Above = Record[0], Third = N.Third;
    hideOrigins(Above, Third); // load pairs
    return Record[1] == N.Second &&
           (!Third || reinterpret_cast<const uintptr_t *>(Above)[1] == Third);
  }
  return INMEM_LIKELY(N.Key == Return) ||
         (N.Key + Return == 0 && Back[N.Up] == N.Second &&
          Back[N.UpToThird] == N.Third && N.End.R);
}

/// Where the path from \p From ends, if it is one of the chains of its first
/// node, or if that is in its second slot, which the hooks do not look at, and
/// leads there. Inner return addresses come first: outer ones may be beyond the
/// stack otherwise.
INMEM_INLINE const CallerEnd *findChain(const CallerPaths &P, uintptr_t From,
                                        const uintptr_t *Back,
                                        uintptr_t Offset) {
  const CallerNode *First = &quickNode(P, Offset);
  if (INMEM_UNLIKELY(First->From != From || First->Key + *Back != 0)) {
    First = &secondNode(P, From, *Back);
    if (First->From != From)
      return nullptr;
    if (leadsToRow(*First, *Back, Back))
      return &First->End;
    if (First->Key + *Back != 0)
      return nullptr;
  }
  for (const CallerChain *C = P.Chains[First - P.Quick]; C; C = C->Next)
    if (C->isAbove(Back))
      return &C->End;
  return nullptr;
}

/// Where the path from \p Site ends; null if it is not known.
const CallerEnd *findEnd(const CallerPaths &P, const struct inmem_site *Site,
                         const uintptr_t *Back);
/// True if no path of the thread will ever be known.
bool neverKnowsPaths(const ThreadState &T);

/// The block [P, P + Size) now exists and belongs to \p Site, as it was reached
/// through the function whose return address is at \p Back. \returns \p P
INMEM_INLINE void *recordPath(void *P, uint64_t Size, struct inmem_site *Site,
                              const uintptr_t *Back) {
  ThreadState &T = Thread;
  announce(T, P);
  Size += Size == 0;
  const auto From = reinterpret_cast<uintptr_t>(Site);
  const uintptr_t Return = *Back;
  const uintptr_t Offset = quickOffset(From, Return);
  const CallerNode &N = quickNode(*T.Callers.QuickPaths, Offset);
  if (INMEM_LIKELY(N.From == From) &&
      INMEM_LIKELY(leadsToRow(N, Return, Back)) && !interruptsCount(T)) {
    enterAllocation(T, {N.End.R, N.End.C}, P, Size, N.End.Value);
    return P;
  }
  return recordPathSlow(P, Size, Site, Back, Offset);
}

/// The id of \p Site, whose own is \p Id, with the caller that its path leads
/// to; \p Id if that is not known. The thread has rows. With the guard,
/// without the mutex. May change errno.
uint32_t idWithCaller(ThreadState &T, struct inmem_site *Site, uint32_t Id,
                      const uintptr_t *Back);

/// As idWithCaller() if the path is known; else 0. Without the guard.
uint32_t knownWithCaller(const ThreadState &T, const struct inmem_site *Site,
                         const uintptr_t *Back);

/// Counts the block if the path is known. The fast path is open.
bool enterIfPathKnown(ThreadState &T, const CallerPaths &Paths, void *P,
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

/// The thread's paths, whose moves say which callers a block keeps that becomes
/// one of \p Site; null if none: the site is not a library's.
INMEM_INLINE CallerPaths *pathsOfMove(const ThreadState &T,
                                      const struct inmem_site *Site) {
  return INMEM_MAYBE((Site->flags & INMEM_SITE_PASSED) == 0) ? nullptr
                                                             : T.Rows->Paths;
}

/// The id of blocks of site \p From that become blocks of \p Site, whose id is
/// \p Id: with the caller that they have, if it is a library's. It is known
/// from then on. With the guard, without the mutex.
uint32_t idAfterMove(ThreadState &T, const struct inmem_site *Site, uint32_t Id,
                     uint32_t From);

/// Blocks of site \p From that become blocks of \p Site are blocks of \p To
/// from now on. With the guard.
void noteMove(ThreadState &T, uint32_t Site, uint32_t From, uint32_t To);

/// Unmaps them: no thread will use them.
void releasePaths(CallerPaths &P);

/// True if a forked child has them too, as leaveSlotsToChild().
void leavePathsToChild(CallerPaths &P, bool Leave);

/// True if code was unloaded since: the slow path forgets the thread's paths.
INMEM_INLINE bool hasOldPaths(const ThreadState &T) {
  const CallerPaths *P = T.Callers.QuickPaths;
  return P != &ClosedPaths && P->Generation != codeGeneration();
}

/// Code was unloaded: forgets all threads' paths. With the mutex.
void forgetCallerPaths();

/// Where the calling function's return address is saved.
#if defined(__x86_64__)
extern "C" void *inmem_return_slot() __asm__("llvm.addressofreturnaddress.p0");
#define INMEM_RETURN_SLOT() static_cast<const uintptr_t *>(inmem_return_slot())
#else
// Above the caller's frame pointer, in the record of the frame.
#define INMEM_RETURN_SLOT()                                                    \
  (static_cast<const uintptr_t *>(__builtin_frame_address(0)) + 1)
#endif

} // namespace inmem::rt

#endif

//===- CallerPaths.h - Who called the library that allocated --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// callers=on. A site in a library or a wrapper represents all its callers. The
// hook there reads the return address of the function that called it, then
// further ones up to the user's code, and looks them up in a table of the
// thread. A return address determines where the next one is saved. Only a path
// that is not in the table is unwound. Code that calls the library writes
// nothing, so the table is the only state and is never stale.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_CALLERPATHS_H
#define INMEM_RUNTIME_CALLERPATHS_H

#include "hot/Recorder.h"
#include "unwind/Unwind.h"

namespace inmem::rt {

/// The row, cell and id to which a path leads on this thread.
struct CallerEnd {
  trace::Row *R;
  trace::Cell *C;
  IndexEntry Value;
};

/// A return address on paths from a site. A node is never changed once its Key
/// is set, because a signal handler and the event that it interrupted both read
/// nodes.
struct CallerNode {
  /// Written last. The return address if the path ends here, minus it if
  /// further ones decide; 0: free. So one comparison with the return address
  /// finds the commonest case, a path of one.
  uintptr_t Key;
  uintptr_t From; ///< the site, or a node's number * 2 + 1
  /// The end of the path that ends here, or of the direct one: the first path
  /// seen, if it has two or three return addresses that hooks can find
  /// (isCompared). Without one, R is null.
  CallerEnd End;
  /// Return addresses of the direct path. If it has two, Third is the second as
  /// well, so that hooks compare both lengths without a branch; on AArch64, 0.
  uintptr_t Second, Third;
  /// Distance in words from this saved return address to the next one, and on
  /// the direct path to the third. If Up is kByFp, the next one is 8 bytes
  /// above the address in the frame pointer saved FpAt words from here.
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
/// Returns the frame record of the function to which the return address at \p
/// Back leads. That function must be known to keep one.
INMEM_INLINE const uintptr_t *recordAbove(const uintptr_t *Back) {
  return reinterpret_cast<const uintptr_t *>(Back[-1]);
}
/// Returns true if hooks can compare the return address that follows \p F.
inline bool isCompared(const CallerFrame &F) {
  return kHasFrameRecords ? F.How == CallerFrame::ByFp && F.FpAt == -1
                          : F.How == CallerFrame::Fixed;
}

/// A further path of several return addresses that hooks can find. Never
/// changed.
struct CallerChain {
  static constexpr unsigned kMost = 7;
  CallerChain *Next; ///< next with the same first return address
  CallerEnd End;
  uint32_t Count;
  /// Distances in words from the first return address. If there is room after
  /// the last level, a 0 follows: the first return address is then compared
  /// with 0, which ends the comparison.
  int32_t At[kMost];
  uintptr_t Returns[kMost];

  /// Returns true if these return addresses are saved above \p Back. Compares
  /// inner ones first: unless they match, the locations of outer ones may be
  /// outside the stack. Takes five instructions a level.
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

/// Number of slots of nodes that hooks find without probing.
inline constexpr size_t kQuickNodes = 512;

/// Blocks of site From, which may have a caller, become blocks of site To when
/// Site, a library's site that knows more about them, takes them over.
struct CallerMove {
  uint32_t From; ///< written last; 0: free
  uint32_t Site, To;
};

/// The paths of one thread. Its ThreadRows owns them.
struct CallerPaths {
  CallerNode Quick[kQuickNodes];
  static constexpr size_t kMoves = 64;
  CallerMove Moves[kMoves];
  /// A hash table with open addressing for paths whose slots are occupied. A
  /// larger table replaces it when it is half full. The old one stays mapped,
  /// because an interrupted event may be reading it.
  struct Table {
    uint32_t Mask, Count;
    CallerNode Nodes[];
  };
  Table *Others;
  CallerChain *Chains[kQuickNodes]; ///< by the first node's slot
  /// Chains are never freed, so the number of blocks is limited.
  struct Block {
    Block *Next;
    uint32_t Used;
    static constexpr uint32_t kChains = 33;
    CallerChain Chains[kChains];
  };
  static_assert(sizeof(Block) <= kPage);
  Block *Blocks; ///< newest first
  uint32_t NumBlocks;
  uint32_t Numbers;    ///< node numbers in use
  uint32_t Generation; ///< code generation of the nodes
  Unwinder Unwind;
};

/// Offset in bytes, from the first node, of the slot that hooks read.
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

/// The second slot for a node, with another hash: two hot paths that share the
/// slot that hooks read do not share this one.
INMEM_INLINE const CallerNode &secondNode(const CallerPaths &P, uintptr_t From,
                                          uintptr_t Return) {
  return P.Quick[homeOf(From, Return, kQuickNodes - 1)];
}

/// Returns true if the path of \p N is the one on the stack. \p Return is saved
/// at \p Back.
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
    hideOrigins(Above, Third); // so that clang loads pairs
    return Record[1] == N.Second &&
           (!Third || reinterpret_cast<const uintptr_t *>(Above)[1] == Third);
  }
  return INMEM_LIKELY(N.Key == Return) ||
         (N.Key + Return == 0 && Back[N.Up] == N.Second &&
          Back[N.UpToThird] == N.Third && N.End.R);
}

/// Finds the end of a path from \p From whose first node has chains, or is in
/// its second slot, which hooks do not read. Compares inner return addresses
/// first: unless they match, the locations of outer ones may be outside the
/// stack.
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

/// Finds the end of a path from a call without a site, if the path ends
/// immediately or is direct; null if not. \p Back may be null.
INMEM_INLINE const CallerEnd *findDirect(const ThreadState &T,
                                         uintptr_t ReturnAddress,
                                         const uintptr_t *Back) {
  const KnownCaller *Callers = T.Callers.Quick;
  if (!Callers || !Back)
    return nullptr;
  const KnownCaller &Known = Callers[knownCallerIndex(ReturnAddress)];
  const auto From = reinterpret_cast<uintptr_t>(Known.Site);
  const CallerNode &N =
      quickNode(*T.Callers.QuickPaths, quickOffset(From, *Back));
  return Known.ReturnAddress == ReturnAddress && N.From == From &&
                 leadsToRow(N, *Back, Back)
             ? &N.End
             : nullptr;
}

/// Finds the end of the path from \p Site; null if the path is not known.
const CallerEnd *findEnd(const CallerPaths &P, const struct inmem_site *Site,
                         const uintptr_t *Back);
/// Returns true if the thread keeps no paths.
bool neverKnowsPaths(const ThreadState &T);

/// Counts the block [P, P + Size) for \p Site and the path that begins with the
/// return address at \p Back. Returns \p P.
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

/// The id of \p Site with the caller at the end of its path, or \p Id, the
/// plain site's, if the caller is not known. The thread has rows and holds the
/// guard, but not the mutex. May change errno.
uint32_t idWithCaller(ThreadState &T, struct inmem_site *Site, uint32_t Id,
                      const uintptr_t *Back);

/// As idWithCaller() if the path is known, else 0. Needs no guard.
uint32_t knownWithCaller(const ThreadState &T, const struct inmem_site *Site,
                         const uintptr_t *Back);

/// Counts the block if the path is known. The fast path is open.
bool enterIfPathKnown(ThreadState &T, const CallerPaths &Paths, void *P,
                      uint64_t Size, const struct inmem_site *Site,
                      const uintptr_t *Back);

/// The id of blocks of \p Site below \p Return, if outer return addresses
/// cannot change it; else, or if it is not known, 0.
uint32_t idWithoutPath(const CallerPaths &Paths, const struct inmem_site *Site,
                       uintptr_t Return);

/// The slot in Moves of a move from \p From to \p Site.
INMEM_INLINE size_t moveIndex(uint32_t From, uint32_t Site) {
  return (From + Site * 8) % CallerPaths::kMoves;
}

/// The thread's paths, which have the moves for blocks that \p Site takes over;
/// null if the site is not a library's.
INMEM_INLINE CallerPaths *pathsOfMove(const ThreadState &T,
                                      const struct inmem_site *Site) {
  return INMEM_MAYBE((Site->flags & INMEM_SITE_PASSED) == 0) ? nullptr
                                                             : T.Rows->Paths;
}

/// The id of blocks of site \p From after \p Site, whose id is \p Id, has taken
/// them over. They keep their caller if it is a library's site. Remembers the
/// move. Needs the guard, without the mutex.
uint32_t idAfterMove(ThreadState &T, const struct inmem_site *Site, uint32_t Id,
                     uint32_t From);

/// Remembers that blocks of site \p From become blocks of \p To when \p Site
/// takes them over. Needs the guard.
void noteMove(ThreadState &T, uint32_t Site, uint32_t From, uint32_t To);

/// Unmaps the paths of a thread that has ended.
void releasePaths(CallerPaths &P);

/// As leaveSlotsToChild(), for paths: lets forked children inherit them, or
/// ends that.
void leavePathsToChild(CallerPaths &P, bool Leave);

/// Returns true if code was unloaded since the paths were learnt. The slow path
/// then forgets them.
INMEM_INLINE bool hasOldPaths(const ThreadState &T) {
  const CallerPaths *P = T.Callers.QuickPaths;
  return P != &ClosedPaths && P->Generation != codeGeneration();
}

/// Makes all threads forget their paths, because code was unloaded. Needs the
/// mutex.
void forgetCallerPaths();

/// The location of the calling function's saved return address.
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

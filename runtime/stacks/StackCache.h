//===- StackCache.h - Stacks that need no walk ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk depends on nothing but the registers it began with and the words it
// read. A thread keeps, of stacks that it has walked, those words: where all of
// them are as they were, the stack is as it was. Comparing them costs a quarter
// of walking.
//
// In code compiled with contexts=on one word identifies most of them. Each
// function computes F * __inmem_context + its return address and stores that
// before each call that may allocate (plugin/ir/CallingContext.h), so that the
// word is a hash of the return addresses up to the thread's first function. A
// context is used only if that was proved when its stack was walked: taking the
// walk's return addresses out of the word again leaves 0. Where code in between
// does not store, or the word is an older one, something else is left, and the
// stack is known by the words that its walk read. Frames of code without
// contexts below that code (the C++ library's operator, for one) are compared
// as words, too.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_STACKCACHE_H
#define INMEM_RUNTIME_STACKCACHE_H

#include "platform/Compiler.h"
#include "unwind/Unwind.h"

namespace inmem::rt {

struct StackState;
struct ThreadState;

/// The frame of a hook's caller: what a walk from there begins with.
struct HookCaller {
  uintptr_t Return; ///< into it; 0: not known
  uintptr_t Sp, Fp; ///< when the hook has returned
};

/// Words of a stack and where they are, in bytes from its HookCaller::Sp.
struct StackWords {
  static constexpr unsigned kCount = 4;
  uint32_t Offsets[kCount];
  uintptr_t Values[kCount];

  INMEM_INLINE bool areAt(uintptr_t Sp) const {
    auto IsAt = [&](unsigned I) {
      return *reinterpret_cast<const uintptr_t *>(Sp + Offsets[I]) == Values[I];
    };
    return IsAt(0) && IsAt(1) && IsAt(2) && IsAt(3);
  }
};

/// One stack of one site. Valid when zero: free.
template <unsigned MostWords, unsigned Bytes>
struct alignas(Bytes) CachedStack {
  static constexpr unsigned kMost = MostWords;
  static_assert(kMost % StackWords::kCount == 0);
  HookCaller At; ///< Fp only if UsesFp
  uint64_t Context;
  uint32_t Site;
  uint32_t Id; ///< of the pair; 0: always walk
  uint16_t NumGroups;
  bool UsesFp;
  StackWords Groups[MostWords / StackWords::kCount];

  INMEM_INLINE bool isAt(const HookCaller &From, uint32_t OfSite,
                         uint64_t With) const {
    return Context == With && At.Sp == From.Sp && At.Return == From.Return &&
           Site == OfSite;
  }
  INMEM_INLINE bool holds(const HookCaller &From) const {
    if (UsesFp && At.Fp != From.Fp)
      return false;
    for (const StackWords *G = Groups, *End = G + NumGroups; G != End; ++G)
      if (!G->areAt(From.Sp))
        return false;
    return true;
  }
};

/// A set-associative table. Valid when zero.
template <class EntryType, unsigned SetBits, unsigned Ways> struct StackTable {
  using Entry = EntryType;
  Entry Sets[1u << SetBits][Ways];
  uint8_t Next[1u << SetBits]; ///< way to give up

  static INMEM_INLINE size_t setOf(const HookCaller &From, uint64_t Context) {
    return ((Context ^ From.Sp) + From.Return) * 0x9E3779B97F4A7C15u >>
           (64 - SetBits);
  }
  INMEM_INLINE Entry *find(const HookCaller &From, uint32_t Site,
                           uint64_t Context) {
    Entry *Set = Sets[setOf(From, Context)];
    for (Entry *E = Set; E != Set + Ways; ++E)
      if (E->isAt(From, Site, Context) && E->holds(From))
        return E;
    return nullptr;
  }
};

/// One of those by context without words, found with no look at the hook's
/// frame. Valid when zero: free.
struct alignas(64) QuickStack {
  uint64_t Context;
  uintptr_t Frame;  ///< of the function that the hook called
  uintptr_t InHook; ///< where that returns
  uintptr_t Return; ///< where the hook returns
  uint32_t Site, Id;
  uint32_t ReturnAt; ///< in bytes from Frame

  INMEM_INLINE bool isAt(uintptr_t At, uint32_t OfSite, uint64_t With) const {
    return Context == With && Frame == At && Site == OfSite &&
           InHook == reinterpret_cast<const uintptr_t *>(At)[1] &&
           Return == *reinterpret_cast<const uintptr_t *>(At + ReturnAt);
  }
};

/// The way out of a hook. Valid when zero.
struct HookExit {
  uintptr_t Return; ///< into the hook, of its call of what records
  int32_t Cfa;      ///< bytes from that call's frame to the caller's
  int32_t SavedFp;  ///< bytes from there; 0: the hook saves none
};

/// Per-thread state. Valid when zero.
struct StackCache {
  static constexpr unsigned kQuickBits = 9;
  QuickStack Quick[1u << kQuickBits];
  /// By context: the words are those of callers without one.
  StackTable<CachedStack<4, 128>, 9, 4> Contexts;
  /// By all words of the walk.
  StackTable<CachedStack<36, 512>, 6, 8> Words;
  static constexpr unsigned kExits = 64;
  HookExit Exits[kExits];
  Retrace Trace;
  uint32_t ToCheck; ///< stacks to find until one is walked again; 0: the next
  uint32_t Learned, Checked, Missed;
  bool Used;

  static INMEM_INLINE size_t quickOf(uintptr_t Frame, uint32_t Site,
                                     uint64_t Context) {
    return ((Context ^ Frame) + Site) * 0x9E3779B97F4A7C15u >>
           (64 - kQuickBits);
  }
  static INMEM_INLINE size_t exitOf(uintptr_t Return) {
    return (Return >> 4 ^ Return) & (kExits - 1);
  }
  /// \p Frame: frame pointer of what the hook called.
  INMEM_INLINE HookCaller callerOf(uintptr_t Frame) const {
    const auto *Saved = reinterpret_cast<const uintptr_t *>(Frame);
    const HookExit &Exit = Exits[exitOf(Saved[1])];
    if (INMEM_UNLIKELY(Exit.Return != Saved[1]))
      return {};
    const uintptr_t Sp =
        Frame + 16 + static_cast<uintptr_t>(intptr_t{Exit.Cfa});
    auto Word = [Sp](int32_t Offset) {
      return *reinterpret_cast<const uintptr_t *>(
          Sp + static_cast<uintptr_t>(intptr_t{Offset}));
    };
    return {Word(-8), Sp, Exit.SavedFp ? Word(Exit.SavedFp) : Saved[0]};
  }
};

/// Where the cache has the id of the pair; null: nowhere. \p Frame as in
/// callerOf().
uint32_t *foundByContext(StackCache &C, uint32_t Site, const HookCaller &From,
                         uintptr_t Frame);
/// In registers: the other one is for programs without contexts.
uint32_t *foundByWords(StackCache &C, uint32_t Site, uintptr_t Return,
                       uintptr_t Sp, uintptr_t Fp);

/// For tests (check_stacks=on): how many stacks were found how.
struct StackCounts {
  uint64_t ByContext, ByWords, Walked;
  uint64_t Wrong; ///< found, and another one than the walk then showed
};
extern StackCounts StacksFound;

/// Says at the end what check_stacks=on has counted.
void reportStackCounts();

/// siteWithStack() in a function that a hook calls, of frame pointer \p Frame,
/// and keeps what it walks.
INMEM_COLD uint32_t siteWithNewStack(ThreadState &T, uint32_t Site,
                                     uintptr_t Frame);
/// siteWithStack(), and holds it against \p Known, which the cache has.
INMEM_COLD uint32_t siteChecked(ThreadState &T, uint32_t Site, uint32_t &Known,
                                bool ByContext);

/// As siteWithNewStack(), without a walk if the cache has the stack.
uint32_t siteWithStackAt(ThreadState &T, uint32_t Site, uintptr_t Frame);

/// Forgets what the cache holds: another thread begins to use it.
void forgetCachedStacks(StackState &S);

} // namespace inmem::rt

#endif

//===- StackCache.h - Stacks that need no walk ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a walk depends only on the registers at its beginning and on
// the words that it read. A thread keeps these words of the stacks that it has
// walked: if all are unchanged, so is the stack. Comparing takes an eighth of
// the time of walking, with frame pointers one comparison of 16 bytes a frame.
//
// In code compiled with contexts=on, one word identifies most stacks. Each
// function computes F * __inmem_context + its return address and stores that
// before each call that may allocate (plugin/ir/CallingContext.cpp). So the
// word is a hash of the return addresses up to the thread's first function. A
// context is trusted only if the walk of its stack proved it: removing the
// walk's return addresses from the word must leave 0. If code in between does
// not store contexts, or the word is outdated, another value is left, and the
// stack is identified by the words that its walk read. Inner frames of code
// without contexts, such as the C++ library's operator new, are compared as
// words, too.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_STACKCACHE_H
#define INMEM_RUNTIME_STACKCACHE_H

#include "platform/Compiler.h"
#include "state/ThreadState.h"
#include "unwind/Unwind.h"

namespace inmem::rt {

struct StackState;

/// The frame of the hook, as seen by the recording function that it calls.
struct HookFrame {
#if defined(__aarch64__)
  uintptr_t Base; ///< the hook's frame record: the caller's frame pointer, and
                  ///< the address that the hook returns to
  uintptr_t InHook; ///< return address in the hook

  static INMEM_INLINE HookFrame ofCaller() {
    const auto *Own =
        static_cast<const uintptr_t *>(__builtin_frame_address(0));
#if defined(__ARM_FEATURE_PAC_DEFAULT)
    return {Own[0], withoutSignature(Own[1])};
#else
    return {Own[0], Own[1]};
#endif
  }
  INMEM_INLINE uintptr_t inHook() const { return InHook; }
#else
  uintptr_t Base; ///< frame pointer of the hook's callee

  static INMEM_INLINE HookFrame ofCaller() {
    return {reinterpret_cast<uintptr_t>(__builtin_frame_address(0))};
  }
  INMEM_INLINE uintptr_t inHook() const {
    return reinterpret_cast<const uintptr_t *>(Base)[1];
  }
#endif
};

/// The frame of a hook's caller, from which a walk begins.
struct HookCaller {
  uintptr_t Return; ///< return address in the caller; 0 if unknown
  uintptr_t Sp, Fp; ///< values after the hook has returned
};

/// A stack that the cache holds. Valid when zero.
struct KnownStack {
  uint32_t Site;
  uint32_t Id; ///< the pair's id; 0: always walk
  Slot Where;  ///< the pair's slot; R null: not yet known
};

/// Words of a stack and their offsets in bytes from a base.
struct StackWords {
  static constexpr unsigned kCount = 4;
  uint32_t Offsets[kCount];
  uintptr_t Values[kCount];

  INMEM_INLINE bool areAt(uintptr_t Base) const {
    auto IsAt = [&](unsigned I) {
      return *reinterpret_cast<const uintptr_t *>(Base + Offsets[I]) ==
             Values[I];
    };
    return IsAt(0) && IsAt(1) && IsAt(2) && IsAt(3);
  }
};

/// As StackWords, for pairs of adjacent words: a saved frame pointer and the
/// return address.
struct alignas(16) StackPairs {
  static constexpr unsigned kCount = 4;
  uint32_t Offsets[kCount];
  uintptr_t Values[kCount][2];

  INMEM_INLINE bool areAt(uintptr_t Base) const {
#if defined(__x86_64__)
    // Lanes of 4 bytes are all that SSE2 compares.
    using Lanes = int __attribute__((vector_size(16), may_alias));
    using LanesOfWords __attribute__((aligned(8), may_alias)) = Lanes;
    using Floats = float __attribute__((vector_size(16)));
    auto Same = [&](unsigned I) {
      return *reinterpret_cast<const LanesOfWords *>(Base + Offsets[I]) ==
             *reinterpret_cast<const Lanes *>(Values[I]);
    };
    constexpr int kAllLanes = 0xf;
    return __builtin_ia32_movmskps(reinterpret_cast<Floats>(
               Same(0) & Same(1) & Same(2) & Same(3))) == kAllLanes;
#else
    auto IsAt = [&](unsigned I) {
      const auto *At = reinterpret_cast<const uintptr_t *>(Base + Offsets[I]);
      return At[0] == Values[I][0] && At[1] == Values[I][1];
    };
    return IsAt(0) && IsAt(1) && IsAt(2) && IsAt(3);
#endif
  }
};

/// One stack of one site, known by its context and the words of callers without
/// one. Valid when zero: free.
struct alignas(128) ContextStack {
  static constexpr unsigned kMostWords = StackWords::kCount;
  HookCaller At; ///< Fp only if UsesFp
  uint64_t Context;
  KnownStack Known;
  bool HasWords, UsesFp;
  StackWords Words; ///< offsets from At.Sp

  INMEM_INLINE bool isAt(const HookCaller &From, uint32_t Site,
                         uint64_t With) const {
    return Context == With && At.Sp == From.Sp && At.Return == From.Return &&
           Known.Site == Site && (!UsesFp || At.Fp == From.Fp) &&
           (!HasWords || Words.areAt(From.Sp));
  }
};

/// Returns true if \p Group is below \p End. Compares \p End in memory, because
/// registers are scarce in its callers.
INMEM_INLINE bool isBefore(const char *Group, const char *const &End) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  bool Before;
  __asm__("cmpq %2, %1" : "=@ccb"(Before) : "r"(Group), "m"(End));
  return Before;
#else
  return Group < End;
#endif
}

/// One stack of one site, known by all words that lead from the runtime to its
/// last frame, from At.Base on. Valid when zero: free.
struct alignas(512) WordStack {
  HookFrame At;
  KnownStack Known;
  /// Point into Words: StackPairs come first, then StackWords.
  const char *PairsEnd, *WordsEnd;
#if defined(__aarch64__)
  alignas(16) char Words[512 - 64];
#else
  alignas(16) char Words[512 - 48];
#endif

  INMEM_INLINE bool isAt(HookFrame Of, uint32_t Site) const {
    if (At.Base != Of.Base || Known.Site != Site)
      return false;
#if defined(__aarch64__)
    if (At.InHook != Of.InHook)
      return false;
#endif
    const char *Group = Words;
    if (isBefore(Group, PairsEnd))
      do {
        if (!reinterpret_cast<const StackPairs *>(Group)->areAt(Of.Base))
          return false;
        Group += sizeof(StackPairs);
      } while (isBefore(Group, PairsEnd));
    do {
      if (!reinterpret_cast<const StackWords *>(Group)->areAt(Of.Base))
        return false;
      Group += sizeof(StackWords);
    } while (isBefore(Group, WordsEnd));
    return true;
  }
};

/// A set-associative table. Valid when zero.
template <class Entry, unsigned SetBits, unsigned Ways> struct StackTable {
  Entry Sets[1u << SetBits][Ways];
  uint8_t Next[1u << SetBits];  ///< way to evict next
  uint8_t First[1u << SetBits]; ///< way to check first, if used

  static INMEM_INLINE size_t setOf(uint64_t Key) {
    return Key * 0x9E3779B97F4A7C15u >> (64 - SetBits);
  }
  /// The entry that \p Key replaces.
  Entry &oldest(uint64_t Key) {
    const size_t Set = setOf(Key);
    return Sets[Set][Next[Set]++ % Ways];
  }
  template <class... Identity>
  INMEM_INLINE Entry *find(uint64_t Key, const Identity &...Of) {
    Entry *Set = Sets[setOf(Key)];
    for (Entry *E = Set; E != Set + Ways; ++E)
      if (E->isAt(Of...))
        return E;
    return nullptr;
  }
};

/// A stack known by its context alone, found without reading the hook's frame.
/// Valid when zero: free.
struct alignas(64) QuickStack {
  uint64_t Context;
  uintptr_t Base;   ///< HookFrame::Base
  uintptr_t InHook; ///< return address in the hook
  uintptr_t Return; ///< the hook's return address
  KnownStack Known;
  uint32_t ReturnAt; ///< byte offset from Base

  INMEM_INLINE bool isAt(HookFrame At, uint32_t OfSite, uint64_t With) const {
    return Context == With && Base == At.Base && Known.Site == OfSite &&
           InHook == At.inHook() &&
           Return == *reinterpret_cast<const uintptr_t *>(At.Base + ReturnAt);
  }
};

/// Locations of the caller's frame, relative to a hook's. Valid when zero.
struct HookExit {
  uintptr_t
      Return; ///< return address in the hook after its call to the recorder
  /// Bytes from that call's frame to the caller's; AArch64: from the hook's
  /// frame record.
  int32_t Cfa;
  int32_t SavedFp; ///< offset from the caller's frame; 0: the hook saves none
};

/// Per-thread state. Valid when zero.
struct StackCache {
  static constexpr unsigned kQuickBits = 9;
  QuickStack Quick[1u << kQuickBits];
  StackTable<ContextStack, 9, 4> Contexts;
  StackTable<WordStack, 6, 8> Words;
  static constexpr unsigned kExits = 64;
  HookExit Exits[kExits];
  Retrace Trace;
  int32_t ToCheck; ///< hits until the next check by a walk; 0: check the next
  uint32_t Learned, Checked, Missed;
  bool Used;

  static INMEM_INLINE uint64_t contextKey(const HookCaller &From,
                                          uint64_t Context) {
    return (Context ^ From.Sp) + From.Return;
  }
  static INMEM_INLINE uint64_t wordsKey(HookFrame At, uint32_t Site) {
    return At.Base + Site;
  }
  static INMEM_INLINE size_t quickOf(HookFrame At, uint32_t Site,
                                     uint64_t Context) {
    return ((Context ^ At.Base) + Site) * 0x9E3779B97F4A7C15u >>
           (64 - kQuickBits);
  }
  static INMEM_INLINE size_t exitOf(uintptr_t Return) {
    return (Return >> 4 ^ Return) & (kExits - 1);
  }
  INMEM_INLINE HookCaller callerOf(HookFrame At) const {
    const auto *Saved = reinterpret_cast<const uintptr_t *>(At.Base);
    const HookExit &Exit = Exits[exitOf(At.inHook())];
    if (INMEM_UNLIKELY(Exit.Return != At.inHook()))
      return {};
#if defined(__aarch64__)
    return {Saved[1], At.Base + static_cast<uintptr_t>(intptr_t{Exit.Cfa}),
            Saved[0]};
#else
    const uintptr_t Sp =
        At.Base + 16 + static_cast<uintptr_t>(intptr_t{Exit.Cfa});
    auto Word = [Sp](int32_t Offset) {
      return *reinterpret_cast<const uintptr_t *>(
          Sp + static_cast<uintptr_t>(intptr_t{Offset}));
    };
    return {Word(-8), Sp, Exit.SavedFp ? Word(Exit.SavedFp) : Saved[0]};
#endif
  }
};

/// Continues knownByWords(): searches all ways.
INMEM_ASIDE KnownStack *knownInSet(StackCache &C, uint32_t Site, HookFrame At);
/// Looks up the stack of a function that a hook called from \p At.
INMEM_INLINE KnownStack *knownByWords(StackCache &C, uint32_t Site,
                                      HookFrame At) {
  const size_t Set = C.Words.setOf(StackCache::wordsKey(At, Site));
  WordStack *E = &C.Words.Sets[Set][C.Words.First[Set]];
  hideOrigin(E); // or clang keeps its parts in registers, too
  return INMEM_LIKELY(E->isAt(At, Site)) ? &E->Known : knownInSet(C, Site, At);
}

/// Counts for tests (check_stacks=on), by the way in which stacks were found.
struct StackCounts {
  uint64_t ByContext, ByWords, Walked;
  uint64_t Wrong; ///< found stacks that a walk contradicted
};
extern StackCounts StacksFound;

/// Prints the counts of check_stacks=on at the end of the process.
void reportStackCounts();

/// As siteWithStack(), in a function that a hook calls from \p At. Does not
/// walk if the cache has the stack, otherwise adds the walked stack to the
/// cache.
uint32_t siteWithStackAt(ThreadState &T, uint32_t Site, HookFrame At);

/// Empties the cache, because another thread begins to use it.
void forgetCachedStacks(StackState &S);

} // namespace inmem::rt

#endif

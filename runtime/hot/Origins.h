//===- Origins.h - Where an allocation or a free comes from ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments that distinguish hooks of instrumented code from interposed
// functions, in the bodies that both share (Hooks.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_ORIGINS_H
#define INMEM_RUNTIME_ORIGINS_H

#include "allocator/Allocator.h"
#include "hot/CallerPaths.h"

namespace inmem::rt {

/// Origin of an allocation: instrumented code.
struct FromSite {
  struct inmem_site *Site;
  INMEM_INLINE void *record(void *P, size_t Size) const {
    return recordSite(P, Size, Site);
  }
  INMEM_INLINE void *recordAgain(void *P, size_t Size, uint32_t Old) const {
    return recordSiteAgain(P, Size, Site, Old);
  }
  INMEM_INLINE uint64_t ownShare(size_t, size_t) const { return 0; }
  INMEM_INLINE void passed() const {}
  /// Takes over a block that was recorded under another caller.
  void claim(void *P) const { retagOwned(P, Site); }
  template <class F>
  INMEM_INLINE bool forwardsResult(F RealAllocator::*) const {
    return false;
  }
  INMEM_INLINE FromSite outOfLine() const { return *this; }
};

/// Origin of an allocation: instrumented code that allocates for its callers.
struct FromPath {
  struct inmem_site *Site;
  const uintptr_t *Back; ///< stack slot of its return address
  INMEM_INLINE void *record(void *P, size_t Size) const {
    return recordPath(P, Size, Site, Back);
  }
  INMEM_INLINE void *recordAgain(void *P, size_t Size, uint32_t Old) const {
    return recordPathAgain(P, Size, Site, Back, Old);
  }
  INMEM_INLINE uint64_t ownShare(size_t, size_t) const { return 0; }
  INMEM_INLINE void passed() const {}
  void claim(void *P) const { retagOwned(P, Site); }
  template <class F>
  INMEM_INLINE bool forwardsResult(F RealAllocator::*) const {
    return false;
  }
  INMEM_INLINE FromPath outOfLine() const { return *this; }
};

/// Origin of an allocation: uninstrumented code.
template <bool MayThrow> struct FromAnyCaller {
  uintptr_t ReturnAddress;
  const uintptr_t *Back; ///< stack slot of the return address; null: unknown
  INMEM_INLINE void *record(void *P, size_t Size) const {
    return recordCaller<MayThrow>(P, Size, ReturnAddress, Back, 0);
  }
  INMEM_INLINE void *recordAgain(void *P, size_t Size, uint32_t Old) const {
    return recordCaller(P, Size, ReturnAddress, Back, Old);
  }
  INMEM_INLINE uint64_t ownShare(size_t Count, size_t Size) const {
    return ownShareOf(ReturnAddress, Count, Size);
  }
  /// Drops the announcement of __inmem_expect: the call is not recorded.
  INMEM_INLINE void passed() const { Thread.Callers.Expected = nullptr; }
  void claim(void *) const {} // already has an equally good caller
  /// True if an allocator that precedes ours forwarded our own call back to us.
  template <class F>
  INMEM_INLINE bool
  forwardsResult([[maybe_unused]] F RealAllocator::*Function) const {
#ifdef INMEM_STATIC
    return false;
#else
    return isForwarded(Function, ReturnAddress);
#endif
  }
};

/// As FromAnyCaller, inside the called function. It reads the return address
/// from the stack when it needs it, and so keeps no register across the
/// allocator's call.
template <bool MayThrow> struct FromHere {
  INMEM_INLINE FromAnyCaller<MayThrow> outOfLine() const {
    return {reinterpret_cast<uintptr_t>(__builtin_return_address(0)),
            INMEM_RETURN_SLOT()};
  }
  INMEM_INLINE void *record(void *P, size_t Size) const {
    return outOfLine().record(P, Size);
  }
  INMEM_INLINE uint64_t ownShare(size_t Count, size_t Size) const {
    return outOfLine().ownShare(Count, Size);
  }
  template <class F>
  INMEM_INLINE bool forwardsResult(F RealAllocator::*Of) const {
    return outOfLine().forwardsResult(Of);
  }
};
using FromCaller = FromHere<false>;
using FromThrowingCaller = FromHere<true>;

/// Origin of a free: instrumented code, or an operator delete.
struct FreeFromSite {
  bool isForwarded() const { return false; }
  FreeFromSite outOfLine() const { return {}; }
};
/// Origin of a free: uninstrumented code.
struct FreeFromCaller {
  uintptr_t ReturnAddress;
  INMEM_INLINE bool isForwarded() const {
#ifdef INMEM_STATIC
    return false;
#else
    return INMEM_UNLIKELY(Real.MallocBeforeUs) &&
           rt::isForwarded(&RealAllocator::free, ReturnAddress);
#endif
  }
};

/// FreeFromCaller inside the called function.
struct FreeFromHere {
  INMEM_INLINE FreeFromCaller outOfLine() const {
    return {reinterpret_cast<uintptr_t>(__builtin_return_address(0))};
  }
};

} // namespace inmem::rt

#endif

//===- EventStream.h - mode=trace: what a thread writes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_EVENTSTREAM_H
#define INMEM_RUNTIME_EVENTSTREAM_H

#include "index/LiveIndex.h"
#include "state/ThreadRows.h"

namespace inmem::rt {

/// The pair as stored in EventWriter::Pairs. Sizes that leave no bits for the
/// site yield values that are never stored there.
INMEM_INLINE uint64_t pairOf(uint32_t Site, uint64_t Size) {
  return Size << kSiteBits | Site;
}
INMEM_INLINE bool hasPair(uint64_t Size) {
  return Size >> (64 - kSiteBits) == 0;
}

/// Appends any event to the thread's stream (Format.h has the layout). It
/// happened at T.Clock.LastTicks if \p Clocked, has the lifetime \p Lifetime if
/// not null, and for Retag moved its block from site \p From.
INMEM_ASIDE void writeWholeEvent(ThreadState &T, trace::EventKind Kind,
                                 uint32_t Site, uint64_t Size, bool Clocked,
                                 const uint64_t *Lifetime = nullptr,
                                 uint32_t From = 0);

/// Resumes after the last published event, after a jump interrupted the writer
/// between two stores.
void mendEvents(EventWriter &W);

/// Publishes everything written so far to readers.
INMEM_INLINE void publish(uint64_t &Used, uint64_t Bytes) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  // The CPU keeps stores in order; only the compiler must not reorder them.
  __asm__ volatile("addq %1, %0" : "+m"(Used) : "er"(Bytes) : "cc", "memory");
#else
  __atomic_store_n(&Used, Used + Bytes, __ATOMIC_RELEASE);
#endif
}

/// As writeWholeEvent(), for an event without a time on the traced fast path;
/// fast if its pair is known.
INMEM_INLINE void writeEvent(ThreadState &T, trace::EventKind Kind,
                             uint32_t Site, uint64_t Size) {
  EventWriter &W = T.Rows->Events;
  unsigned Pair = trace::pairSlot(Site, Size);
  char *At = W.At;
  if (INMEM_UNLIKELY(At >= W.QuickEnd || !hasPair(Size) ||
                     W.Pairs[Pair] != pairOf(Site, Size)))
    return writeWholeEvent(T, Kind, Site, Size, false);
  auto Word = static_cast<uint16_t>(Pair | static_cast<unsigned>(Kind)
                                               << trace::kEventKindShift);
  __builtin_memcpy(At, &Word, sizeof Word);
  W.At = At + 2;
  publish(W.Extent->Used, 2);
}

} // namespace inmem::rt

#endif

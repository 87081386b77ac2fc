//===- Rows.h - Slots and rows of a thread --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_ROWS_H
#define INMEM_RUNTIME_ROWS_H

#include "index/LiveIndex.h"
#include "state/ThreadRows.h"

namespace inmem::rt {

/// The site's id. Acquire, because another thread may just have registered the
/// site.
INMEM_INLINE uint32_t idOf(const struct inmem_site *Site) {
  return __atomic_load_n(&Site->id, __ATOMIC_ACQUIRE);
}

/// Returns true if \p Value, which has 32 bits, is below \p Bound. x86-64
/// compares with memory in one instruction, which clang would split.
INMEM_INLINE bool isBelow(uint64_t Value, const Relaxed<uint32_t> &Bound) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  bool Below;
  __asm__("cmpl %k1, %2" : "=@cca"(Below) : "r"(Value), "m"(Bound));
  return Below;
#else
  return Value < Bound;
#endif
}

/// A slot's offset in bytes is its site's id shifted by this. Hooks keep the
/// offset, not the id: the index entry contains the id at a higher bit, so one
/// more shift makes the entry, and a free's entry yields the offset the same
/// way.
inline constexpr unsigned kSlotShift = 4;
static_assert(sizeof(Slot) == 1u << kSlotShift && kSlotShift <= kSizeBits);

INMEM_INLINE Slot slotAt(const ThreadState &T, uint64_t Offset) {
  return *reinterpret_cast<const Slot *>(
      reinterpret_cast<const char *>(T.Fast.Slots) + Offset);
}

/// Creates a row's bucket block for octave \p O; null if there is no room.
INMEM_SLOW trace::Octave *makeOctave(trace::Row *R, unsigned O);

/// clock=events: creates the row for lifetimes in allocations that belongs to
/// the thread's row \p R, if necessary. Needs the guard, without the mutex;
/// null without room.
trace::Row *addAllocationLifetimes(ThreadState &T, trace::Row &R);

/// The thread's row of site \p Id for events that interrupt a count
/// (hot/Cells.h). Needs the mutex; null without room.
trace::Row *makeInterruptingRow(ThreadState &T, uint32_t Id);

/// Sets up the thread's slot of site \p Id. Needs the mutex; null if there is
/// no room or the site is excluded.
Slot *makeSlot(ThreadState &T, uint32_t Id);

} // namespace inmem::rt

#endif

//===- EventFormat.h - mode=trace: the layout of a stream of events -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of Format.h, which includes it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_EVENTFORMAT_H
#define INMEM_TRACE_EVENTFORMAT_H

#include <stdint.h>

namespace inmem::trace {

/// mode=trace. A stream of events per thread, in order of extents' Sequence;
/// no event spans two extents. Each event:
///
///   word  2 bytes, little-endian: bits 0-9 the slot of a table of pairs (site,
///         size) that writer and reader keep for the stream, bits 10-11
///         EventKind, bits 12-14 the flags below, bit 15 zero
///   site  varint, if kNewPair
///   size  varint requested bytes, if kNewPair: the pair is put into the slot
///   time  varint ticks >> TickShift, if kClocked: since the stream's clocked
///         event before, the first since FileHeader.StartTicks
///   life  varint ticks >> TickShift, if kHasLifetime
///   from  varint site that the block belonged to, if Retag
///
/// varint: VarintFormat.h. Table and time carry over from one extent of a
/// thread to the next. An event is clocked if its lifetime is timed, and in any
/// case after kUnclockedEvents without: those between happened in this order
/// between the times of their neighbours.
enum class EventKind : uint8_t { Allocate = 0, Free = 1, Retag = 2 };
/// Most events repeat a recent pair of site and size, so that two bytes are
/// enough. Writing both as varints took 651 instructions for an allocation and
/// its free; the table takes 239 (docs/design/tried.md).
inline constexpr unsigned kPairSlots = 1024;
inline constexpr unsigned kEventKindShift = 10;
inline constexpr unsigned kEventKindMask = 3;
inline constexpr unsigned kNewPair = 1u << 12;
inline constexpr unsigned kClocked = 1u << 13;
inline constexpr unsigned kHasLifetime = 1u << 14;
/// A time in each event would cost two clock readings for each block. With this
/// limit, events of different threads can be ordered to within 64 events
/// (docs/design/tried.md).
inline constexpr unsigned kUnclockedEvents = 63;
inline constexpr unsigned kMaxEventBytes = 2 + 5 * 10;

/// The slot in which our writer keeps a pair. Readers accept any slot, because
/// each event contains its own.
constexpr unsigned pairSlot(uint32_t Site, uint64_t Size) {
  return static_cast<unsigned>(
      (Size << 20 | Site) * uint64_t{0x9E3779B97F4A7C15} >> 54);
}
static_assert(kPairSlots == 1u << (64 - 54));

} // namespace inmem::trace

#endif

//===- EventStream.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/EventStream.h"

#include "hot/FastPath.h"
#include "hot/Recorder.h"
#include "platform/Mappings.h"
#include "state/Runtime.h"
#include "trace/format/VarintFormat.h"

namespace inmem::rt {

using namespace trace;

namespace {

char *append(char *At, uint64_t Value) {
  putVarint(Value, [&At](uint8_t Byte) { *At++ = static_cast<char>(Byte); });
  return At;
}

/// Gives the stream its next extent. Without room, ends the trace and all
/// streams and returns false.
bool addEvents(ThreadRows &B) {
  EventWriter &W = B.Events;
  Locked L(Process.Mutex);
  // An eighth of what the thread has written: little stays unused and long
  // traces have few extents. Larger extents made each page more expensive
  // again.
  constexpr uint64_t kLeast = 64 << 10, kMost = 256 << 10;
  uint64_t Bytes = roundUp(W.Bytes / 8, kPage);
  Bytes = Bytes < kLeast ? kLeast : Bytes > kMost ? kMost : Bytes;
  const uint64_t Payload = Bytes - sizeof(ExtentHeader);
  if (W.Extent) // most threads never fill their first extent
    Process.Trace.prepare(Payload);
  ExtentHeader *E =
      Process.Trace.addExtent(ExtentKind::Events, B.Index, 0, Payload);
  if (!E || !Process.Trace.isKept()) {
    Process.WritesEvents = false;
    updateAllFastPaths();
    return false;
  }
  W.Bytes += Bytes;
  if (W.Extent) // a full extent is not read again by us
    Process.Trace.leave(W.Extent);
  else
    W.Ticks =
        Process.Trace.header()->StartTicks >> Process.Trace.header()->TickShift;
  W.Extent = E;
  W.At = reinterpret_cast<char *>(E + 1);
  W.Last = reinterpret_cast<char *>(E) + E->Bytes - kMaxEventBytes;
  W.QuickEnd = W.At; // an extent begins with a time
  return true;
}

/// Makes room for the stream's next event; keeps errno.
INMEM_COLD bool nextEvents(ThreadRows &B) {
  const SavedErrno Kept;
  const bool Added = addEvents(B);
  return Added;
}

} // namespace

void writeWholeEvent(ThreadState &T, EventKind Kind, uint32_t Site,
                     uint64_t Size, bool Clocked, const uint64_t *Lifetime,
                     uint32_t From) {
  EventWriter &W = T.Rows->Events;
  if (INMEM_UNLIKELY(W.At >= W.Last) && !nextEvents(*T.Rows))
    return;
  unsigned Pair = pairSlot(Site, Size);
  unsigned Word = Pair | static_cast<unsigned>(Kind) << kEventKindShift;
  char *End = W.At + 2;
  if (W.Pairs[Pair] != pairOf(Site, Size) || !hasPair(Size)) {
    W.Pairs[Pair] = hasPair(Size) ? pairOf(Site, Size) : 0;
    Word |= kNewPair;
    End = append(append(End, Site), Size);
  }
  uint64_t Ticks = W.Ticks;
  bool Due = W.At >= W.QuickEnd;
  if (Clocked || Due) {
    uint64_t Now = Clocked ? T.Clock.LastTicks : ticksNow(T);
    Word |= kClocked;
    End = append(End, Now > W.Ticks ? Now - W.Ticks : 0);
    Ticks = Now > W.Ticks ? Now : W.Ticks;
  }
  if (Lifetime) {
    Word |= kHasLifetime;
    End = append(End, *Lifetime);
  }
  if (Kind == EventKind::Retag)
    End = append(End, From);
  auto Written = static_cast<uint16_t>(Word);
  __builtin_memcpy(W.At, &Written, sizeof Written);
  const uint64_t Used = W.Extent->Used + static_cast<uint64_t>(End - W.At);
  // Used publishes the event. If a signal handler jumps out between these
  // stores, mendEvents() compares Used with NextUsed to find out whether the
  // event is in the stream.
  W.NextTicks = Ticks;
  W.NextUsed = Used;
  __atomic_store_n(&W.Extent->Used, Used, __ATOMIC_RELEASE);
  orderStores();
  W.Ticks = Ticks;
  W.At = End;
  if (Word & kClocked) {
    char *Quick = End + 2 * kUnclockedEvents;
    W.QuickEnd = Quick < W.Last ? Quick : W.Last;
  }
}

void mendEvents(EventWriter &W) {
  if (!W.Extent)
    return;
  const uint64_t Used = W.Extent->Used;
  if (Used == W.NextUsed)
    W.Ticks = W.NextTicks;
  __builtin_memset(W.Pairs, 0, sizeof W.Pairs);
  W.At = reinterpret_cast<char *>(W.Extent + 1) + Used;
  W.Last =
      reinterpret_cast<char *>(W.Extent) + W.Extent->Bytes - kMaxEventBytes;
  W.QuickEnd = W.At;
}

} // namespace inmem::rt

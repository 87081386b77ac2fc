//===- IndexReturn.cpp - Memory of the index that is needed no more -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/IndexReturn.h"

#include "hot/FastPath.h"
#include "hot/Recorder.h"
#include "hot/Threads.h"
#include "platform/Mappings.h"
#include "platform/Signals.h"
#include "state/Runtime.h"

namespace inmem::rt {

void considerReturningIndex(bool OwnsGuard) {
  // Looks only once live bytes have fallen this far below their maximum since
  // the last look.
  constexpr int64_t kLeast = 32 << 20;
  constinit static uint64_t SpentNs = 0;
  int64_t Live =
      __atomic_load_n(&Process.Trace.header()->LiveBytes, __ATOMIC_RELAXED);
  int64_t High = Process.HighSinceReturn;
  ThreadState &T = Thread;
  if (High - Live < kLeast || Live > High / 2 || isWithin(T, OwnsGuard))
    return;
  SlowPath S(T);
  SignalsBlocked Meanwhile;
  Locked L(Process.Mutex);
  // This takes at most a twentieth of the run's time.
  uint64_t Start = monotonicNs();
  if (SpentNs * 20 > Start - Process.StartMonotonicNs)
    return;
  // After the first fence no thread opens its fast path; after the second none
  // begins to write an entry: the fast path is closed and the slow path waits
  // for the mutex. Threads that had begun have announced the block that they
  // write.
  Process.ReturningIndex = true;
  if (!fenceAllThreads()) {
    Process.ReturningIndex = false;
    return;
  }
  updateAllFastPaths();
  fenceAllThreads();
  uint32_t Count = 0;
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    ++Count;
  auto *Busy = static_cast<void **>(mapPages(Count * sizeof(void *)));
  uint32_t Threads = 0;
  for (ThreadRows *B = AllThreadRows; Busy && B; B = B->Next)
    if (B->State)
      Busy[Threads++] =
          __atomic_load_n(&B->State->Fast.LastAllocated, __ATOMIC_RELAXED);
  if (Busy) {
    returnEmptyPages(Busy, Threads);
    unmapPages(Busy, Count * sizeof(void *));
  }
  Process.ReturningIndex = false;
  Process.HighSinceReturn = Live;
  SpentNs += monotonicNs() - Start;
}

} // namespace inmem::rt

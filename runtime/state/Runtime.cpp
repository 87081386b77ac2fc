//===- Runtime.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state/Runtime.h"

#include "platform/HardwareClock.h"
#include "platform/Mappings.h"
#include "platform/Process.h"
#include "state/Features.h"
#include "tables/Hash.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

constinit Runtime Process = {};
constinit Relaxed<bool> KeptSealed = {};
static constexpr char kWithoutPage = 1;
constinit const char *ForkMark = &kWithoutPage;

static constinit char *Arena = nullptr;
static constinit size_t ArenaLeft = 0;

bool ensureStarted() {
  const InitState State = __atomic_load_n(&Process.State, __ATOMIC_ACQUIRE);
  if (INMEM_LIKELY(State == InitState::Ready) &&
      INMEM_LIKELY(!isUnnoticedChild()))
    return true;
  return kFeatures.Start();
}

void updateClock() {
  FileHeader *H = Process.Trace.header();
  if (H->Clock == ClockKind::Events) {
    const uint64_t Now = bytesSoFar(Thread);
    if (Now > H->LastTicks) // another thread may have stored more
      H->LastTicks = Now;
    return;
  }
  if (Thread.Fast.HasNoClock)
    return;
  uint64_t Now = monotonicNs();
  uint64_t Ticks = Process.HardwareClock ? hardwareTicks() : Now;
  uint64_t Elapsed = Now - Process.StartMonotonicNs;
  H->LastTicks = Ticks;
  if (Elapsed > 10000)
    __atomic_store_n(
        &H->TicksPerSecond,
        static_cast<uint64_t>(static_cast<double>(Ticks - Process.StartTicks) *
                              1e9 / static_cast<double>(Elapsed)),
        __ATOMIC_RELAXED);
}

uint64_t noteResidentSize(bool Highest) {
  const uint64_t Now = MayBeSandboxed ? 0 : residentBytes();
  if (!Now)
    return 0;
  FileHeader *H = Process.Trace.header();
  const uint64_t Peak = Highest ? peakResidentBytes() : 0;
  const uint64_t Most = Peak > Now ? Peak : Now;
  H->ResidentBytes = Now;
  if (Most > H->PeakResidentBytes)
    H->PeakResidentBytes = Most;
  return Now;
}

uint64_t traceAddress(uint64_t Address) {
  constexpr uint64_t kUserSpace = (uint64_t{1} << 47) - 1;
  return Process.Config.Addresses.Index == Options::AddressesPlain
             ? Address
             : sipHash(Address, Process.AddressKey) & kUserSpace;
}

void *arenaAllocate(size_t Bytes) {
  constexpr size_t kChunk = 256 * 1024;
  Bytes = roundUp(Bytes, 16);
  if (Bytes > kChunk / 4)
    return mapPages(Bytes);
  if (Bytes > ArenaLeft) {
    ArenaLeft = 0;
    orderStores();
    Arena = static_cast<char *>(mapPages(kChunk));
    orderStores();
    ArenaLeft = Arena ? kChunk : 0;
    if (!Arena)
      return nullptr;
  }
  // In this order: a jump in between leaves the end of the chunk unused.
  ArenaLeft -= Bytes;
  orderStores();
  void *Result = Arena;
  Arena += Bytes;
  return Result;
}

char *copyText(const char *S) {
  size_t Length = strlen(S) + 1;
  auto *Copy = static_cast<char *>(arenaAllocate(Length));
  return Copy ? static_cast<char *>(memcpy(Copy, S, Length)) : nullptr;
}

} // namespace inmem::rt

//===- SitePeak.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/SitePeak.h"

#include "platform/Mappings.h"
#include "registry/SiteRegistry.h"
#include "state/Runtime.h"
#include "state/SlowPath.h"
#include "state/ThreadRows.h"

namespace inmem::rt {

using namespace trace;

static constinit Relaxed<int64_t> NotedPeak = {};
static constinit ExtentHeader *PeakExtent = nullptr;

bool isNewPeak(int64_t Live) {
  int64_t Noted = NotedPeak;
  return Live > Noted + Noted / 128;
}

void notePeak(int64_t Live) {
  SlowPath Scope(Thread);
  Locked L(Process.Mutex);
  if (!isNewPeak(Live))
    return;
  NotedPeak = Live;
  uint32_t Sites = siteCount() + 1;
  auto *LiveOf = static_cast<int64_t *>(mapPages(Sites * sizeof(int64_t)));
  if (!LiveOf)
    return;
  forEachRow([&](const Row &R) {
    if (R.Site < Sites)
      LiveOf[R.Site] +=
          static_cast<int64_t>(R.Bytes - R.MovedOutBytes - R.FreedBytes);
  });
  uint32_t Count = 0;
  for (uint32_t I = 0; I < Sites; ++I)
    Count += LiveOf[I] > 0;
  ExtentHeader *E = PeakExtent;
  if (E)
    __atomic_store_n(&E->Used, 0, __ATOMIC_RELEASE);
  if (!E || Count * sizeof(PeakEntry) > E->Bytes - sizeof(ExtentHeader))
    E = PeakExtent = Process.Trace.addExtent(
        ExtentKind::Peak, 0, 0, 2 * (Count + 64) * sizeof(PeakEntry));
  uint32_t Used = 0;
  for (uint32_t I = 0; E && I < Sites; ++I)
    if (LiveOf[I] > 0)
      reinterpret_cast<PeakEntry *>(E + 1)[Used++] = {I, 0, LiveOf[I]};
  if (E)
    __atomic_store_n(&E->Used, Used, __ATOMIC_RELEASE);
  unmapPages(LiveOf, Sites * sizeof(int64_t));
}

void noteNewPeakNow() {
  const int64_t Live = Thread.NewPeak;
  Thread.NewPeak = 0;
  notePeak(Live);
}

void restartSitePeak() { NotedPeak = 0; }

void forgetSitePeak() {
  NotedPeak = 0;
  PeakExtent = nullptr;
}

} // namespace inmem::rt

//===- PeakNotes.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/PeakNotes.h"

#include "hot/Recorder.h"
#include "platform/Compiler.h"
#include "platform/Lock.h"
#include "platform/Mappings.h"
#include "registry/SiteRegistry.h"
#include "state/Runtime.h"
#include "state/SlowPath.h"
#include "state/ThreadRows.h"
#include "tables/PagedArray.h"
#include "trace/format/Format.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

// A note reads every row, so a program with many sites whose live bytes rise
// and fall all the time could spend its time on notes. Notes during a rise are
// spaced so that a doubling of the peak reads a fixed number of rows. Notes at
// falls have a budget, to which each flush adds a little once it is used up.

/// Rows to read each time the peak doubles, and in total for notes at falls
/// before flushes must earn more.
constexpr int64_t kRowsPerDoubling = 1 << 15, kRowsFree = 1 << 17;
/// Rows that a flush earns while a note is too expensive; fixed cost of a note.
constexpr int64_t kRowsEarned = 16, kRowsEach = 64;

constinit ExtentHeader *Notes[2] = {};
constinit uint32_t Written = 0;
// Read without the mutex.
constinit Relaxed<bool> NoRoom = {};
// State at the last note:
constinit Relaxed<int64_t> Highest = {}; ///< the peak at that time
constinit Relaxed<int64_t> RowsRead = {};
constinit Relaxed<bool> WasFalling = {};
constinit Relaxed<int64_t> Spent = {}; ///< rows read, not counting doublings
constinit Relaxed<int64_t> EarlierPeak = {}; ///< peak before the last mark

constinit int64_t SizedAt = 0; ///< the peak when the resident size was noted

constinit PagedArray<PeakRow> Sums = {}; ///< by site; zeros between notes
constinit bool SumsInUse = false; ///< remains set after a longjmp out of a note

int64_t highestSoFar() {
  const int64_t Peak =
      __atomic_load_n(&Process.Trace.header()->PeakLiveBytes, __ATOMIC_RELAXED);
  const int64_t Earlier = EarlierPeak;
  return Peak > Earlier ? Peak : Earlier;
}

/// True if the event that is about to be counted makes a new peak.
bool isRising(int64_t Live, int64_t Peak) { return Live >= Peak; }

/// The rise above the last note that justifies the next one, so that notes read
/// about kRowsPerDoubling rows while the peak doubles.
int64_t stepAbove(int64_t Noted) {
  const int64_t Rows = RowsRead;
  const int64_t Parts =
      Rows ? kRowsPerDoubling / Rows : 128; // 1/Parts of the peak
  return Noted / (Parts < 8 ? 8 : Parts > 128 ? 128 : Parts);
}

bool isWorthNote(int64_t Live, int64_t Peak) {
  const int64_t Noted = Highest;
  // Takes a note before each peak, since one from before the previous peak is
  // out of date.
  if (isRising(Live, Peak))
    return Peak > Noted + stepAbove(Noted) ||
           (WasFalling && Peak > Noted && Spent + RowsRead <= kRowsFree);
  if (WasFalling ? Peak <= Noted : Peak < Noted)
    return false;
  if (Spent + RowsRead <= kRowsFree)
    return true;
  Spent = Spent - kRowsEarned;
  return false;
}

bool makeRoomForSums(uint32_t Sites) {
  if (SumsInUse && Sums.Data)
    memset(Sums.Data, 0, Sums.Capacity * sizeof(PeakRow));
  return Sums.reserve(Sites);
}

/// Adds up all rows by site and returns their number. Other threads keep
/// counting, without atomics: each counter is read at a different moment.
uint32_t addRows(uint32_t Sites) {
  uint32_t Rows = 0;
  forEachRow([&](const Row &R) __attribute__((no_sanitize("thread"))) {
    ++Rows;
    if (R.Site >= Sites)
      return;
    PeakRow &To = Sums[R.Site];
    To.Allocations += R.Allocations;
    To.Bytes += R.Bytes;
    To.Frees += R.Frees + R.MovedOut;
    To.FreedBytes += R.FreedBytes + R.MovedOutBytes;
  });
  return Rows;
}

/// An extent for \p Rows rows. Reuses the older of the two notes.
ExtentHeader *makeRoomForNote(uint32_t Rows) {
  ExtentHeader *&E = Notes[Written & 1];
  if (E)
    __atomic_store_n(&E->Used, 0, __ATOMIC_RELEASE);
  if (!E || Rows * sizeof(PeakRow) > E->Bytes - sizeof(ExtentHeader))
    E = Process.Trace.addExtent(ExtentKind::PeakRows, 0, 0,
                                2ull * (Rows + 32) * sizeof(PeakRow));
  return E;
}

void takeNote(int64_t Peak, bool Rising) {
  const uint32_t Sites = siteCount() + 1;
  if (!makeRoomForSums(Sites)) {
    NoRoom = true;
    return;
  }
  SumsInUse = true;
  const uint32_t Rows = addRows(Sites);
  uint32_t Count = 1;
  for (uint32_t I = 1; I < Sites; ++I)
    Count += Sums[I].Allocations != 0;
  ExtentHeader *E = makeRoomForNote(Count);
  NoRoom = !E;
  auto *Out = reinterpret_cast<PeakRow *>(E + 1);
  uint32_t Used = 0;
  if (E)
    Out[Used++] = {0, ++Written, Rising, static_cast<uint64_t>(Peak), 0, 0};
  for (uint32_t I = 1; I < Sites; ++I) {
    if (E && Sums[I].Allocations != 0) {
      Sums[I].Site = I;
      Out[Used++] = Sums[I];
    }
    Sums[I] = {};
  }
  SumsInUse = false;
  if (!E)
    return;
  __atomic_store_n(&E->Used, Used, __ATOMIC_RELEASE);
  RowsRead = kRowsEach + Rows + Sites;
  if (!Rising || Peak <= Highest + stepAbove(Highest))
    Spent = Spent + RowsRead;
  Highest = Peak;
  WasFalling = !Rising;
}

/// Notes the resident size while the peak grows, so that the trace of a killed
/// process has one. Rarely, because it takes three system calls.
void considerResidentSize(int64_t Peak) {
  constexpr int64_t kLeast = 1 << 20;
  if (Peak < kLeast || Peak < SizedAt + SizedAt / 8)
    return;
  SizedAt = Peak;
  noteResidentSize(/*Highest=*/false);
}

} // namespace

void considerPeakNote(int64_t Live) {
  if (!isWorthNote(Live, highestSoFar()) || NoRoom)
    return;
  // Samples show too little about the peak.
  if (Process.Config.SampleBytes || Process.Config.Every > 1 ||
      Process.Mutex.isOwn())
    return;
  SlowPath Scope(Thread);
  Locked L(Process.Mutex);
  const int64_t Peak = highestSoFar();
  if (isWorthNote(Live, Peak)) {
    takeNote(Peak, isRising(Live, Peak));
    considerResidentSize(Peak);
  }
}

void endPeakPart(int64_t Peak, bool Reset) {
  if (!Reset) {
    if (Peak > EarlierPeak)
      EarlierPeak = Peak;
    return;
  }
  EarlierPeak = 0;
  Highest = 0;
  WasFalling = false;
  for (ExtentHeader *E : Notes)
    if (E)
      __atomic_store_n(&E->Used, 0, __ATOMIC_RELEASE);
}

void forgetPeakNotes() {
  Notes[0] = Notes[1] = nullptr;
  Written = 0;
  NoRoom = false;
  Highest = 0;
  SizedAt = 0;
  RowsRead = 0;
  WasFalling = false;
  Spent = 0;
  EarlierPeak = 0;
  Sums = {}; // the forking thread may have been in the middle of a note
  SumsInUse = false;
}

//===----------------------------------------------------------------------===//
// stacks=: each stack's blocks at the peak
//===----------------------------------------------------------------------===//

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

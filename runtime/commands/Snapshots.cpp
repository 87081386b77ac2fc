//===- Snapshots.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands/Snapshots.h"

#include "hot/Cells.h"
#include "hot/PeakNotes.h"
#include "hot/Recorder.h"
#include "hot/Threads.h"
#include "objects/Objects.h"
#include "platform/Clocks.h"
#include "platform/Mappings.h"
#include "platform/Message.h"
#include "registry/RecordBuilder.h"
#include "registry/SiteRegistry.h"
#include "stacks/Frees.h"
#include "state/Runtime.h"
#include "workers/OwnThread.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

constinit bool ThreadAllowed = false;
constinit OwnThread Periodic = {};
/// When the thread takes its next snapshot; kept while it is paused. 0 before
/// its start.
constinit uint64_t NextPeriodicNs = 0;
constinit int64_t PeriodicResets = 0;
constinit bool PeriodicRequested = false;

/// The position of a site's merged row and octaves.
struct Plan {
  uint32_t Row;     ///< 1-based; 0: no row
  uint32_t Octaves; ///< octave blocks before this site's
  uint64_t Mask;    ///< octaves in use
};

const Octave &octaveAt(const Row &R, unsigned O) {
  return *reinterpret_cast<const Octave *>(TraceBase +
                                           uint64_t{R.Octaves[O]} * 64);
}

void mergeRow(const Row &From, Row &Into, Octave *Blocks) {
  Into.Site = From.Site;
  Into.Type = From.Type;
  Into.Allocations += From.Allocations;
  Into.Bytes += From.Bytes;
  Into.Frees += From.Frees;
  Into.FreedBytes += From.FreedBytes;
  Into.Temporary += From.Temporary;
  Into.Reallocations += From.Reallocations;
  Into.MovedOut += From.MovedOut;
  Into.MovedOutBytes += From.MovedOutBytes;
  Into.InnerAllocations += From.InnerAllocations;
  Into.InnerBytes += From.InnerBytes;
  Into.WeightedAllocations += From.WeightedAllocations;
  Into.WeightedBytes += From.WeightedBytes;
  Into.WeightedFrees += From.WeightedFrees;
  Into.WeightedFreedBytes += From.WeightedFreedBytes;
  if (From.Timed == 0)
    return;
  if (Into.Timed == 0 || From.MinTicks < Into.MinTicks)
    Into.MinTicks = From.MinTicks;
  if (From.MaxTicks > Into.MaxTicks)
    Into.MaxTicks = From.MaxTicks;
  Into.Timed += From.Timed;
  Into.WeightedTimed += From.WeightedTimed;
  Into.SumTicks += From.SumTicks;
  for (unsigned O = 0; O < kOctaves; ++O) {
    // Skips octaves that the row's owner added after the plan was computed.
    if (!From.Octaves[O] || !Into.Octaves[O])
      continue;
    Octave &To = Blocks[Into.Octaves[O] - 1];
    const Octave &Source = octaveAt(From, O);
    for (unsigned K = 0; K < kBucketsPerOctave; ++K) {
      To.Buckets[K].Count += Source.Buckets[K].Count;
      To.Buckets[K].Bytes += Source.Buckets[K].Bytes;
    }
  }
}

/// The clock's value \p Ns nanoseconds before its last reading.
uint64_t ticksBefore(const FileHeader &H, uint64_t Ns) {
  if (H.Clock == ClockKind::Events)
    return H.LastTicks;
  auto Ticks = static_cast<uint64_t>(static_cast<double>(Ns) * 1e-9 *
                                     static_cast<double>(H.TicksPerSecond));
  return H.LastTicks - H.StartTicks > Ticks ? H.LastTicks - Ticks
                                            : H.StartTicks;
}

void takePeriodically(void *) {
  Thread.Inside.Guard = kGuardedForever;
  const Options &O = Process.Config;
  const auto Ns = static_cast<uint64_t>(O.PeriodicSeconds * 1e9);
  if (NextPeriodicNs == 0) {
    NextPeriodicNs = monotonicNs() + Ns;
    PeriodicResets = O.PeriodicResets;
  }
  for (;; NextPeriodicNs = monotonicNs() + Ns) {
    Periodic.sleepUntil(NextPeriodicNs);
    if (Periodic.isStopped() || OwnThread::isToPause())
      return;
    executeForIdle();
    Locked L(Process.Mutex);
    if (Process.State != InitState::Ready || KeptSealed)
      return;
    takeSnapshot(PeriodicResets != 0 ? SnapshotKind::Reset
                                     : SnapshotKind::Periodic);
    if (PeriodicResets > 0)
      --PeriodicResets;
  }
}

} // namespace

/// Adds an extent with room for \p Room elements of a snapshot; \p Fill writes
/// some of them and returns how many. \returns false without room
template <class Element, class Filler>
static bool addElements(ExtentKind Kind, uint64_t Room, Filler Fill) {
  if (Room == 0)
    return true;
  ExtentHeader *E = Process.Trace.addExtent(Kind, 0, 0, Room * sizeof(Element));
  if (!E)
    return false;
  uint64_t Used = Fill(reinterpret_cast<Element *>(E + 1));
  __atomic_store_n(&E->Used, Used, __ATOMIC_RELEASE);
  Process.Trace.finish(E);
  return true;
}

static bool addMarkRows(uint32_t Snapshot) {
  uint64_t Rows = 0; // adding rows takes the mutex
  forEachThreadRow([&](uint32_t, const Row &) { ++Rows; });
  return addElements<MarkRow>(ExtentKind::MarkRows, Rows, [&](MarkRow *Out) {
    uint64_t Used = 0;
    forEachThreadRow([&](uint32_t Thread, const Row &R) {
      if (R.Allocations != 0 || R.Frees != 0)
        Out[Used++] = {Snapshot,
                       Thread,
                       R.Site,
                       R.Type,
                       R.Allocations,
                       R.Bytes,
                       R.Frees,
                       R.FreedBytes,
                       R.Temporary,
                       R.Reallocations,
                       R.MovedOut,
                       R.MovedOutBytes,
                       R.WeightedAllocations,
                       R.WeightedBytes,
                       R.WeightedFrees,
                       R.WeightedFreedBytes};
    });
    return Used;
  });
}

static bool addMarkObjects(uint32_t Snapshot) {
  uint64_t Most = 0, All = 0;
  for (uint32_t Id = 1; Id <= lastCounterId(); ++Id) {
    uint64_t Cells = counterCells(Id);
    All += Cells;
    Most = Cells > Most ? Cells : Most;
  }
  if (All == 0)
    return true;
  auto *Counts = static_cast<uint64_t *>(mapPages(Most * sizeof(uint64_t)));
  if (!Counts)
    return false;
  bool Done = addElements<MarkObject>(
      ExtentKind::MarkObjects, All, [&](MarkObject *Out) {
        uint64_t Used = 0;
        for (uint32_t Id = 1; Id <= lastCounterId(); ++Id) {
          uint64_t Cells = counterCells(Id);
          memset(Counts, 0, Cells * sizeof(uint64_t));
          addCounters(Id, Counts);
          for (uint32_t I = 0; I < Cells; ++I)
            if (Counts[I] != 0)
              Out[Used++] = {Snapshot, Id, I, 0, Counts[I]};
        }
        return Used;
      });
  unmapPages(Counts, Most * sizeof(uint64_t));
  return Done;
}

/// Writes the peaks so far and starts them over. \returns false without room
static bool addMarkPeaks(uint32_t Snapshot, SnapshotHeader &H) {
  return addElements<MarkPeak>(
      ExtentKind::MarkPeaks, uint64_t{typeCount()} + 1, [&](MarkPeak *Out) {
        uint64_t Used = 0;
        H.PartPeakLiveBytes = beginPeaksAnew([&](uint32_t Type, int64_t Peak) {
          if (Peak > 0)
            Out[Used++] = {Snapshot, Type, Peak};
        });
        return Used;
      });
}

/// Numbers of rows and octaves in a snapshot.
struct Layout {
  uint32_t Rows, Octaves;
};

/// Lays out a snapshot: fills \p Plans, by site, from zeros.
static Layout layOut(Plan *Plans, uint32_t Sites) {
  Layout Needed = {};
  forEachRow([&](const Row &R) {
    Plan &P = Plans[R.Site];
    if (!P.Row)
      P.Row = ++Needed.Rows;
    for (unsigned O = 0; O < kOctaves; ++O)
      if (R.Octaves[O])
        P.Mask |= uint64_t{1} << O;
  });
  for (uint32_t I = 0; I < Sites; ++I) {
    Plans[I].Octaves = Needed.Octaves;
    Needed.Octaves +=
        static_cast<uint32_t>(__builtin_popcountll(Plans[I].Mask));
  }
  return Needed;
}

/// Merges all rows into \p Merged, which is zeroed, as laid out.
static void mergeRows(const Plan *Plans, uint32_t Sites, Row *Merged,
                      Octave *Blocks) {
  for (uint32_t I = 0; I < Sites; ++I) {
    if (!Plans[I].Row)
      continue;
    Row &R = Merged[Plans[I].Row - 1];
    uint32_t Octave = Plans[I].Octaves;
    for (unsigned O = 0; O < kOctaves; ++O)
      if (Plans[I].Mask >> O & 1)
        R.Octaves[O] = ++Octave;
  }
  forEachRow([&](const Row &R) {
    mergeRow(R, Merged[Plans[R.Site].Row - 1], Blocks);
  });
}

uint64_t takeSnapshot(SnapshotKind Kind, uint64_t UnixNs) {
  uint32_t Sites = siteCount() + 1;
  auto *Plans = static_cast<Plan *>(mapPages(Sites * sizeof(Plan)));
  if (!Plans)
    return 0;
  const auto [Rows, Octaves] = layOut(Plans, Sites);
  uint64_t Bytes = sizeof(SnapshotHeader) + Rows * sizeof(Row) +
                   uint64_t{Octaves} * sizeof(Octave);
  ExtentHeader *E = Process.Trace.addExtent(ExtentKind::Snapshot, 0, 0, Bytes);
  uint64_t Sequence = 0;
  if (E) {
    updateClock();
    auto *H = reinterpret_cast<SnapshotHeader *>(E + 1);
    auto *Merged = reinterpret_cast<Row *>(H + 1);
    auto *Blocks = reinterpret_cast<Octave *>(Merged + Rows);
    mergeRows(Plans, Sites, Merged, Blocks);
    FileHeader *File = Process.Trace.header();
    H->Kind = Kind;
    H->Rows = Rows;
    H->OctaveBlocks = Octaves;
    uint64_t Now = realtimeNs();
    H->UnixNs = UnixNs && UnixNs < Now ? UnixNs : Now;
    H->Ticks = ticksBefore(*File, Now - H->UnixNs);
    H->LiveBytes = File->LiveBytes;
    H->ResidentBytes = noteResidentSize(/*Highest=*/true);
    Sequence = E->Sequence;
    if (Kind != SnapshotKind::Periodic) {
      if (addMarkRows(static_cast<uint32_t>(Sequence)))
        H->Flags |= kSnapshotRows;
      if (addMarkObjects(static_cast<uint32_t>(Sequence)))
        H->Flags |= kSnapshotObjects;
      if (addMarkPeaks(static_cast<uint32_t>(Sequence), *H)) {
        H->Flags |= kSnapshotPeaks;
        endPeakPart(H->PartPeakLiveBytes, Kind == SnapshotKind::Reset);
      }
    }
    H->PeakLiveBytes = File->PeakLiveBytes > File->EarlierPeakLiveBytes
                           ? File->PeakLiveBytes
                           : File->EarlierPeakLiveBytes;
    __atomic_store_n(&E->Used, Bytes, __ATOMIC_RELEASE);
    Process.Trace.finish(E);
    if (Kind == SnapshotKind::Reset)
      restartSitePeak();
    if (Kind != SnapshotKind::Periodic)
      beginFreesAnew(static_cast<uint32_t>(Sequence));
  }
  unmapPages(Plans, Sites * sizeof(Plan));
  Process.Trace.save();
  return Sequence;
}

void takeNamedSnapshot(const char *Name, bool BeginsPhase, uint64_t UnixNs) {
  PhaseRecord R = {};
  R.Snapshot =
      static_cast<uint32_t>(takeSnapshot(SnapshotKind::Manual, UnixNs));
  R.Ticks = Process.Trace.header()->LastTicks;
  RecordBuilder Builder(RecordKind::Phase, sizeof R);
  R.Name = Builder.string(Name);
  R.Header.Reserved = !BeginsPhase;
  Builder.append(&R, sizeof R);
}

void allowSnapshotThread() { ThreadAllowed = true; }

void startSnapshots() {
  constexpr size_t kStackBytes = 128 * 1024;
  if (!ThreadAllowed || Periodic.exists() ||
      Process.State != InitState::Ready || Process.Config.PeriodicSeconds <= 0)
    return;
  if (!Periodic.start("inmem-periodic", kStackBytes, takePeriodically, nullptr))
    Message().text("cannot start the thread for periodic=").emit();
}

void requestPeriodic(const char *Value) {
  if (setPeriodic(Value, Process.Config))
    __atomic_store_n(&PeriodicRequested, true, __ATOMIC_RELEASE);
}

void applyPeriodicRequest() {
  if (!__atomic_exchange_n(&PeriodicRequested, false, __ATOMIC_ACQUIRE))
    return;
  constexpr uint64_t kPatienceNs = 1000000000;
  if (Periodic.exists() && !Periodic.join(Periodic.stop(), kPatienceNs))
    return;
  NextPeriodicNs = 0; // restart the period
  startSnapshots();
}

void endSnapshots() {
  constexpr uint64_t kPatienceNs = 1000000000;
  if (Periodic.exists())
    Periodic.join(Periodic.stop(), kPatienceNs);
}

void forgetSnapshots() {
  Periodic.forget();
  PeriodicRequested = false;
  NextPeriodicNs = 0;
  forgetSitePeak();
  forgetPeakNotes();
}

} // namespace inmem::rt

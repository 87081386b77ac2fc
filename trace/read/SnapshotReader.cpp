//===- SnapshotReader.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/SnapshotReader.h"

#include "trace/read/ExtentIndex.h"

#include <cstring>

namespace inmem::trace {

void SnapshotReader::readTaken() {
  for (const Extent &E : inSequence(Out, ExtentKind::Snapshot)) {
    Snapshot S;
    S.Offset = E.Offset;
    S.Sequence = E.Header.Sequence;
    if (E.Header.Used == 0)
      continue; // Not finished.
    const uint64_t Begin = E.Offset + sizeof(ExtentHeader);
    if (!Out.load(Begin, S.Header))
      continue;
    const uint64_t Need = sizeof(SnapshotHeader) +
                          uint64_t{S.Header.Rows} * sizeof(Row) +
                          uint64_t{S.Header.OctaveBlocks} * sizeof(Octave);
    if (Need > E.Header.Bytes - sizeof(ExtentHeader)) {
      Report.damage(Begin, "rows of a snapshot",
                    "at most " + text(E.Header.Bytes - sizeof(ExtentHeader)) +
                        " bytes",
                    text(Need));
      continue;
    }
    if (Need > Bytes.size() - Begin)
      continue; // Cut; reported with the extent.
    S.Rows = Begin + sizeof(SnapshotHeader);
    S.Octaves = S.Rows + uint64_t{S.Header.Rows} * sizeof(Row);
    Out.Snapshots.push_back(S);
  }
}

void SnapshotReader::readPending() {
  const CommandQueue &Q = Out.Header.Commands;
  Out.Recording = Q.Recording != 0;
  const uint64_t At = Out.Base + offsetof(FileHeader, Commands);
  const uint32_t Waiting = Q.Given - Q.Obeyed;
  if (Waiting > CommandQueue::kRoom)
    return Report.damage(At, "orders that wait",
                         "at most " + text(uint32_t{CommandQueue::kRoom}),
                         text(Waiting));
  for (uint32_t N = Q.Obeyed; N != Q.Given; ++N) {
    const uint32_t Slot = N % CommandQueue::kRoom;
    const ControlCommand &O = Q.Slots[Slot];
    const bool Named = O.Kind == CommandKind::Snapshot;
    if (O.Kind == CommandKind::Start || O.Kind == CommandKind::Stop) {
      Out.Recording = O.Kind == CommandKind::Start;
      continue;
    }
    if (O.Kind != CommandKind::Reset && !Named)
      continue;
    Snapshot S;
    S.Now = true;
    S.Offset = At;
    S.Sequence = Out.Snapshots.empty() ? 1 : Out.Snapshots.back().Sequence + 1;
    S.Header.Kind = Named ? SnapshotKind::Manual : SnapshotKind::Reset;
    S.Header.Rows = static_cast<uint32_t>(Out.Entries.size());
    S.Header.UnixNs = O.UnixNs;
    S.Header.Ticks = Out.Header.LastTicks;
    S.Header.LiveBytes = Out.Process.Live;
    S.Header.PeakLiveBytes = Out.Process.Peak;
    S.Header.PartPeakLiveBytes = Out.Process.PeakSinceMark;
    if (Named) {
      const auto *Name = reinterpret_cast<const char *>(Bytes.data()) + At +
                         offsetof(CommandQueue, Slots) +
                         Slot * sizeof(ControlCommand) +
                         offsetof(ControlCommand, Name);
      Out.Phases.push_back({S.Header.Ticks,
                            static_cast<uint32_t>(S.Sequence),
                            true,
                            {Name, strnlen(Name, sizeof O.Name)}});
    }
    Out.Snapshots.push_back(S);
  }
}

} // namespace inmem::trace

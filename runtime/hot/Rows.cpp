//===- Rows.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Rows.h"

#include "hot/Cells.h"
#include "hot/FastPath.h"
#include "hot/Recorder.h"
#include "platform/Mappings.h"
#include "registry/RecordBuilder.h"
#include "registry/SiteRegistry.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

/// Makes room for the slot of site \p Id. The old table stays mapped, because
/// the fast path reads slots without a lock and a signal handler's event may
/// interrupt this. The kernel empties the table in a forked child, so that the
/// child leaves the fast path before it could count in its parent's rows.
bool reachSlot(ThreadState &T, ThreadRows &B, uint32_t Id) {
  if (Id < B.SlotCapacity)
    return true;
  uint32_t New = B.SlotCapacity ? B.SlotCapacity * 2 : 512;
  while (New <= Id)
    New *= 2;
  auto *Fresh = static_cast<Slot *>(mapPagesWipedByFork(New * sizeof(Slot)));
  if (!Fresh)
    return false;
  if (B.Slots)
    memcpy(Fresh, B.Slots, B.SlotCapacity * sizeof(Slot));
  T.Fast.Slots = B.Slots = Fresh;
  orderStores();
  B.SlotCapacity = New;
  updateFastPath(T);
  return true;
}

Cell *cellOfType(ThreadRows &B, uint32_t Type) {
  if (!B.CellOfType.reserve(uint64_t{Type} + 1))
    return nullptr;
  Cell *&C = B.CellOfType[Type];
  return C ? C : C = addCell(B, Type);
}

Row *addRow(ThreadRows &B, uint32_t Site, uint32_t Type) {
  auto *R =
      addElement<Row>(B.Rows, ExtentKind::Rows, B.Index, 4 * kPage, 64 * kPage);
  if (!R)
    return nullptr;
  if (!B.RowExtents || B.RowExtents->Extent != B.Rows) {
    auto *E = static_cast<RowExtent *>(arenaAllocate(sizeof(RowExtent)));
    if (!E)
      return nullptr;
    *E = {B.Rows, B.RowExtents, 0};
    if (const RowExtent *Older = B.RowExtents)
      E->First = Older->First + Older->Extent->Used;
    orderStores();
    B.RowExtents = E;
  }
  R->Site = Site;
  R->Type = Type;
  publishElement(B.Rows);
  return R;
}

} // namespace

Slot *makeSlot(ThreadState &T, uint32_t Id) {
  ThreadRows &B = *T.Rows;
  if (!reachSlot(T, B, Id))
    return nullptr;
  Slot &S = B.Slots[Id];
  if (S.R)
    return &S;
  uint32_t Type = typeOfSite(Id);
  Cell *C = cellOfType(B, Type);
  Row *R = C ? addRow(B, Id, Type) : nullptr;
  if (!R)
    return nullptr;
  // Slow paths keep the header's clock up to date. The latest time in a trace
  // is the end of a process that was killed.
  updateClock();
  S.C = C;
  orderStores(); // signal handlers' fast path tests the row
  S.R = R;
  return &S;
}

Row *makeInterruptingRow(ThreadState &T, uint32_t Id) {
  ThreadRows &B = *T.Rows;
  if (!B.InterruptingRows.reserve(uint64_t{Id} + 1))
    return nullptr;
  Row *&R = B.InterruptingRows[Id];
  return R ? R : R = addRow(B, Id, typeOfSite(Id));
}

Row *addAllocationLifetimes(ThreadState &T, Row &R) {
  ThreadRows &B = *T.Rows;
  Locked L(Process.Mutex);
  if (R.AllocationLifetimes)
    return reinterpret_cast<Row *>(TraceBase +
                                   uint64_t{R.AllocationLifetimes} * 64);
  auto *Fresh =
      addElement<Row>(B.AllocationLifetimes, ExtentKind::AllocationLifetimes,
                      B.Index, 4 * kPage, 64 * kPage);
  if (!Fresh)
    return nullptr;
  Fresh->Site = R.Site;
  Fresh->Type = R.Type;
  publishElement(B.AllocationLifetimes);
  R.AllocationLifetimes =
      static_cast<uint32_t>(Process.Trace.offsetOf(Fresh) / 64);
  return Fresh;
}

Octave *makeOctave(Row *R, unsigned O) {
  if (O >= kOctaves)
    return nullptr;
  ThreadState &T = Thread;
  // The event interrupted another one: leaves out this lifetime.
  if (Process.Mutex.isOwn() && isInside(T))
    return nullptr;
  SlowPath S(T);
  Locked L(Process.Mutex);
  auto *Fresh = addElement<Octave>(T.Rows->Octaves, ExtentKind::Octaves,
                                   T.Rows->Index, 4 * kPage, 64 * kPage);
  if (!Fresh)
    return nullptr;
  publishElement(T.Rows->Octaves);
  R->Octaves[O] = static_cast<uint32_t>(Process.Trace.offsetOf(Fresh) / 64);
  return Fresh;
}

} // namespace inmem::rt

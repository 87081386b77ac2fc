//===- Orders.cpp ----------------------------------------------------------===//
#include "Orders.h"

#include "Runtime.h"
#include "Snapshots.h"
#include "Threads.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

void obey(const Order &Given) {
  // A copy: the other process may write it again, and its text need not end.
  Order O = Given;
  O.Name[sizeof O.Name - 1] = 0;
  switch (O.Kind) {
  case OrderKind::Start:
  case OrderKind::Stop:
    setRecording(O.Kind == OrderKind::Start);
    break;
  case OrderKind::Reset:
    takeSnapshot(SnapshotKind::Reset, O.UnixNs);
    break;
  case OrderKind::Snapshot:
    takeNamedSnapshot(O.Name, false, O.UnixNs);
    break;
  }
}

} // namespace

void setRecording(bool On) {
  Process.Recording = On;
  __atomic_store_n(&Process.Trace.header()->Orders.Recording, On,
                   __ATOMIC_RELAXED);
  updateAllFastPaths();
}

void obeyOrdersLocked() {
  OrderQueue &Q = Process.Trace.header()->Orders;
  uint32_t Given = __atomic_load_n(&Q.Given, __ATOMIC_ACQUIRE);
  uint32_t Obeyed = Q.Obeyed;
  if (Given - Obeyed > OrderQueue::kRoom)
    Obeyed = Given - OrderQueue::kRoom;
  for (; Obeyed != Given; ++Obeyed) {
    obey(Q.Orders[Obeyed % OrderQueue::kRoom]);
    __atomic_store_n(&Q.Obeyed, Obeyed + 1, __ATOMIC_RELEASE);
  }
}

void obeyOrders() {
  Locked L(Process.Mutex);
  obeyOrdersLocked();
}

void listenForOrders(Cell *C) {
  if (C->Type != kProcessCell)
    return;
  // The other process gives its order, then sets limits; here a limit is set,
  // then orders are looked for. One of both sees the other.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (ordersWait()) {
    C->Limit = kOrderedLimit;
    C->High = kOrderedLimit;
  }
}

} // namespace inmem::rt

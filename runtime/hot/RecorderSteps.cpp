//===- RecorderSteps.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/RecorderSteps.h"

#include "hot/CommandQueue.h"
#include "hot/Rows.h"
#include "hot/Suspension.h"
#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "state/Features.h"

namespace inmem::rt {

using namespace trace;

void countDropped() {
  if (Process.State != InitState::Ready || Thread.Suspension.Ignoring > 0)
    return;
  __atomic_fetch_add(&Process.Trace.header()->DroppedEvents, 1,
                     __ATOMIC_RELAXED);
  Process.Trace.unseal();
}

Slot *slotOf(ThreadState &T, uint32_t Id) {
  ThreadRows &B = *T.Rows;
  if (Id < B.SlotCapacity && B.Slots[Id].R)
    return &B.Slots[Id];
  Locked L(Process.Mutex);
  return makeSlot(T, Id);
}

Slot slotOfEvent(ThreadState &T, uint32_t Id) {
  if (interruptsCount(T)) {
    Locked L(Process.Mutex);
    return {makeInterruptingRow(T, Id), nullptr};
  }
  const Slot *S = slotOf(T, Id);
  return S ? *S : Slot();
}

bool mayRecord(ThreadState &T) {
  if (T.Suspension.Depth > 0 && (T.Suspension.Ignoring > 0 || isOfOperator(T)))
    return false;
  if (!ensureStarted())
    return false;
  // Commands flush the cells that an interrupted event may be writing.
  if (INMEM_UNLIKELY(commandsWait()) && !interruptsCount(T))
    kFeatures.ExecuteCommands();
  return Process.Recording;
}

struct inmem_site *knownCallerSite(ThreadState &T, uintptr_t ReturnAddress) {
  if (!T.Callers.Known)
    return callerSite(ReturnAddress);
  KnownCaller &Known = T.Callers.Known[knownCallerIndex(ReturnAddress)];
  if (Known.ReturnAddress != ReturnAddress) {
    struct inmem_site *Site = callerSite(ReturnAddress);
    if (!Site)
      return nullptr;
    Known.ReturnAddress = 0;
    orderStores();
    Known.R = nullptr;
    Known.C = nullptr;
    Known.Site = Site;
    orderStores();
    Known.ReturnAddress = ReturnAddress;
  }
  return Known.Site;
}

uint32_t idForSite(struct inmem_site *Site, uint64_t Size) {
  if (uint32_t Id = idOf(Site))
    return Id;
  Locked L(Process.Mutex);
  const uint32_t Id = registerSite(Site, Size);
  if (!Id)
    countDropped();
  return Id;
}

uint32_t idKeepingType(uint32_t Id, uint32_t OldSite) {
  if (OldSite <= Process.InheritedSites || typeOfSite(Id) ||
      !typeOfSite(OldSite))
    return Id;
  Locked L(Process.Mutex);
  return siteWithTypeOf(Id, OldSite);
}

ObjectSlot::ObjectSlot(ThreadState &T, struct inmem_site *Site, uint32_t &Id)
    : Slot(), T(T) {
  if (!mayRecord(T) || !attach(T, Borrows))
    return;
  if (Site)
    Id = idForSite(Site, /*Size=*/UINT64_MAX);
  if (!Id || Id <= Process.InheritedSites || isSiteExcluded(Id))
    return;
  static_cast<Slot &>(*this) = slotOfEvent(T, Id);
}

ObjectSlot::~ObjectSlot() {
  if (Borrows)
    detachBorrowed(T);
}

} // namespace inmem::rt

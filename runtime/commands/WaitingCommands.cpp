//===- WaitingCommands.cpp - Executes commands from outside ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands/Snapshots.h"

#include "heap/HeapSnapshot.h"
#include "hot/CommandQueue.h"
#include "hot/FastPath.h"
#include "hot/Recorder.h"
#include "hot/Threads.h"
#include "platform/Clocks.h"
#include "platform/Errors.h"
#include "platform/Message.h"
#include "profiler/Profiler.h"
#include "state/Runtime.h"
#include "trace/format/HeapFormat.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

SnapshotUse useNamed(const char *Name) {
  return strcmp(Name, heap::kVerifyCommand) == 0     ? SnapshotUse::Verified
         : strcmp(Name, heap::kResidentCommand) == 0 ? SnapshotUse::Resident
                                                     : SnapshotUse::Objects;
}

void execute(const ControlCommand &Given) {
  // A copy: the other process may overwrite it, and its text may lack a NUL.
  ControlCommand O = Given;
  O.Name[sizeof O.Name - 1] = 0;
  switch (O.Kind) {
  case CommandKind::Start:
  case CommandKind::Stop:
    setRecording(O.Kind == CommandKind::Start);
    break;
  case CommandKind::Reset:
    takeSnapshot(SnapshotKind::Reset, O.UnixNs);
    break;
  case CommandKind::Snapshot:
    takeNamedSnapshot(O.Name, false, O.UnixNs);
    break;
  case CommandKind::Heap:
    takeHeapSnapshot(/*InPlace=*/false, useNamed(O.Name));
    break;
  case CommandKind::ProfileStart:
  case CommandKind::ProfileStop:
    requestProfile(O.Kind == CommandKind::ProfileStart, O.Name);
    break;
  case CommandKind::Periodic:
    requestPeriodic(O.Name);
    break;
  }
}

/// Enqueues a command as another process would. Takes no lock, because the
/// interrupted thread may hold any.
void enqueue(CommandKind Kind, const char *Name) {
  CommandQueue &Q = Process.Trace.header()->Commands;
  // A writer that was killed must not block the queue forever.
  constexpr uint32_t kPatience = 1 << 20;
  for (uint32_t I = 0;
       I < kPatience && __atomic_exchange_n(&Q.Writing, 1, __ATOMIC_ACQUIRE);
       ++I) {
  }
  uint32_t Given = __atomic_load_n(&Q.Given, __ATOMIC_RELAXED);
  if (Given - __atomic_load_n(&Q.Obeyed, __ATOMIC_ACQUIRE) <
      CommandQueue::kRoom) {
    ControlCommand &O = Q.Slots[Given % CommandQueue::kRoom];
    O = {};
    O.Kind = Kind;
    O.UnixNs = realtimeNs();
    for (size_t I = 0; Name[I] && I + 1 < sizeof O.Name; ++I)
      O.Name[I] = Name[I];
    __atomic_store_n(&Q.Given, Given + 1, __ATOMIC_SEQ_CST);
  }
  __atomic_store_n(&Q.Writing, 0, __ATOMIC_RELEASE);
  for (ThreadRows *B = __atomic_load_n(&AllThreadRows, __ATOMIC_ACQUIRE); B;
       B = B->Next)
    listenForCommands(B->ProcessCell);
}

void flush() {
  FileHeader *H = Process.Trace.header();
  syncPages(H, H->FileBytes);
}

void onSignal(int Signal) {
  if (__atomic_load_n(&Process.State, __ATOMIC_ACQUIRE) != InitState::Ready)
    return;
  const SavedErrno Kept;
  const Options &O = Process.Config;
  for (unsigned I = 0; I < O.SignalCount; ++I) {
    if (O.SignalCommands[I].Signal != Signal)
      continue;
    switch (O.SignalCommands[I].Action) {
    case SignalAction::Start:
      enqueue(CommandKind::Start, "");
      break;
    case SignalAction::Stop:
      enqueue(CommandKind::Stop, "");
      break;
    case SignalAction::Reset:
      enqueue(CommandKind::Reset, "");
      break;
    case SignalAction::Snapshot:
      enqueue(CommandKind::Snapshot, O.SignalCommands[I].Name);
      break;
    case SignalAction::Heap:
      enqueue(CommandKind::Heap, "");
      break;
    case SignalAction::Flush:
      flush();
      break;
    }
  }
}

} // namespace

void listenToSignals() {
  const Options &O = Process.Config;
  for (unsigned I = 0; I < O.SignalCount; ++I) {
    struct sigaction Before, Ours = {};
    int Signal = O.SignalCommands[I].Signal;
    if (!readAction(Signal, Before) || Before.sa_handler == onSignal)
      continue;
    if (Before.sa_handler != SIG_DFL) {
      Message()
          .text("signals: ")
          .text(O.SignalCommands[I].Name)
          .text(
              " is ignored or already has a handler; it will not trigger inmem")
          .emit();
      continue;
    }
    Ours.sa_handler = onSignal;
    Ours.sa_flags = SA_RESTART | SA_ONSTACK;
    sigfillset(&Ours.sa_mask);
    setAction(Signal, Ours);
  }
}

void stopListeningToSignals() {
  const Options &O = Process.Config;
  for (unsigned I = 0; I < O.SignalCount; ++I) {
    struct sigaction Now;
    const int Signal = O.SignalCommands[I].Signal;
    if (!readAction(Signal, Now) || Now.sa_handler != onSignal)
      continue;
    Now = {};
    Now.sa_handler = SIG_DFL;
    setAction(Signal, Now);
  }
}

void setRecording(bool On) {
  Process.Recording = On;
  Process.WasStopped |= !On;
  __atomic_store_n(&Process.Trace.header()->Commands.Recording, On,
                   __ATOMIC_RELAXED);
  updateAllFastPaths();
}

void executeCommandsLocked() {
  CommandQueue &Q = Process.Trace.header()->Commands;
  uint32_t Given = __atomic_load_n(&Q.Given, __ATOMIC_ACQUIRE);
  uint32_t Obeyed = Q.Obeyed;
  if (Given - Obeyed > CommandQueue::kRoom)
    Obeyed = Given - CommandQueue::kRoom;
  for (; Obeyed != Given; ++Obeyed) {
    execute(Q.Slots[Obeyed % CommandQueue::kRoom]);
    __atomic_store_n(&Q.Obeyed, Obeyed + 1, __ATOMIC_RELEASE);
  }
}

void executeCommands() {
  {
    SignalsBlocked Meanwhile;
    Locked L(Process.Mutex);
    executeCommandsLocked();
  }
  applyProfileRequests();
  applyPeriodicRequest();
}

void executeForIdle() {
  constexpr uint64_t kEachNs = 20000000;
  static uint64_t LastNs = 0; // last time in any thread
  const uint64_t Now = monotonicNs();
  if (Now - __atomic_load_n(&LastNs, __ATOMIC_RELAXED) < kEachNs)
    return;
  __atomic_store_n(&LastNs, Now, __ATOMIC_RELAXED);
  Guarded G(Thread);
  SignalsBlocked Meanwhile;
  Locked L(Process.Mutex);
  if (Process.State != InitState::Ready || KeptSealed)
    return;
  CommandQueue &Q = Process.Trace.header()->Commands;
  const uint32_t Given = __atomic_load_n(&Q.Given, __ATOMIC_ACQUIRE);
  // If the queue overflowed, the program's next event skips lost commands.
  for (uint32_t Obeyed = Q.Obeyed;
       Obeyed != Given && Given - Obeyed <= CommandQueue::kRoom; ++Obeyed) {
    const ControlCommand &Waiting = Q.Slots[Obeyed % CommandQueue::kRoom];
    if (Waiting.Kind == CommandKind::ProfileStart ||
        Waiting.Kind == CommandKind::ProfileStop ||
        Waiting.Kind == CommandKind::Periodic)
      return; // these start and end our own threads
    execute(Waiting);
    __atomic_store_n(&Q.Obeyed, Obeyed + 1, __ATOMIC_RELEASE);
  }
}

} // namespace inmem::rt

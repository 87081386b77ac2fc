//===- Control.cpp - inmem.h ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands/Snapshots.h"
#include "heap/HeapSnapshot.h"
#include "hot/Recorder.h"
#include "hot/Threads.h"
#include "platform/ExportedApi.h"
#include "platform/Mappings.h"
#include "platform/Signals.h"
#include "stacks/SymbolNames.h"
#include "state/Runtime.h"
#include "threads/ThreadLifetimes.h"

#define INMEM_NO_MACROS
#include "inmem/inmem.h"

using namespace inmem::rt;
using namespace inmem::trace;

namespace {

/// Runs \p Action with guard and mutex held if the process records.
template <class Function> void control(Function Action) {
  ThreadState &T = Thread;
  SlowEvent Inside(T);
  if (!Inside)
    return;
  if (!ensureStarted())
    return;
  SignalsBlocked Meanwhile;
  Locked L(Process.Mutex);
  executeCommandsLocked(); // first execute earlier commands
  Action();
}

void add(const ThreadRows &B, inmem_counters &Sum) {
  const ThreadCounts C = countsOf(B);
  Sum.allocations += C.Allocations;
  Sum.allocated_bytes += C.Bytes;
  Sum.frees += C.Frees;
  Sum.freed_bytes += C.FreedBytes;
}

} // namespace

void inmem_start(void) {
  control([] { setRecording(true); });
}
void inmem_stop(void) {
  control([] { setRecording(false); });
}

void inmem_reset(void) {
  control([] { takeSnapshot(SnapshotKind::Reset); });
}

void inmem_flush(void) {
  control([] {
    updateClock();
    updateNames();
    writeAwaitedNames();
    FileHeader *H = Process.Trace.header();
    Process.Trace.save();
    syncPages(H, H->FileBytes);
  });
}

void inmem_phase(const char *Name) {
  control([Name] { takeNamedSnapshot(Name, true); });
}

void inmem_snapshot(const char *Name) {
  if (Name)
    control([Name] { takeNamedSnapshot(Name, false); });
  else
    control([] { takeHeapSnapshot(); });
}

int inmem_recording(void) {
  int On = 0;
  control([&On] { On = Process.Recording; });
  return On;
}

void inmem_thread_counters(struct inmem_counters *Result) {
  *Result = {};
  control([Result] {
    if (Thread.Rows)
      add(*Thread.Rows, *Result);
  });
}

void inmem_process_counters(struct inmem_counters *Result) {
  *Result = {};
  control([Result] {
    for (ThreadRows *B = AllThreadRows; B; B = B->Next)
      add(*B, *Result);
  });
}

//===- End.cpp ------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/End.h"

#include "commands/Snapshots.h"
#include "heap/HeapSnapshot.h"
#include "hot/Cells.h"
#include "hot/FastPath.h"
#include "hot/Threads.h"
#include "objects/Objects.h"
#include "platform/Clocks.h"
#include "platform/HardwareClock.h"
#include "platform/Process.h"
#include "platform/Signals.h"
#include "profiler/Profiler.h"
#include "stacks/StackCache.h"
#include "stacks/SymbolNames.h"
#include "state/Runtime.h"
#include "state/SlowPath.h"

namespace inmem::rt {

using namespace trace;

namespace {

/// The most bytes that renewing the seal may read in total: a few milliseconds.
constexpr uint64_t kMostResealed = 64 << 20;
constinit uint64_t Resealed = 0;
constinit ThreadState *Sealer = nullptr;

bool isAlone(const ThreadState &T) {
  if (!MayBeSandboxed)
    releaseDeadThreads();
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State && B->State != &T)
      return false;
  return true;
}

/// Seals the trace. Checksums hold only for constant bytes, so this closes the
/// fast path and makes objects count in their modules' own cells, which
/// renewSeal() collects.
void sealTrace(ThreadState &T) {
  KeptSealed = true;
  Sealer = &T;
  updateAllFastPaths();
  if (T.Rows)
    detachCounters(*T.Rows);
  Process.Trace.seal(/*Checks=*/!MayBeSandboxed);
  KeptSealed = Process.Trace.isSealed();
}

} // namespace

void leaveUnsealed() {
  if (!KeptSealed)
    return;
  Process.Trace.unseal();
  KeptSealed = false;
  if (Sealer == &Thread && Thread.Rows)
    attachCounters(*Thread.Rows);
}

void breakSeal(ThreadState &T) {
  Locked L(Process.Mutex);
  if (&T == Sealer && Resealed < kMostResealed)
    Process.Trace.unseal();
  else
    leaveUnsealed();
}

void renewSeal(ThreadState &T) {
  Locked L(Process.Mutex);
  if (!KeptSealed || &T != Sealer || Process.Trace.isSealed())
    return;
  collectCells();
  Resealed += Process.Trace.seal(/*Checks=*/!MayBeSandboxed);
  if (!MayBeSandboxed)
    Process.Trace.save();
}

namespace {

/// Runs `inmem report` on the finished trace, so the program need not contain
/// the report's code; without report=, names the command on a terminal.
void writeReport() {
  const char *Where = Process.Config.Report.Value;
  if (!Process.Trace.onDisk())
    return;
  if (Where[0])
    runReportTool(Process.Trace.path(), Where);
  else if (!(Process.Trace.header()->Flags & kFlagForked))
    nameTraceOnTerminal(Process.Trace.path());
}

/// True if the caller is not a vfork child, which shares our memory. A sandbox
/// may forbid getpid().
bool isOwnProcess() {
  return MayBeSandboxed ? !HasVforked : processId() == Process.Pid;
}

/// True if this thread may end the trace. Does not check for a vfork child,
/// which may call _exit and exec, but not exit.
bool mayEnd(ThreadState &T) {
  return !isInside(T) && Process.State == InitState::Ready &&
         !isUnnoticedChild();
}

/// Needs the guard and the mutex.
void writeEnd(ThreadState &T, RunState State) {
  leaveUnsealed();
  FileHeader *H = Process.Trace.header();
  if (T.Rows)
    flushCells(T);
  collectCells();
  updateNames();
  updateClock();
  H->EndUnixNs = realtimeNs();
  noteResidentSize(/*Highest=*/true);
  H->State = State;
}

/// snapshot=exit, once: in a static program, exit() gets here again through
/// _exit().
void takeLastSnapshot() {
  static constinit uint32_t TakenOf = 0; // id of the process that took it
  if (TakenOf == Process.Pid)
    return;
  TakenOf = Process.Pid;
  takeHeapSnapshot();
}

/// Ends the trace in a sandbox, which may kill a process for a system call of
/// ours. So this only writes memory, which the file shares. The time is that of
/// the processor's clock.
void finishInSandbox(ThreadState &T) {
  Guarded G(T);
  Locked L(Process.Mutex);
  leaveUnsealed();
  if (T.Rows)
    flushCells(T);
  collectCells();
  FileHeader *H = Process.Trace.header();
  if (H->Clock != ClockKind::Events && Process.HardwareClock &&
      !T.Fast.HasNoClock) {
    H->LastTicks = hardwareTicks();
    if (H->TicksPerSecond)
      H->EndUnixNs =
          H->StartUnixNs +
          static_cast<uint64_t>(
              static_cast<double>(H->LastTicks - Process.StartTicks) * 1e9 /
              static_cast<double>(H->TicksPerSecond));
  }
  if (!H->EndUnixNs)
    H->EndUnixNs = H->StartUnixNs;
  H->State = RunState::Complete;
  if (isAlone(T))
    sealTrace(T);
}

} // namespace

void finish(bool WriteReport, bool ByExit) {
  ThreadState &T = Thread;
  if (!mayEnd(T) || !(ByExit || isOwnProcess()))
    return;
  if (MayBeSandboxed)
    return finishInSandbox(T);
  endProfile();
  Guarded G(T);
  leaveFormerRows(T);
  {
    SignalsBlocked Meanwhile;
    Locked L(Process.Mutex);
    leaveUnsealed();
    executeCommandsLocked();
    if (WriteReport && Process.Config.HeapAt == Options::HeapAtExit)
      takeLastSnapshot();
    writeAwaitedNames();
    writeEnd(T, RunState::Complete);
    Process.Trace.trim();
    if (isAlone(T))
      sealTrace(T);
    Process.Trace.save();
  }
  waitForHeapSnapshots();
  reportStackCounts();
  if (WriteReport && !(Process.Trace.header()->Flags & kFlagForked))
    reportUnmatchedGlobs();
  if (WriteReport)
    writeReport();
}

bool endForExec() {
  ThreadState &T = Thread;
  if (!mayEnd(T) || processId() != Process.Pid)
    return false;
  endProfileForExec();
  SlowPath Inside(T);
  leaveFormerRows(T);
  SignalsBlocked Meanwhile;
  Locked L(Process.Mutex);
  writeAwaitedNames();
  writeEnd(T, RunState::Execed);
  Process.Trace.save();
  return true;
}

void goOnAfterExec() {
  SlowPath Inside(Thread);
  goOnWithProfile();
  Locked L(Process.Mutex);
  Process.Trace.header()->State = RunState::Running;
  Process.Trace.header()->EndUnixNs = 0;
}

} // namespace inmem::rt

//===- Runtime.cpp - Start, fork and end of recording ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state/Runtime.h"

#include "allocator/Allocator.h"
#include "commands/Orders.h"
#include "commands/Snapshots.h"
#include "heap/HeapSnapshot.h"
#include "hot/EventLives.h"
#include "hot/Recorder.h"
#include "index/LiveIndex.h"
#include "objects/Objects.h"
#include "objects/StringCopies.h"
#include "platform/Clocks.h"
#include "platform/Files.h"
#include "platform/HardwareClock.h"
#include "platform/Message.h"
#include "platform/Process.h"
#include "process/Fork.h"
#include "process/ReportTool.h"
#include "profiler/Profiler.h"
#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "stacks/CallLabels.h"
#include "stacks/Frees.h"
#include "stacks/StackCache.h"
#include "stacks/SymbolNames.h"
#include "tables/AddressHash.h"
#include "threads/Threads.h"
#include "watch/Watch.h"

#include "inmem/abi.h"

#include <stdlib.h>
#include <string.h>

/// What every instrumented object refers to (abi.h).
INMEM_EXPORT const char INMEM_ABI_SYMBOL = INMEM_ABI_VERSION;

extern "C" void __sanitizer_set_death_callback(void (*Callback)())
    __attribute__((weak));

namespace inmem::rt {

using namespace trace;

constinit Runtime Process = {};
constinit Relaxed<bool> KeptSealed = {};

namespace {

constinit char *Arena = nullptr;
constinit size_t ArenaLeft = 0;
constinit bool HasStarted =
    false; ///< this process, or one that it was forked of

void complain(const char *Line) { Message().text(Line).emit(); }

void readOptionsFrom(const char *Spec) {
  if (wantsHelp(Spec))
    printOptionsHelp();
  parseOptions(Spec, Process.Config, complain);
}

/// A forked child keeps its parent's options: errors in them were reported
/// once.
void readOptions() {
  if (!withEnvironmentVariable("INMEM_OPTIONS", readOptionsFrom))
    readOptionsFrom("");
  Options &O = Process.Config;
  if (O.Addresses.Index == Options::AddressesHash &&
      !randomBytes(Process.AddressKey, sizeof Process.AddressKey)) {
    complain("no random numbers for addresses=hash; recording is off");
    O.Mode.Index = Options::ModeOff;
  }
}

/// Not in a forked child, which keeps its parent's.
void startClock() {
  prepareHardwareClock();
  Process.HardwareClock = hardwareClockIsInvariant();
  Process.StartMonotonicNs = monotonicNs();
  Process.StartTicks =
      Process.HardwareClock ? hardwareTicks() : Process.StartMonotonicNs;
}

/// A first estimate of the clock's rate, from the time since startClock();
/// updateClock() refines it with the time that passes.
void calibrate(bool Forked) {
  FileHeader *H = Process.Trace.header();
  H->Clock = static_cast<ClockKind>(Process.Config.Clock.Index);
  if (H->Clock == ClockKind::Events) {
    H->TickShift = 0;
    H->TicksPerSecond = 0;
  } else {
    H->TickShift = kTickShift;
    H->TicksPerSecond = 1000000000u;
  }
  if (!Process.HardwareClock && H->Clock != ClockKind::Events && !Forked)
    Message()
        .text("this machine's cycle counter is not invariant; using "
              "CLOCK_MONOTONIC, which costs more")
        .emit();
  constexpr uint64_t kFirstLookNs = 20000;
  while (monotonicNs() - Process.StartMonotonicNs < kFirstLookNs) {
  }
  updateClock();
  H->StartTicks = H->Clock == ClockKind::Events ? 0
                  : Forked                      ? H->LastTicks
                                                : Process.StartTicks;
}

void writeProcess() {
  // Static, because the stack may be small; the same in forked children.
  static constinit char Command[16 * 1024] = {};
  static constinit size_t Length = 0;
  if (Length == 0)
    Length = readSmallFile("/proc/self/cmdline", Command, sizeof Command);
  RecordHeader R = {};
  RecordBuilder Builder(RecordKind::Process, sizeof R);
  Builder.bytes(Command, Length);
  Builder.append(&R, sizeof R);
}

void writeLabels(const char *Labels) {
  if (!*Labels)
    return;
  NoteRecord R = {};
  RecordBuilder Builder(RecordKind::Note, sizeof R);
  R.Kind = NoteKind::Labels;
  R.Text = Builder.string(Labels);
  Builder.append(&R, sizeof R);
}

void giveUp() {
  Process.Trace.discard();
  Process.State = InitState::Off;
  complain("no address space for recording, which is off");
}

/// The file was cut: rows, tables and totals there now read 0. Stops counting.
/// Runs in a signal handler, possibly inside the runtime.
void endForLoss() {
  Process.Recording = false;
  Process.State = InitState::Off;
  updateAllFastPaths();
}

/// Chooses leaner hooks where few or no blocks are recorded. Must run before
/// the first block is.
void prepareHooks(const Options &O) {
  // With more recorded blocks than this, EnteredBlocks no longer filters frees.
  constexpr uint64_t kFewestBytes = 4096, kFewestBlocks = 64;
  if (Process.State == InitState::Off || O.SampleBytes >= kFewestBytes ||
      O.Every >= kFewestBlocks) {
    expectFewBlocks();
    checkAllRequests();
  } else if (O.Clock.Index == Options::ClockExact && Process.HardwareClock) {
    ReadsClockFirst = true;
    disableDirectLookup();
  }
}

/// Writes to the header what is recorded, and sets what slow paths test.
void applyOptions(FileHeader &H, const Options &O, bool Forked) {
  H.ExactLives = kExactLives;
  H.ThinBy = kThinBy;
  H.SampleBytes = O.SampleBytes;
  H.Every = O.Every;
  H.MinSize = O.MinSize;
  H.Flags |= (Forked ? uint32_t{kFlagForked} : 0u) |
             (O.Mode.Index == Options::ModeTrace ? uint32_t{kFlagEvents} : 0u) |
             (O.SampleBytes ? uint32_t{kFlagSampledBytes} : 0u) |
             (O.Every > 1 ? uint32_t{kFlagSampledEvery} : 0u);
  Process.Filtered = O.SampleBytes || O.Every > 1 || O.MinSize > 0;
  Process.WritesEvents =
      O.Mode.Index == Options::ModeTrace && Process.Trace.isKept();
}

/// With the mutex. Leaves State Ready or Off.
void start() {
  Process.State = InitState::Starting;
  Process.Pid = processId();
  const bool Forked = HasStarted;
  if (runsWithRaisedPrivileges()) {
    Process.State = InitState::Off;
    if (!Forked)
      prepareHooks(Process.Config);
    return;
  }
  if (!Forked) {
    readOptions();
    startClock();
  }
  Options &O = Process.Config;
  if (O.Mode.Index == Options::ModeOff ||
      !Process.Trace.create(O.Output.Value, O.Presize << 20))
    Process.State = InitState::Off;
  if (!Forked) // a child has its parent's blocks
    prepareHooks(O);
  if (Process.State == InitState::Off)
    return;
  Process.Trace.whenLost(endForLoss);
  if (!Forked && Process.Trace.onDisk())
    mendLostPages([](const void *P) { return Process.Trace.mend(P); });
  FileHeader *H = Process.Trace.header();
  applyOptions(*H, O, Forked);
  if (!typeTotal(0))
    return giveUp();
  startFrees();
  calibrate(Forked);
  writeProcess();
  writeLabels(O.Labels.Value);
  watchThreadEnds();
  watchForks();
  BlockNotEntered = takeBack;
  if (!HasStarted) {
    HasStarted = true;
    at_quick_exit([] { finish(true, /*ByExit=*/true); });
    Process.Recording = O.Start.Index == Options::StartOn;
    Process.WasStopped = !Process.Recording;
  }
  H->Orders.Recording = Process.Recording;
  if (!attachThread(Thread))
    return giveUp();
  if (Forked)
    writeInherited();
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next) {
    startCounting(*M);
    writeStringCopies(*M);
  }
  __atomic_store_n(&Process.State, InitState::Ready, __ATOMIC_RELEASE);
  listenToSignals();
}

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

__attribute__((destructor)) void atProcessEnd() {
  endWatches();
  finish(true, /*ByExit=*/true);
}

/// Runs before the program's own constructors. Recording has usually begun with
/// an earlier allocation; a program without any gets a trace too. After
/// findHiddenFunctions (ThreadStart.cpp), which threads depend on.
__attribute__((constructor(102))) void atProcessStart() {
  redirectImports();
  allowSnapshotThread();
  Guarded G(Thread);
  if (ensureStarted()) {
    startSnapshots();
    startWatchOption();
    startProfileOption();
    if (Process.Config.Quiet.Index == Options::QuietOff)
      lookForTerminal();
    // A sanitizer that found something, such as leaks at the end, leaves
    // without destructors.
    if (__sanitizer_set_death_callback)
      __sanitizer_set_death_callback([] { finish(true); });
  }
}

} // namespace

bool ensureStarted() {
  InitState State = __atomic_load_n(&Process.State, __ATOMIC_ACQUIRE);
  if (INMEM_LIKELY(State == InitState::Ready)) {
    if (INMEM_LIKELY(!isUnnoticedChild()))
      return true;
    becomeChild(/*InsideHook=*/false);
    State = Process.State;
  }
  if (State == InitState::Off)
    return false;
  {
    SignalsBlocked Meanwhile;
    Locked L(Process.Mutex);
    if (Process.State == InitState::Unborn)
      start();
  }
  if (Process.State == InitState::Ready)
    startSnapshots();
  return Process.State == InitState::Ready;
}

void updateClock() {
  FileHeader *H = Process.Trace.header();
  if (H->Clock == ClockKind::Events) {
    const uint64_t Now = bytesSoFar(Thread);
    if (Now > H->LastTicks) // another thread may know of more
      H->LastTicks = Now;
    return;
  }
  if (Thread.HasNoClock)
    return;
  uint64_t Now = monotonicNs();
  uint64_t Ticks = Process.HardwareClock ? hardwareTicks() : Now;
  uint64_t Elapsed = Now - Process.StartMonotonicNs;
  H->LastTicks = Ticks;
  if (Elapsed > 10000)
    __atomic_store_n(
        &H->TicksPerSecond,
        static_cast<uint64_t>(static_cast<double>(Ticks - Process.StartTicks) *
                              1e9 / static_cast<double>(Elapsed)),
        __ATOMIC_RELAXED);
}

uint64_t traceAddress(uint64_t Address) {
  constexpr uint64_t kUserSpace = (uint64_t{1} << 47) - 1;
  return Process.Config.Addresses.Index == Options::AddressesPlain
             ? Address
             : sipHash(Address, Process.AddressKey) & kUserSpace;
}

void *arenaAllocate(size_t Bytes) {
  constexpr size_t kChunk = 256 * 1024;
  Bytes = roundUp(Bytes, 16);
  if (Bytes > kChunk / 4)
    return mapPages(Bytes);
  if (Bytes > ArenaLeft) {
    ArenaLeft = 0;
    orderStores();
    Arena = static_cast<char *>(mapPages(kChunk));
    orderStores();
    ArenaLeft = Arena ? kChunk : 0;
    if (!Arena)
      return nullptr;
  }
  // In this order: a jump in between leaves the end of the chunk unused.
  ArenaLeft -= Bytes;
  orderStores();
  void *Result = Arena;
  Arena += Bytes;
  return Result;
}

char *copyText(const char *S) {
  size_t Length = strlen(S) + 1;
  auto *Copy = static_cast<char *>(arenaAllocate(Length));
  return Copy ? static_cast<char *>(memcpy(Copy, S, Length)) : nullptr;
}

namespace {

/// Most bytes that renewing the seal may read in all: a few milliseconds.
constexpr uint64_t kMostResealed = 64 << 20;
constinit uint64_t Resealed = 0;
constinit ThreadState *Sealer = nullptr;

bool isAlone(const ThreadState &T) {
  releaseDeadThreads();
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State && B->State != &T)
      return false;
  return true;
}

/// Checksums hold only for what does not change: closes the fast path and lets
/// objects count in their modules' own cells, which renewSeal collects.
void sealTrace(ThreadState &T) {
  KeptSealed = true;
  Sealer = &T;
  updateAllFastPaths();
  if (T.Rows)
    detachCounters(*T.Rows);
  Process.Trace.seal();
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
  Resealed += Process.Trace.seal();
  Process.Trace.save();
}

namespace {

/// Whether this thread may end the trace. A vfork child shares our memory but
/// must not; it may call _exit and exec, but not exit, so that \p ByExit needs
/// no getpid(), which a sandbox may forbid.
bool mayEnd(ThreadState &T, bool ByExit = false) {
  return !isInside(T) && Process.State == InitState::Ready &&
         !isUnnoticedChild() && (ByExit || processId() == Process.Pid);
}

/// With the guard and the mutex.
void writeEnd(ThreadState &T, RunState State) {
  leaveUnsealed();
  FileHeader *H = Process.Trace.header();
  if (T.Rows)
    flushCells(T);
  collectCells();
  updateNames();
  updateClock();
  H->EndUnixNs = realtimeNs();
  H->State = State;
}

} // namespace

void finish(bool WriteReport, bool ByExit) {
  ThreadState &T = Thread;
  if (!mayEnd(T, ByExit))
    return;
  endProfile();
  Guarded G(T);
  {
    SignalsBlocked Meanwhile;
    Locked L(Process.Mutex);
    leaveUnsealed();
    obeyOrdersLocked();
    if (WriteReport && Process.Config.HeapAt == Options::HeapAtExit)
      takeHeapSnapshot();
    writeAwaitedNames();
    writeEnd(T, RunState::Complete);
    Process.Trace.trim();
    if (isAlone(T))
      sealTrace(T);
    Process.Trace.save();
  }
  waitForHeapSnapshots();
  reportStackCounts();
  if (WriteReport)
    writeReport();
}

bool endForExec() {
  ThreadState &T = Thread;
  if (!mayEnd(T))
    return false;
  endProfileForExec();
  SlowPath Inside(T);
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

using namespace inmem::rt;

/// The existing entry of a closed library that is loaded again, so that
/// reloading it does not fill the trace.
static RegisteredModule *findClosed(const struct inmem_module &Descriptor,
                                    const Module *File) {
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    if (!M->Descriptor && M->File == File && File && File->BuildIdBytes > 0 &&
        M->CellBytes == cellBytes(Descriptor))
      return M;
  return nullptr;
}

INMEM_EXPORT void __inmem_register_module(struct inmem_module *Descriptor) {
  if (Descriptor->abi_version != INMEM_ABI_VERSION) {
    Message()
        .text("an object was instrumented for ABI version ")
        .number(Descriptor->abi_version)
        .text(", this runtime has ")
        .number(INMEM_ABI_VERSION)
        .text("; its sites are not recorded")
        .emit();
    return;
  }
  ThreadState &T = Thread;
  SlowEvent Inside(T);
  if (!Inside)
    return;
  bool Started = ensureStarted();
  Module *File = findModule(reinterpret_cast<uintptr_t>(Descriptor));
  if (Descriptor->delta)
    noteInstrumentedTls(Descriptor);
  Locked L(Process.Mutex);
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    if (M->Descriptor == Descriptor)
      return;
  RegisteredModule *M = findClosed(*Descriptor, File);
  if (!M) {
    M = static_cast<RegisteredModule *>(
        arenaAllocate(sizeof(RegisteredModule)));
    if (!M)
      return;
    M->File = File;
    M->CellBytes = cellBytes(*Descriptor);
    M->Next = RegisteredModules;
    RegisteredModules = M;
  }
  M->Descriptor = Descriptor;
  M->CallsOrdered = false;
  M->CallOrder = nullptr;
  noteCallLabels();
  M->DeltaOffset =
      Descriptor->delta
          ? reinterpret_cast<char *>(Descriptor->delta) - threadPointer()
          : 0;
  if (Started) {
    startCounting(*M);
    writeStringCopies(*M);
  }
}

INMEM_EXPORT void __inmem_unregister_module(struct inmem_module *Descriptor) {
  ThreadState &T = Thread;
  SlowEvent Inside(T);
  if (!Inside)
    return;
  if (isUnnoticedChild())
    ensureStarted();
  Locked L(Process.Mutex);
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    if (M->Descriptor == Descriptor) {
      if (M->File && M->File->IsProgram)
        return; // it stays until the process ends
      if (Process.State == InitState::Ready)
        stopCounting(*M);
      forgetSites(Descriptor->sites_begin, Descriptor->sites_end, M->File);
      M->Descriptor = nullptr;
      noteCallLabels();
      return;
    }
}

//===- Start.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/Start.h"

#include "allocator/Allocator.h"
#include "commands/Snapshots.h"
#include "heap/HeapSnapshot.h"
#include "hot/EventLifetimes.h"
#include "hot/FastPath.h"
#include "hot/Inherited.h"
#include "hot/Mapped.h"
#include "hot/Recorder.h"
#include "hot/Threads.h"
#include "index/LiveIndex.h"
#include "objects/Objects.h"
#include "platform/Clocks.h"
#include "platform/Files.h"
#include "platform/HardwareClock.h"
#include "platform/Image.h"
#include "platform/Message.h"
#include "platform/Process.h"
#include "process/End.h"
#include "profiler/Profiler.h"
#include "registry/Modules.h"
#include "registry/RecordBuilder.h"
#include "registry/SiteRegistry.h"
#include "stacks/CallLabels.h"
#include "stacks/Frees.h"
#include "stacks/StackCache.h"
#include "stacks/SymbolNames.h"
#include "state/Runtime.h"
#include "tables/Hash.h"
#include "trace/format/AttachFormat.h"
#include "watch/Watch.h"

#include "inmem/abi.h"

#include <stdlib.h>
#include <string.h>

extern "C" void __sanitizer_set_death_callback(void (*Callback)())
    __attribute__((weak));

namespace inmem::rt {

using namespace trace;

namespace {

constinit bool HasStarted =
    false; ///< in this process, or one it was forked from

/// Options that `inmem attach` gave, instead of the environment's; or null.
constinit const char *GivenOptions = nullptr;

void complain(const char *Line) { Message().text(Line).emit(); }

void readOptionsFrom(const char *Spec) {
  if (wantsHelp(Spec))
    printOptionsHelp();
  parseOptions(Spec, Process.Config, complain);
}

/// A forked child keeps its parent's options: errors in them were reported
/// once.
void readOptions() {
  if (GivenOptions)
    readOptionsFrom(GivenOptions);
  else if (!withEnvironmentVariable("INMEM_OPTIONS", readOptionsFrom))
    readOptionsFrom("");
  Options &O = Process.Config;
  if (O.Root == Process.Pid) // the process has called exec
    O.Children.Index = Options::ChildrenOff;
  else if (O.Root != 0)
    O.Mode.Index = Options::ModeOff;
  if (O.Addresses.Index == Options::AddressesHash &&
      !randomBytes(Process.AddressKey, sizeof Process.AddressKey)) {
    complain("no random numbers for addresses=hash; recording is off");
    O.Mode.Index = Options::ModeOff;
  }
}

/// Not called in a forked child, which keeps its parent's clock.
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

/// The trace's file was truncated: rows, tables and totals there now read 0.
/// Stops counting. Runs in a signal handler, possibly inside the runtime.
void endForLoss() {
  Process.Recording = false;
  Process.State = InitState::Off;
  updateAllFastPaths();
}

/// Chooses leaner hooks if few or no blocks are recorded. Must run before the
/// first block is recorded.
void prepareHooks(const Options &O) {
  // If the values are smaller, more blocks are recorded, and EnteredBlocks no
  // longer filters frees.
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

/// Writes the recording's options to the header, and sets the flags that slow
/// paths test.
void applyOptions(FileHeader &H, const Options &O, bool Forked) {
  H.ExactLifetimes = kExactLifetimes;
  H.ThinBy = kThinBy;
  H.SampleBytes = O.SampleBytes;
  H.Every = O.Every;
  H.MinSize = O.MinSize;
  H.MaxSize = O.MaxSize;
  H.Flags |= (Forked ? uint32_t{kFlagForked} : 0u) |
             (Process.Attached ? uint32_t{kFlagAttached} : 0u) |
             (O.Mode.Index == Options::ModeTrace ? uint32_t{kFlagEvents} : 0u) |
             (O.SampleBytes ? uint32_t{kFlagSampledBytes} : 0u) |
             (O.Every > 1 ? uint32_t{kFlagSampledEvery} : 0u);
  Process.Filtered =
      O.SampleBytes || O.Every > 1 || O.MinSize > 0 || O.MaxSize > 0;
  Process.WritesEvents =
      O.Mode.Index == Options::ModeTrace && Process.Trace.isKept();
}

/// Needs the mutex. Leaves State Ready or Off.
void start() {
  Process.State = InitState::Starting;
  RecordsMappings = MapRecording::Off;
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
    noteCallLabels();
    startClock();
  }
  Options &O = Process.Config;
  if (O.Mode.Index == Options::ModeOff ||
      (Forked && O.Children.Index == Options::ChildrenOff) ||
      !Process.Trace.create(O.Output.Value, O.Presize << 20))
    Process.State = InitState::Off;
  if (!Forked) // a child has its parent's blocks
    prepareHooks(O);
  if (Process.State == InitState::Off)
    return;
  Process.Trace.whenLost(endForLoss);
  if (!Forked && Process.Trace.onDisk())
    repairLostPages([](const void *P) { return Process.Trace.repair(P); });
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
    // If attached, recording begins once all calls lead to us.
    Process.Recording = O.Start.Index == Options::StartOn && !Process.Attached;
    Process.WasStopped = O.Start.Index != Options::StartOn;
  }
  H->Commands.Recording = Process.Recording;
  if (!attachThread(Thread))
    return giveUp();
  if (Forked)
    writeInherited();
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next) {
    startCounting(*M);
    writeStringCopies(*M);
  }
  if (O.Mmap.Index == Options::MmapOn)
    RecordsMappings = MapRecording::On;
  __atomic_store_n(&Process.State, InitState::Ready, __ATOMIC_RELEASE);
  listenToSignals();
}

/// children=off: names the recording process in the environment, which executed
/// children inherit. Written in place, since a program may have its environment
/// anywhere and an allocation here would be the program's.
void nameRoot(const char *Value) {
  static constexpr char kPair[] = "children=off";
  constexpr size_t kDigits = sizeof kPair - 1 - (sizeof "root=" - 1);
  while (const char *Found = findPair(Value, kPair)) {
    char *To = const_cast<char *>(Found);
    // NOLINTNEXTLINE(bugprone-not-null-terminated-result): digits follow
    memcpy(To, "root=", 5);
    uint64_t Left = Process.Pid; // at most 2^22
    for (size_t I = kDigits; I > 0; --I, Left /= 10)
      To[4 + I] = static_cast<char>('0' + Left % 10);
  }
}

__attribute__((destructor)) void atProcessEnd() {
  endWatches();
  finish(true, /*ByExit=*/true);
}

/// True if `inmem attach` has loaded us, and calls __inmem_attach next.
bool isLoadedToAttach() {
  Image Own;
  return Image::around(reinterpret_cast<uintptr_t>(&isLoadedToAttach), Own) &&
         strstr(Own.name(), kAttachPath) != nullptr;
}

/// Runs before the program's own constructors. Recording has usually begun with
/// an earlier allocation; a program without any gets a trace too. Runs after
/// findHiddenFunctions (ThreadStart.cpp), which threads depend on.
__attribute__((constructor(102))) void atProcessStart() {
  if (isLoadedToAttach())
    return;
  redirectImports();
  allowSnapshotThread();
  Guarded G(Thread);
  if (ensureStarted()) {
    if (Process.Config.Children.Index == Options::ChildrenOff)
      withEnvironmentVariable("INMEM_OPTIONS", nameRoot);
    startSnapshots();
    startWatchOption();
    startProfileOption();
    if (Process.Config.Quiet.Index == Options::QuietOff)
      lookForTerminal();
    // A sanitizer that reports something, such as leaks at the end, exits
    // without destructors.
    if (__sanitizer_set_death_callback)
      __sanitizer_set_death_callback([] { finish(true); });
  }
}

} // namespace

bool startAttached(const char *Options) {
  GivenOptions = Options;
  Process.Attached = true;
  HasStarted = false;
  __atomic_store_n(&Process.State, InitState::Unborn, __ATOMIC_RELEASE);
  const bool Starts = startRecording();
  GivenOptions = nullptr;
  return Starts;
}

bool startRecording() {
  InitState State = __atomic_load_n(&Process.State, __ATOMIC_ACQUIRE);
  if (State == InitState::Ready) {
    if (!isUnnoticedChild())
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

} // namespace inmem::rt

//===- Attach.cpp - inmem attach and inmem detach -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tool loads us into a running process and calls __inmem_attach there
// (trace/format/AttachFormat.h). First all words of the program that lead to
// the allocator are redirected (AttachedSlots.h), while nothing is recorded.
// Then recording begins at one moment: each thread records from its next
// allocation on. So the end of each recorded block reaches us. Detaching does
// the reverse. Not for static executables, which cannot load us.
//
//===----------------------------------------------------------------------===//
#include "allocator/Allocator.h"
#include "allocator/AttachedSlots.h"
#include "commands/Snapshots.h"
#include "hot/FastPath.h"
#include "hot/Threads.h"
#include "index/LiveIndex.h"
#include "platform/Image.h"
#include "platform/Interpose.h"
#include "platform/Signals.h"
#include "platform/Tasks.h"
#include "process/End.h"
#include "process/Start.h"
#include "profiler/Profiler.h"
#include "state/Runtime.h"
#include "state/SlowPath.h"
#include "trace/format/AttachFormat.h"
#include "watch/Watch.h"

#include <string.h>

using namespace inmem::rt;
using namespace inmem::trace;

extern "C"
    __attribute__((visibility("default"))) Attachment __inmem_attachment = {
        .Version = kAttachVersion,
        .State = AttachState::Never,
        .Slots = 0,
        .SlotCount = 0,
        .Message = {},
        .Trace = {}};

INMEM_NEXT_FUNCTION(NextOpen, "dlopen", void *(const char *, int));
INMEM_NEXT_FUNCTION(NextOpenIn, "dlmopen", void *(long, const char *, int));
INMEM_NEXT_FUNCTION(NextSymbolOf, "dlsym", void *(void *, const char *));

namespace inmem::rt {

namespace {

void redirectAll();

/// True if the loader would search for \p Name in folders that the file of
/// \p Caller names, or relative to it: the call must then be that file's.
bool dependsOnCaller(const char *Name, uintptr_t Caller) {
  if (strchr(Name, '$'))
    return true;
  Image File;
  if (strchr(Name, '/') || !Image::around(Caller, File))
    return false;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto *D =
      reinterpret_cast<const ElfW(Dyn) *>(File.segmentRange(PT_DYNAMIC).Start);
  for (; D && D->d_tag != DT_NULL; ++D)
    if (D->d_tag == DT_RUNPATH || D->d_tag == DT_RPATH)
      return true;
  return false;
}

/// True if files that the program loads are to be redirected.
bool isAttached() {
  AttachState Now;
  __atomic_load(&__inmem_attachment.State, &Now, __ATOMIC_RELAXED);
  return Now == AttachState::Attached;
}

void redirectIfAttached() {
  if (isAttached() && !isInside(Thread))
    redirectAll();
}

/// dlopen of attached programs. The new files are redirected when it returns,
/// or, if the call must be the caller's own, at the next call of these four.
void *openAttached(const char *Name, int Mode) {
  const auto Caller = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  redirectIfAttached();
  if (!Name || dependsOnCaller(Name, Caller))
    INMEM_TAIL return NextOpen.get()(Name, Mode);
  void *Handle = NextOpen.get()(Name, Mode);
  if (Handle)
    redirectIfAttached();
  return Handle;
}

void *openInAttached(long Space, const char *Name, int Mode) {
  redirectIfAttached();
  INMEM_TAIL return NextOpenIn.get()(Space, Name, Mode);
}

void *findSymbolAttached(void *Handle, const char *Name) {
  redirectIfAttached();
  INMEM_TAIL return NextSymbolOf.get()(Handle, Name);
}

void redirectAll() {
  static const AttachedFunction kLoading[] = {
      {"dlopen", reinterpret_cast<void *>(&openAttached)},
      {"dlmopen", reinterpret_cast<void *>(&openInAttached)},
      {"dlsym", reinterpret_cast<void *>(&findSymbolAttached)}};
  redirectNewFiles(kLoading, sizeof kLoading / sizeof kLoading[0]);
}

/// Frees a block that is not recorded because it is from before attaching.
INMEM_IN_HOOKS __attribute__((noinline)) void freeEarlier(void *P) {
  if (P && Process.State == InitState::Ready && Process.Recording &&
      !KeptSealed && !isUnnoticedChild())
    __atomic_fetch_add(&Process.Trace.header()->EarlierFrees, 1,
                       __ATOMIC_RELAXED);
  Real.free(P);
}

/// False if blocks from after attaching may be unrecorded, too.
bool recordsEachBlock() {
  const Options &O = Process.Config;
  return !Process.Filtered && !O.Include.Value[0] && !O.Exclude.Value[0] &&
         O.Start.Index == Options::StartOn;
}

/// Called when attached again: no block, thread or file of the last trace
/// belongs to the next one. A thread may still be in the middle of an event of
/// the last trace; it then counts in memory that stays mapped, under a site
/// that the next trace does not have.
void beginAgain() {
  SignalsBlocked Meanwhile;
  Locked L(Process.Mutex);
  forgetWatches();
  forgetProfile();
  abandonThreads();
  Process.Trace.giveUp();
  forgetTrace(/*KeepMapped=*/false);
  // A thread that has loaded a hook's address before may enter the hook later,
  // and must not start recording with the last options.
  __atomic_store_n(&Process.State, InitState::Off, __ATOMIC_RELEASE);
  clearIndex();
  // Restores the state before start(), since the last options may have changed
  // it.
  Real.CheckedUpTo = Real.LeastRequest ? Real.LeastRequest - 1 : 0;
  Real.NewCheckedUpTo = Real.OperatorsReplaced ? SIZE_MAX : Real.CheckedUpTo;
  Process.WasStopped = Process.Filtered = Process.WritesEvents = false;
}

void noteMessage(const char *Line) {
  char *Message = __inmem_attachment.Message;
  if (!Message[0])
    strncpy(Message, Line, sizeof __inmem_attachment.Message - 1);
}

bool areGood(const char *Spec) {
  static constinit Options Scratch = {};
  memset(__inmem_attachment.Message, 0, sizeof __inmem_attachment.Message);
  parseOptions(Spec, Scratch, noteMessage);
  return !__inmem_attachment.Message[0];
}

/// Publishes the slots and the trace for the tool.
void describe() {
  Attachment &A = __inmem_attachment;
  A.Slots = reinterpret_cast<uintptr_t>(patchedSlots().Data);
  A.SlotCount = patchedSlots().Count;
  memset(A.Trace, 0, sizeof A.Trace);
  strncpy(A.Trace, Process.Trace.path(), sizeof A.Trace - 1);
}

/// Room in the trace for the first events of the threads that run: they come
/// together, and each would wait until the file has grown for another.
void prepareTrace() {
  constexpr uint64_t kMostThreads = 128, kOfThread = 40 << 10,
                     kOfAll = 64 << 10;
  const uint64_t Count = countTasks();
  Process.Trace.prepare(kOfAll + (Count < kMostThreads ? Count : kMostThreads) *
                                     kOfThread);
}

void setState(AttachState State) {
  __atomic_store(&__inmem_attachment.State, &State, __ATOMIC_RELEASE);
}

AttachResult attachNow(const char *Spec) {
  if (__inmem_attachment.State == AttachState::Attached ||
      Process.State == InitState::Ready)
    return AttachResult::NotNow;
  if (!areGood(Spec)) {
    setState(AttachState::Detached); // with other options it may be attached
    return AttachResult::BadOptions;
  }
  {
    Guarded G(Thread);
    expectAttaching();
    resolveAllocator();
    if (__inmem_attachment.State == AttachState::Detached)
      beginAgain();
    allowSnapshotThread();
    if (!startAttached(Spec)) {
      setState(AttachState::Detached);
      return AttachResult::CannotRecord;
    }
  }
  setState(AttachState::Attached);
  Real.FreeUnrecorded = recordsEachBlock() ? freeEarlier : Real.free;
  redirectAll();
  describe();
  Guarded G(Thread);
  if (Process.Config.Start.Index == Options::StartOn) {
    Locked L(Process.Mutex);
    prepareTrace();
    setRecording(true);
  }
  startSnapshots();
  startWatchOption();
  startProfileOption();
  return AttachResult::Done;
}

AttachResult detachNow() {
  if (__inmem_attachment.State != AttachState::Attached ||
      Process.State != InitState::Ready)
    return AttachResult::NotNow;
  setState(AttachState::Detached);
  {
    Guarded G(Thread);
    leaveFormerRows(Thread);
    Locked L(Process.Mutex);
    setRecording(false);
  }
  restoreFiles();
  endWatches();
  {
    Guarded G(Thread);
    endSnapshots();
  }
  finish(/*WriteReport=*/true, /*ByExit=*/true);
  Guarded G(Thread);
  Locked L(Process.Mutex);
  // If another thread is in the middle of an event, it writes the rest to a
  // private copy.
  Process.Trace.detach();
  KeptSealed = false;
  stopRepairing();
  stopListeningToSignals();
  __atomic_store_n(&Process.State, InitState::Off, __ATOMIC_RELEASE);
  Real.FreeUnrecorded = Real.free;
  updateAllFastPaths();
  return AttachResult::Done;
}

/// Call when no thread is in the middle of an event, and none will be.
AttachResult releaseNow() {
  if (__inmem_attachment.State != AttachState::Detached ||
      Process.State != InitState::Off)
    return AttachResult::NotNow;
  Guarded G(Thread);
  beginAgain();
  Process.Trace.releaseGivenUp();
  return AttachResult::Done;
}

} // namespace

} // namespace inmem::rt

INMEM_EXPORT uint32_t __inmem_attach(const char *Options) {
  return static_cast<uint32_t>(attachNow(Options));
}

INMEM_EXPORT uint32_t __inmem_detach() {
  return static_cast<uint32_t>(detachNow());
}

INMEM_EXPORT uint32_t __inmem_release() {
  return static_cast<uint32_t>(releaseNow());
}

//===- HeapSnapshot.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/HeapSnapshot.h"

#include "graph/Types.h"
#include "heap/HeapWriter.h"
#include "hot/Mapped.h"
#include "hot/Recorder.h"
#include "hot/Threads.h"
#include "platform/Message.h"
#include "platform/OwnPages.h"
#include "platform/Process.h"
#include "platform/Signals.h"
#include "registry/Texts.h"
#include "state/Runtime.h"
#include "state/TracePath.h"

namespace inmem::rt {

namespace {

constexpr size_t kMostThreads = 4096;
constexpr unsigned kMostWriting = 16;
/// A process that writes a snapshot.
struct Child {
  int Pid; ///< 0: unused
  uint32_t Number;
  bool InPlace;
};
constinit Child Writing[kMostWriting] = {};
constinit uint32_t Taken = 0;
constinit int64_t PeakTaken = 0;
constinit uintptr_t Here =
    0; ///< stack pointer of the thread that takes a snapshot

/// "app.inmem" -> "app.heap", "app.2.heap".
void nameSnapshot(PathBuilder &Out, uint32_t Number) {
  const char *Trace = Process.Trace.path();
  constexpr size_t kSuffix = sizeof ".inmem" - 1;
  size_t Length = strlen(Trace);
  if (Length > kSuffix && strcmp(Trace + Length - kSuffix, ".inmem") == 0)
    Length -= kSuffix;
  for (size_t I = 0; I < Length; ++I)
    Out.add(Trace[I]);
  if (Number > 1)
    Out.add('.').number(Number);
  Out.add(".heap");
}

/// The path of a snapshot, and its path while it is being written. Guarded by
/// the mutex; not on the stack, which may be small.
constinit char Path[1100] = {}, Part[1200] = {};

void namePaths(const Child &C) {
  PathBuilder PathOut(Path, sizeof Path), PartOut(Part, sizeof Part);
  nameSnapshot(PathOut, C.InPlace ? 1 : C.Number);
  PartOut.add(Path).add('.').number(C.Number).add(".part");
}

/// Threads as the kernel lists them, including ones that have allocated
/// nothing.
struct ThreadList {
  Pages<ThreadPosition> Positions;

  void add(uint32_t Tid) {
    ThreadPosition P = {};
    P.Tid = Tid;
    P.StackPointer = Tid == threadId() ? Here : stackPointerOf(Tid);
    readThreadName(Tid, P.Name);
    for (ThreadRows *B = AllThreadRows; B; B = B->Next)
      if (B->State && B->Tid == Tid) {
        P.ThreadPointer = reinterpret_cast<uintptr_t>(B->ThreadPointer);
        P.OwnState = reinterpret_cast<uintptr_t>(B->State);
        P.OwnBytes = sizeof(ThreadState);
      }
    if (Positions.size() < kMostThreads)
      Positions.add(P);
  }
};

struct ChildWork {
  int Fd;
  uint64_t Start, PauseNs;
  ThreadList *Threads;
  ResidentPages *Resident;
  SnapshotUse Use;
  bool Good;
};

void writeInChild(void *Context) {
  auto &C = *static_cast<ChildWork *>(Context);
  knownTypes().refreshLocked();
  HeapWriter Writer(C.Fd, C.Threads->Positions.data(),
                    C.Threads->Positions.size(), *C.Resident,
                    C.Use == SnapshotUse::Objects);
  C.Good = Writer.write(C.PauseNs) && renameFile(Part, Path);
  if (C.Good && C.Use == SnapshotUse::Verified)
    Writer.tryRemedies(Path);
}

[[noreturn]] void actInChild(ChildWork &C) {
  C.PauseNs = monotonicNs() - C.Start; // the parent resumes here
  beginPagesOfChild();
  closeOtherFiles(C.Fd);
  C.Resident->scanInChild();
  keepAddressesReadable();
  resetIndexLocks();
  becomeMappedOfChild();
  Process.Mutex.reset();
  forgetGraphs();
  resetTextLock();
  constexpr size_t kStack = 2 << 20;
  const bool Ran = runOnOwnStack(kStack, writeInChild, &C);
  exitNow(Ran && C.Good ? 0 : 1);
}

/// Reaps finished writers. \p Wait: waits for all.
void collectWriters(bool Wait) {
  for (Child &C : Writing) {
    const ChildState State = C.Pid ? reapWriter(C.Pid, Wait) : ChildState::Runs;
    if (State == ChildState::Runs)
      continue;
    if (State == ChildState::Failed) {
      namePaths(C);
      removeFile(Part);
      Message()
          .text("the heap snapshot '")
          .text(Path)
          .text("' could not be written")
          .emit();
    }
    C.Pid = 0;
  }
}

} // namespace

__attribute__((noinline)) void takeHeapSnapshot(bool InPlace, SnapshotUse Use) {
  // Spills registers: from here on their values are on the stack.
  __builtin_unwind_init();
  Here = stackPointer();
  if (Process.State != InitState::Ready || !Process.Trace.onDisk())
    return;
  // An in-place snapshot replaces an older one, which must be finished first.
  collectWriters(InPlace);
  Child *Slot = nullptr;
  for (Child &C : Writing)
    if (!C.Pid)
      Slot = &C;
  if (!Slot) {
    collectWriters(true);
    Slot = &Writing[0];
  }
  *Slot = {0, ++Taken, InPlace};
  namePaths(*Slot);
  removeFile(Part);
  const int Fd = createFile(Part);
  if (Fd < 0) {
    Message()
        .text("cannot create the heap snapshot '")
        .text(Path)
        .text("'")
        .emit();
    return;
  }
  static constinit char Room[sizeof(ThreadList)] = {};
  memset(Room, 0, sizeof Room);
  auto &Threads = *reinterpret_cast<ThreadList *>(Room);
  forEachTask([](void *List,
                 uint32_t Tid) { static_cast<ThreadList *>(List)->add(Tid); },
              &Threads);
  alignas(
      ResidentPages) static constinit char Pages[sizeof(ResidentPages)] = {};
  memset(Pages, 0, sizeof Pages);
  auto &Resident = *reinterpret_cast<ResidentPages *>(Pages);
  ChildWork C = {Fd, monotonicNs(), 0, &Threads, &Resident, Use, false};
  Resident.scanInParent();
  lockIndex();
  lockMapped();
  const int Pid = forkQuietly();
  if (Pid == 0)
    actInChild(C);
  unlockMapped();
  unlockIndex();
  Threads.Positions.release();
  Resident.release();
  closeFile(Fd);
  if (Pid < 0) {
    removeFile(Part);
    Message().text("cannot fork for a heap snapshot").emit();
    return;
  }
  Slot->Pid = Pid;
}

/// True if \p Size, in live or resident bytes, is an eighth above the last peak
/// that was taken.
static bool isHeapPeak(int64_t Size) {
  constexpr int64_t kLeast = 1 << 16;
  return Size >= kLeast && Size > PeakTaken + PeakTaken / 8;
}

void considerHeapPeak(int64_t Live) {
  const bool OfRss = Process.Config.HeapAt == Options::HeapAtRss;
  const int64_t Size = OfRss ? static_cast<int64_t>(residentBytes()) : Live;
  if (!isHeapPeak(Size))
    return;
  SlowPath Scope(Thread);
  SignalsBlocked Meanwhile;
  Locked L(Process.Mutex);
  if (!isHeapPeak(Size))
    return;
  PeakTaken = Size;
  takeHeapSnapshot(/*InPlace=*/true);
}

void waitForHeapSnapshots() { collectWriters(true); }

void forgetHeapSnapshots() {
  for (Child &C : Writing)
    C.Pid = 0;
  Taken = 0;
  PeakTaken = 0;
}

} // namespace inmem::rt

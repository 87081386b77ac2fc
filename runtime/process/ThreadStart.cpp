//===- ThreadStart.cpp - Calls that start or end a recorded thread --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A new thread gets its rows before it runs a line of the program, so that
// its counters of objects are its own from the first one on.
//
//===----------------------------------------------------------------------===//
#include "allocator/Allocator.h"
#include "hot/CallerPaths.h"
#include "hot/Recorder.h"
#include "hot/Threads.h"
#include "platform/Errors.h"
#include "platform/Interpose.h"
#include "platform/Process.h"
#include "platform/Tasks.h"
#include "process/End.h"
#include "profiler/ListedThreads.h"
#include "registry/Modules.h"
#include "state/Runtime.h"
#include "threads/ThreadLifetimes.h"
#include "unwind/Unwind.h"
#include "workers/OwnThread.h"

#include <pthread.h>
#include <unistd.h>

#ifdef INMEM_STATIC
extern "C" int __real_pthread_create(pthread_t *, const pthread_attr_t *,
                                     void *(*)(void *), void *);
#endif

namespace inmem::rt {

namespace {

struct Start {
  void *(*Routine)(void *);
  void *Argument;
  Start *Next;
};
constinit Start *FreeStarts = nullptr;

Start *takeStart() {
  Locked L(Process.Mutex);
  if (Start *S = FreeStarts) {
    FreeStarts = S->Next;
    return S;
  }
  return static_cast<Start *>(arenaAllocate(sizeof(Start)));
}

void recycleStart(Start *S) {
  Locked L(Process.Mutex);
  S->Next = FreeStarts;
  FreeStarts = S;
}

__attribute__((section("inmem_starts"))) void *run(void *Argument) {
  ThreadState &T = Thread;
  Start Mine;
  {
    Guarded G(T);
    auto *S = static_cast<Start *>(Argument);
    Mine = *S;
    recycleStart(S);
    if (ensureStarted()) {
      const ThreadStart Begins = findThreadStart(
          reinterpret_cast<uintptr_t>(Mine.Routine), Mine.Argument);
      Locked L(Process.Mutex);
      if (!T.Rows)
        attachThread(T);
      // Under the same lock, so that a watcher reports a thread with its start.
      if (T.Rows)
        setThreadStart(*T.Rows, Begins);
    }
    enlistThread();
    expectThread(false);
  }
  void *Result = Mine.Routine(Mine.Argument);
  // No tail call: stack walks end at this frame.
  __asm__ volatile("" : "+r"(Result));
  return Result;
}

#ifdef INMEM_STATIC
CreateFunction *realCreate() { return __real_pthread_create; }
#else
INMEM_NEXT_FUNCTION(NextCreate, "pthread_create", CreateFunction);
CreateFunction *realCreate() { return NextCreate.get(); }

__attribute__((constructor(101))) void findHiddenFunctions() {
  suspend(Thread);
  findNextSymbols();
  auto *First =
      reinterpret_cast<CreateFunction *>(firstSymbol("pthread_create"));
  if (First != pthread_create) // pthread_create is ours
    useToCreateThreads(First);
  resume(Thread);
}
#endif

} // namespace

} // namespace inmem::rt

using namespace inmem::rt;

INMEM_EXPORT int
INMEM_INTERPOSED(pthread_create)(pthread_t *Id,
                                 const pthread_attr_t *Attributes,
                                 void *(*Routine)(void *), void *Argument) {
  ThreadState &T = Thread;
  CreateFunction *Create = realCreate();
  if (!Create)
    return EAGAIN; // no thread library in this process
  if (isInside(T))
    return OwnThread::createLaunching(Create, Id, Attributes, Routine,
                                      Argument);
  Start *S;
  {
    Guarded G(T);
    S = takeStart();
    if (S) {
      S->Routine = Routine;
      S->Argument = Argument;
    }
  }
  if (!S)
    return Create(Id, Attributes, Routine, Argument);
  expectThread(true);
  int Error = Create(Id, Attributes, run, S);
  if (Error != 0) {
    expectThread(false);
    Guarded G(T);
    recycleStart(S);
  }
  return Error;
}

#ifndef INMEM_STATIC
INMEM_NEXT_FUNCTION(NextSetName, "pthread_setname_np",
                    int(pthread_t, const char *));
INMEM_NEXT_FUNCTION(NextClose, "dlclose", int(void *));

INMEM_EXPORT int pthread_setname_np(pthread_t Id, const char *Name) {
  auto *SetName = NextSetName.get();
  if (!SetName)
    return ENOSYS;
  const int Error = SetName(Id, Name);
  ThreadState &T = Thread;
  if (Error == 0 && !isInside(T) && Process.State == InitState::Ready) {
    SlowPath Inside(T);
    Locked L(Process.Mutex);
    threadWasNamed(reinterpret_cast<const void *>(threadPointerOf(Id)), Name);
  }
  return Error;
}

/// Other code may later be loaded at the library's address, so forget facts
/// about addresses.
INMEM_EXPORT int dlclose(void *Handle) {
  auto *Close = NextClose.get();
  pauseSampling(); // a walk may be reading that library's unwind tables
  int Result = Close ? Close(Handle) : -1;
  resumeSampling();
  forgetCode();
  ThreadState &T = Thread;
  if (!isInside(T) && Process.State == InitState::Ready) {
    Guarded G(T);
    Locked L(Process.Mutex);
    forgetUnloadedCallers();
    forgetCallerPaths();
  }
  return Result;
}
#endif

/// Ending without atexit handlers is still an orderly end.
INMEM_EXPORT __attribute__((noreturn)) void
INMEM_INTERPOSED(_exit)(int Status) {
  finish(true);
  exitNow(Status);
}
INMEM_EXPORT __attribute__((noreturn)) void
INMEM_INTERPOSED(_Exit)(int Status) {
  finish(true);
  exitNow(Status);
}

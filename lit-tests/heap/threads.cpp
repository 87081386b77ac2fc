// Intent: what threads hold counts as held: on their stacks, below a signal's frame and on a signal's own stack too, in registers where these
// are saved, and in thread-local variables, also of a library that was loaded later; while a thread is on a signal's stack, on its usual one, too;
// and so is what threads that run just then hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clangxx -std=c++17 -O1 -fPIC -shared -DLIBRARY %s -o %t/liblate.so
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t/program -ldl
// RUN: env INMEM_OPTIONS=output=%t/app.inmem %t/program %t/liblate.so
// RUN: %inmem heap --format json %t/app.heap -o %t/app.json
// RUN: %python %inputs/heap.py %t/app.json --in %s --prefix APP
// APP: types["OnStack"].objects == 4
// APP: types["InVariable"].objects == 4
// APP: types["InLibrary"].objects == 4
// APP: types["InHandler"].objects == 1
// APP: types["OnOwnStack"].objects == 1
// APP: types["InRegister"].objects == 1
// APP: types["Below"].objects == 2
// APP: totals.unreachable_bytes == 0
// APP: leaks == []
// RUN: %inmem heap --why InVariable --top 0 %t/app.heap | %FileCheck %s --check-prefix=VARIABLE
// VARIABLE-COUNT-4: thread-local Mine of thread
// RUN: %inmem heap --why OnStack --top 0 %t/app.heap | %FileCheck %s --check-prefix=STACK
// STACK-COUNT-4: stack of thread
// RUN: env INMEM_OPTIONS=output=%t/lost.inmem %t/program %t/liblate.so lost
// RUN: %inmem heap --format json %t/lost.heap -o %t/lost.json
// RUN: %python %inputs/heap.py %t/lost.json --in %s --prefix LOST
// LOST: leaks["OnStack"].objects == 4
// LOST: leaks["InVariable"].objects == 4
// LOST: leaks["InLibrary"].objects == 4
// LOST: leaks["InHandler"].objects == 1
// LOST: leaks["OnOwnStack"].objects == 1
// LOST: leaks["InRegister"].objects == 1
// LOST: leaks["Below"].objects == 2
// RUN: env INMEM_OPTIONS=output=%t/busy.inmem %t/program %t/liblate.so held busy
// RUN: %inmem heap --format json %t/busy.heap -o %t/busy.json
// RUN: %python %inputs/heap.py %t/busy.json 'types["Below"].objects == 2' 'leaks == []'
#include <inmem/inmem.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <memory>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#ifdef LIBRARY
struct InLibrary {
  long Value[7];
};
static thread_local std::unique_ptr<InLibrary> Held;
extern "C" void hold() { Held = std::make_unique<InLibrary>(); }
extern "C" void drop() { (void)Held.release(); }
#else
struct OnStack {
  long Value[3];
};
struct InVariable {
  long Value[5];
};
struct InHandler {
  long Value[9];
};
struct OnOwnStack {
  long Value[11];
};
struct InRegister {
  long Value[13];
};
struct Below {
  long Value[15];
};

static thread_local InVariable *Mine;
static bool Loses;
static sem_t Ready, End;
static void (*Hold)(), (*Drop)();

template <class T> [[gnu::noinline]] static T *make() {
  T *Made = new T();
  asm volatile("" : "+r"(Made)::"memory");
  return Made;
}
/// What calls have left on the stack leads to objects, too.
[[gnu::noinline]] static void wipe() {
  volatile char Room[16 * 1024];
  for (volatile char &C : Room)
    C = 0;
}
static std::atomic<int> Waiting[16], Waiters;
[[gnu::noinline]] static void waitForTheEnd() {
  wipe();
  Waiting[Waiters++] = gettid();
  sem_post(&Ready);
  while (sem_wait(&End) != 0)
    continue;
}
/// Until then, where its stack is is unknown.
static void untilItWaits(int Thread) {
  char Path[64], State[8] = "running";
  std::snprintf(Path, sizeof Path, "/proc/self/task/%d/syscall", Thread);
  while (std::strncmp(State, "run", 3) == 0) {
    const int File = open(Path, O_RDONLY);
    if (read(File, State, sizeof State) < 3)
      std::abort();
    close(File);
  }
}
/// Where it lies is known by nothing but a variable of this call.
template <class T> [[gnu::noinline]] static void keepOnStack() {
  T *volatile Kept = make<T>();
  if (Loses)
    Kept = nullptr;
  waitForTheEnd();
  delete Kept;
}
/// And here by a register that calls preserve, and so save.
[[gnu::noinline]] static void keepInRegister() {
  InRegister *Kept = make<InRegister>();
  if (Loses)
    Kept = nullptr;
  asm volatile("" : "+r"(Kept));
  waitForTheEnd();
  asm volatile("" : "+r"(Kept));
  delete Kept;
}
static void inAThread() {
  Mine = make<InVariable>();
  Hold();
  if (Loses) {
    Mine = nullptr;
    Drop();
  }
  keepOnStack<OnStack>();
  delete Mine;
}
static void onSignal(int) { keepOnStack<InHandler>(); }
static void onItsStack(int) { keepOnStack<OnOwnStack>(); }
static void takeSnapshot(int) {
  wipe();
  inmem_snapshot();
}
static void handle(int Signal, void (*By)(int), int Flags) {
  struct sigaction Action = {};
  Action.sa_handler = By;
  Action.sa_flags = Flags;
  sigaction(Signal, &Action, nullptr);
}
static void onAnotherStack(int Signal) {
  constexpr size_t Bytes = 256 * 1024;
  Below *volatile Kept = make<Below>();
  if (Loses)
    Kept = nullptr;
  stack_t Stack = {};
  Stack.ss_sp = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Stack.ss_size = Bytes;
  sigaltstack(&Stack, nullptr);
  wipe();
  raise(Signal);
  Stack.ss_flags = SS_DISABLE;
  sigaltstack(&Stack, nullptr);
  munmap(Stack.ss_sp, Bytes);
  delete Kept;
}

/// A running thread's stack pointer is unknown.
static std::atomic<int> Running;
static std::atomic<bool> Taken;
[[gnu::noinline]] static void spin() {
  Below *volatile Kept = make<Below>();
  wipe();
  ++Running;
  while (!Taken)
    continue;
  delete Kept;
}
static int takeWhileOthersRun() {
  std::thread Other(spin);
  std::thread Taker([] {
    while (Running != 2)
      continue;
    inmem_snapshot();
    Taken = true;
  });
  spin();
  Other.join();
  Taker.join();
  return 0;
}

int main(int Count, char **Arguments) {
  if (Count > 3)
    return takeWhileOthersRun();
  Loses = Count > 2;
  void *Library = dlopen(Arguments[1], RTLD_NOW);
  if (!Library)
    return 1;
  Hold = reinterpret_cast<void (*)()>(dlsym(Library, "hold"));
  Drop = reinterpret_cast<void (*)()>(dlsym(Library, "drop"));
  sem_init(&Ready, 0, 0);
  sem_init(&End, 0, 0);
  handle(SIGUSR1, onSignal, 0);
  handle(SIGUSR2, onItsStack, SA_ONSTACK);
  handle(SIGALRM, takeSnapshot, SA_ONSTACK);
  std::vector<std::thread> All;
  for (int I = 0; I < 4; ++I)
    All.emplace_back(inAThread);
  All.emplace_back([] { raise(SIGUSR1); });
  All.emplace_back([] { onAnotherStack(SIGUSR2); });
  All.emplace_back(keepInRegister);
  for (size_t I = 0; I < All.size(); ++I)
    while (sem_wait(&Ready) != 0)
      continue;
  for (int I = 0; I < Waiters; ++I)
    untilItWaits(Waiting[I]);
  onAnotherStack(SIGALRM);
  for (size_t I = 0; I < All.size(); ++I)
    sem_post(&End);
  for (std::thread &Each : All)
    Each.join();
}
#endif

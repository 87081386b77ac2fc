// Intent: samples leave alone what programs do with stacks, signals, processes and libraries, and count what they cannot walk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -g -O1 -pthread %s -o %t -ldl
// RUN: %clangxx -shared -fPIC -O1 -DLIBRARY %s -o %t.so
// RUN: %record %t.stacks.json profile=1ms:profile_clock=cpu -- %t stacks
// RUN: %expect %t.stacks.json --in %s --prefix STACKS
// STACKS: report.profile.samples > 20
// STACKS: [f for f in report.profile.functions if f.function.startswith("fiber") and f.self > 0]
// STACKS: [f for f in report.profile.functions if f.function.startswith("onAlternate") and f.total > 0]
// STACKS: [f for f in report.profile.functions if f.function.startswith("raiser") and f.total > 0]
// RUN: %record %t.small.json profile=1ms:profile_clock=cpu -- %t small
// RUN: %expect %t.small.json 'report.profile.samples > 400' '[f for f in report.profile.functions if f.function.startswith("afterwards") and f.total > 100]'
// RUN: %record %t.small-wall.json profile=1ms -- %t small
// RUN: %expect %t.small-wall.json 'report.profile.signal_blocked > 10' '[f for f in report.profile.functions if f.function.startswith("afterwards") and f.total > 10]'
// RUN: %record %t.signals.json profile=1ms:profile_clock=cpu -- %t signals
// RUN: %expect %t.signals.json 'report.profile.unwound > 10' 'report.profile.signal_blocked > 100'
// RUN: %record %t.blocked.json profile=2ms -- %t signals
// RUN: %expect %t.blocked.json 'report.profile.signal_blocked > 10'
// RUN: %record %t.waits.json profile=1ms:profile_clock=cpu -- %t waits
// RUN: %expect %t.waits.json 'report.profile.signal_blocked > 60' '[f for f in report.profile.functions if f.function.startswith("afterwards") and f.total > 100]'
// RUN: %record %t.wall-waits.json profile=1ms -- %t waits
// RUN: %expect %t.wall-waits.json 'report.profile.signal_blocked > 10' '[f for f in report.profile.functions if f.function.startswith("afterwards") and f.total > 10]'
// RUN: %record %t.taken.json profile=1ms:profile_clock=cpu -- %t taken
// RUN: %expect %t.taken.json '[f for f in report.profile.functions if f.function.startswith("afterwards") and f.total > 0]'
// RUN: %record %t.short.json profile=5ms:profile_clock=cpu -- %t short > %t.cpu
// RUN: %expect %t.short.json 'abs(report.profile.samples * 0.005 / float(open("%{t}.cpu").read()) - 1) < 0.35' --in %s --prefix SHORT
// SHORT: [t for t in report.profile.threads if t["thread"] == "short"]
// SHORT: report.profile.unwound > 0.9 * report.profile.samples
// SHORT: [f for f in report.profile.functions if "shortLived" in f.function and f.total > 0.8 * report.profile.samples]
// RUN: %record %t.between.json profile=1ms:profile_clock=cpu -- %t between
// RUN: %expect %t.between.json --in %s --prefix BETWEEN
// BETWEEN: [f for f in report.profile.functions if f.function.startswith("afterwards") and 120 < f.total < 280]
// BETWEEN: 380 < report.profile.samples < 520
// BETWEEN: report.profile.signal_blocked < 40
// RUN: %record %t.processes.json profile=1ms:profile_clock=cpu -- %t processes
// RUN: %record %t.wall.json profile=1ms -- %t processes
// RUN: %record %t.code.json profile=1ms:profile_clock=cpu -- %t code %t.so
// RUN: %expect %t.code.json 'report.profile.samples > 20'
// RUN: %record %t.exec.json profile=1ms:profile_clock=cpu -- %t exec
// RUN: %record %t.cancel.json profile=1ms:profile_clock=cpu -- %t cancel
// RUN: %inmem-clangxx -std=c++17 -g -O1 -fsanitize=address -pthread %s -o %t.asan -ldl
// RUN: env INMEM_OPTIONS=output=%t.asan.inmem:profile=1ms:profile_clock=cpu %t.asan processes
// RUN: env INMEM_OPTIONS=output=%t.asan.inmem:profile=1ms:profile_clock=cpu %t.asan cancel
#ifdef LIBRARY
volatile double Sum;
extern "C" void work() {
  for (int I = 0; I < 300000; ++I)
    Sum = Sum + I;
}
#else
#include "../Inputs/until.h"
#include <inmem/threads.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#define CHECK(X)                                                               \
  do {                                                                         \
    if (!(X)) {                                                                \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, #X);                     \
      std::_Exit(1);                                                           \
    }                                                                          \
  } while (false)

static double cpuTime() {
  timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return double(T.tv_sec) + double(T.tv_nsec) * 1e-9;
}
__attribute__((noinline)) static void spin(double Seconds) {
  volatile double X = 1;
  for (const double End = cpuTime() + Seconds; cpuTime() < End;)
    for (int I = 0; I < 2000; ++I)
      X = X * 1.0000001;
}

//===----------------------------------------------------------------------===//
// Small and alternate stacks
//===----------------------------------------------------------------------===//

constexpr size_t kFiberBytes = 4096;
alignas(16) static unsigned char FiberStack[kFiberBytes];
static ucontext_t Main, Fiber;

/// Calls nothing: below its red zone the stack stays as it is.
__attribute__((noinline)) static void fiberWork() {
  auto *Here = static_cast<unsigned char *>(__builtin_frame_address(0));
  auto *Below = Here - 1024;
  CHECK(Below > FiberStack);
  for (volatile unsigned char *P = FiberStack; P < Below; ++P)
    *P = 0x5a;
  volatile double X = 1;
  for (int I = 0; I < 60000000; ++I)
    X = X * 1.0000001;
  for (volatile unsigned char *P = FiberStack; P < Below; ++P)
    if (*P != 0x5a)
      std::_Exit(7);
}
static void fiber() { fiberWork(); }

/// A handler's frame on the program's own alternate stack.
__attribute__((noinline)) static void onAlternate(int) {
  spin(0.1);
  asm volatile("");
}
__attribute__((noinline)) static void raiser() {
  raise(SIGUSR1);
  asm volatile("");
}

static void stacks() {
  getcontext(&Fiber);
  Fiber.uc_stack.ss_sp = FiberStack;
  Fiber.uc_stack.ss_size = kFiberBytes;
  Fiber.uc_link = &Main;
  makecontext(&Fiber, fiber, 0);
  CHECK(swapcontext(&Main, &Fiber) == 0);
  std::thread([] {
    static char Own[65536];
    stack_t S = {};
    S.ss_sp = Own;
    S.ss_size = sizeof Own;
    CHECK(sigaltstack(&S, nullptr) == 0);
    struct sigaction A = {};
    A.sa_handler = onAlternate;
    A.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &A, nullptr);
    raiser();
    stack_t Now;
    CHECK(sigaltstack(nullptr, &Now) == 0 && Now.ss_sp == Own);
  }).join();
  pthread_attr_t Small;
  pthread_attr_init(&Small);
  pthread_attr_setstacksize(&Small, 16384);
  pthread_t Id;
  CHECK(pthread_create(
            &Id, &Small, [](void *) -> void * { return spin(0.1), nullptr; },
            nullptr) == 0);
  pthread_join(Id, nullptr);
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

static std::atomic<int> Ticks{0};

/// The program's profiler keeps its timer; a thread blocks all signals.
static void signals() {
  struct sigaction A = {};
  A.sa_handler = [](int) { ++Ticks; };
  A.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &A, nullptr);
  itimerval Each = {{0, 5000}, {0, 5000}};
  setitimer(ITIMER_PROF, &Each, nullptr);
  std::thread Deaf([] {
    sigset_t All;
    sigfillset(&All);
    pthread_sigmask(SIG_SETMASK, &All, nullptr);
    spin(0.4);
  });
  spin(0.3);
  Deaf.join();
  CHECK(Ticks > 20);
  struct sigaction Now;
  sigaction(SIGPROF, nullptr, &Now);
  CHECK(Now.sa_handler == A.sa_handler);
}

__attribute__((noinline)) static void afterwards() {
  spin(0.2);
  asm volatile("");
}
/// Threads whose alternate stack has no room for the kernel's frame: a signal
/// there would end the process, or write below the stack.
static void smallStacks() {
  constexpr size_t kGuard = 65536;
  auto *Pages = static_cast<char *>(mmap(nullptr, 2 * kGuard,
                                         PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(Pages, kGuard, PROT_NONE);
  const auto Set = [Pages](size_t Bytes) {
    stack_t S = {};
    S.ss_sp = Pages + kGuard;
    S.ss_size = Bytes;
    S.ss_flags = Bytes ? 0 : SS_DISABLE;
    return sigaltstack(&S, nullptr) == 0;
  };
  for (size_t Bytes = 2048; Bytes <= 8192; Bytes += 512)
    std::thread([&] {
      Set(Bytes);
      spin(0.02);
      stack_t Now;
      CHECK(sigaltstack(nullptr, &Now) == 0 && (Now.ss_flags & SS_ONSTACK) == 0);
    }).join();
  std::thread([&] {
    for (int I = 0; I < 2000; ++I) {
      CHECK(Set(0));
      spin(0.00005);
      Set(2048);
      spin(0.00005);
    }
    CHECK(Set(0));
    spin(0.2); // until the profiler looks
    afterwards();
  }).join();
}

/// A thread blocks all signals, runs, and waits for all of them: it is given
/// those that the program sends, and no others.
static void waits() {
  std::atomic<int> Rounds{0}, Tid{0};
  std::thread Waiter([&Rounds, &Tid] {
    Tid = gettid();
    sigset_t All, Before;
    sigfillset(&All);
    pthread_sigmask(SIG_SETMASK, &All, &Before);
    spin(0.1);
    int Signal = 0;
    ++Rounds;
    CHECK(sigwait(&All, &Signal) == 0 && Signal == SIGUSR1);
    spin(0.05);
    siginfo_t Info;
    ++Rounds;
    CHECK(sigwaitinfo(&All, &Info) == SIGRTMAX - 1 &&
          Info.si_value.sival_int == 42);
    spin(0.05);
    timespec Span = {0, 60000000}, Start, End;
    clock_gettime(CLOCK_MONOTONIC, &Start);
    CHECK(sigtimedwait(&All, nullptr, &Span) == -1 && errno == EAGAIN);
    clock_gettime(CLOCK_MONOTONIC, &End);
    CHECK(End.tv_sec - Start.tv_sec + (End.tv_nsec - Start.tv_nsec) * 1e-9 >=
          0.06);
    sigset_t Some;
    sigemptyset(&Some);
    CHECK(sigtimedwait(&Some, nullptr, &Span) == -1 && errno == EAGAIN);
    pthread_sigmask(SIG_SETMASK, &Before, nullptr);
    afterwards();
  });
  // It has arrived in the wait.
  const auto Until = [&](int Round) {
    UNTIL(Rounds >= Round && stateOfThread(Tid) == 'S');
  };
  Until(1);
  pthread_kill(Waiter.native_handle(), SIGUSR1);
  Until(2);
  sigval Value = {};
  Value.sival_int = 42;
  pthread_sigqueue(Waiter.native_handle(), SIGRTMAX - 1, Value);
  Waiter.join();
}

/// Takes every real-time signal that the profiler may have.
static void taken() {
  struct sigaction A = {};
  A.sa_handler = [](int) {};
  for (int Signal = SIGRTMAX; Signal > SIGRTMAX - 4; --Signal)
    sigaction(Signal, &A, nullptr);
  spin(0.05);
  afterwards();
}

//===----------------------------------------------------------------------===//
// Threads, processes, code
//===----------------------------------------------------------------------===//

/// 200 threads of 3 ms each, less than an interval and than a look. Prints the
/// seconds that they had of a processor by the kernel's own count, to which a
/// virtual machine adds what its host took.
static void shortLived() {
  double Sum = 0;
  for (int I = 0; I < 200; ++I)
    std::thread([&Sum] {
      pthread_setname_np(pthread_self(), "short");
      spin(0.003);
      Sum += cpuTime();
    }).join();
  std::printf("%g\n", Sum);
}

/// A machine so busy that no tick meets the thread: its timer never expires.
static void betweenTicks() {
  std::thread([] {
    spin(0.1);
    const itimerspec Never = {};
    for (int Timer = 0; Timer < 1000; ++Timer)
      syscall(SYS_timer_settime, Timer, 0, &Never, nullptr);
    afterwards();
    spin(0.1);
  }).join();
}

static void processes() {
  std::atomic<bool> Done{false};
  std::thread Busy([&] {
    while (!Done)
      delete new int;
  });
  for (int I = 0; I < 20; ++I) {
    const pid_t Child = fork();
    if (Child == 0) {
      if (I % 2)
        execl("/bin/true", "true", nullptr);
      dlclose(dlopen("libm.so.6", RTLD_NOW)); // waits for no handler
      if (I == 10 && inmem_profile_start) {
        CHECK(inmem::profile_start({std::chrono::milliseconds(1)}));
        spin(0.02);
        inmem::profile_stop();
      }
      _exit(0);
    }
    int Status = 0;
    CHECK(waitpid(Child, &Status, 0) == Child && Status == 0);
    CHECK(std::system("true") == 0);
  }
  Done = true;
  Busy.join();
}

static void code(const char *Library) {
  std::thread Other([] { spin(0.2); });
  for (int I = 0; I < 100; ++I) {
    void *Handle = dlopen(Library, RTLD_NOW);
    CHECK(Handle);
    reinterpret_cast<void (*)()>(dlsym(Handle, "work"))();
    dlclose(Handle);
  }
  Other.join();
}

static void cancel() {
  for (int I = 0; I < 40; ++I) {
    pthread_t Id;
    pthread_create(
        &Id, nullptr,
        [](void *) -> void * {
          pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
          for (volatile double X = 1;;)
            X = X * 1.0000001;
        },
        nullptr);
    timespec T = {0, 3000000 + I * 100000};
    nanosleep(&T, nullptr);
    pthread_cancel(Id);
    pthread_join(Id, nullptr);
  }
  dlclose(dlopen("libm.so.6", RTLD_NOW));
}

int main(int, char **Arguments) {
  const std::string What = Arguments[1];
  if (What == "stacks")
    stacks();
  else if (What == "signals")
    signals();
  else if (What == "small")
    smallStacks();
  else if (What == "waits")
    waits();
  else if (What == "taken")
    taken();
  else if (What == "short")
    shortLived();
  else if (What == "between")
    betweenTicks();
  else if (What == "processes")
    processes();
  else if (What == "code")
    code(Arguments[2]);
  else if (What == "cancel")
    cancel();
  else if (What == "exec") {
    std::thread([] { spin(1); }).detach();
    spin(0.1);
    execl("/bin/sh", "sh", "-c",
          "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", nullptr);
  }
}
#endif

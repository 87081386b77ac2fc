// Intent: a signal handler that leaves by siglongjmp, at any instruction,
// costs at most the event that it interrupted: the runtime notices that what it
// was doing is gone. A context that a handler leaves by swapcontext is not
// gone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fplugin-arg-inmem-objects=lifetime -pthread %s \
// RUN:   -o %t.exe
// RUN: %record %t.json -- %t.exe jumps > %t.counts
// RUN: %python %inputs/jumps.py %t.json %t.counts
// RUN: %if all-tiers %{ %record %t.json mode=trace -- %t.exe jumps > %t.counts %}
// RUN: %if all-tiers %{ %python %inputs/jumps.py %t.json %t.counts %}
// RUN: %record %t.json clock=events -- %t.exe alternate > %t.counts
// RUN: %python %inputs/jumps.py %t.json %t.counts
// RUN: %if all-tiers %{ %record %t.json stacks=4 -- %t.exe alternate > %t.counts %}
// RUN: %if all-tiers %{ %python %inputs/jumps.py %t.json %t.counts %}
// RUN: %record %t.json -- %t.exe threads > %t.counts
// RUN: %python %inputs/jumps.py %t.json %t.counts
// RUN: %record %t.json frees=on:stacks=4 -- %t.exe threads > %t.counts
// RUN: %python %inputs/jumps.py %t.json %t.counts
// RUN: %record %t.json -- %t.exe contexts > %t.counts
// RUN: %python %inputs/jumps.py --suspended %t.json %t.counts

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

/// Objects that are constructed while signals come, on the stack: no memory is
/// allocated meanwhile.
struct Plain {
  Plain();
  ~Plain();
  long value;
};
__attribute__((noinline)) Plain::Plain() : value(1) {}
__attribute__((noinline)) Plain::~Plain() { value = 0; }

/// Blocks that are counted when no signal comes any more.
struct After {
  long values[4];
};

template <int N> struct Other {
  Other() : value(N) {}
  ~Other() { value = 0; }
  long value;
};
/// Sites that are new to each thread: the way through the locks.
template <int N> __attribute__((noinline)) static void firsts() {
  Other<N> one;
  __asm__ volatile("" ::"r"(&one) : "memory");
  if constexpr (N > 1)
    firsts<N - 1>();
}

static std::atomic<long> jumps, objects, destroyed, blocks;
static thread_local sigjmp_buf back;
static thread_local volatile sig_atomic_t armed;

static void leave(int) {
  if (!armed)
    return;
  armed = 0;
  siglongjmp(back, 1);
}

static void catchSignal(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

static void makeTimer(int signal, timer_t *timer) {
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event._sigev_un._tid = static_cast<int>(syscall(SYS_gettid));
  timer_create(CLOCK_MONOTONIC, &event, timer);
  itimerspec often = {};
  often.it_interval.tv_nsec = often.it_value.tv_nsec = 50000;
  timer_settime(*timer, 0, &often, nullptr);
}

static void useAlternateStack() {
  static thread_local char memory[1 << 17];
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  sigaltstack(&stack, nullptr);
}

/// Deeper than where the jump goes to.
__attribute__((noinline)) static void constructSome(int depth) {
  volatile char room[200];
  room[0] = 0;
  Plain one;
  objects.fetch_add(1, std::memory_order_relaxed);
  if (depth > 0)
    constructSome(depth - 1);
  destroyed.fetch_add(1, std::memory_order_relaxed);
}

static void afterwards() {
  for (int i = 0; i < 1000; ++i) {
    After *volatile one = new After;
    delete one;
    blocks.fetch_add(1, std::memory_order_relaxed);
  }
}

static void jump(int wanted) {
  timer_t timer;
  makeTimer(SIGUSR1, &timer);
  volatile long mine = 0;
  while (mine < wanted) {
    if (sigsetjmp(back, 1) != 0) {
      jumps.fetch_add(1, std::memory_order_relaxed);
      mine = mine + 1;
      continue;
    }
    armed = 1;
    for (int i = 0; i < 1000; ++i) {
      constructSome(i % 4);
      Plain beside;
      objects.fetch_add(1, std::memory_order_relaxed);
      destroyed.fetch_add(1, std::memory_order_relaxed);
    }
    armed = 0;
  }
  timer_delete(timer);
  afterwards();
}

static void *shortThread(void *) {
  useAlternateStack();
  timer_t timer;
  makeTimer(SIGUSR1, &timer);
  for (int i = 0; i < 20; ++i) {
    if (sigsetjmp(back, 1) != 0)
      jumps.fetch_add(1, std::memory_order_relaxed);
    armed = 1;
    firsts<60>();
    armed = 0;
  }
  timer_delete(timer);
  afterwards();
  return nullptr;
}

// Two contexts, between which the handler switches: what one was doing, it goes
// on with.
static ucontext_t contexts[2];
static volatile int current;
static volatile sig_atomic_t switches, done;
static void switchOver(int) {
  if (done)
    return;
  ++switches;
  int from = current;
  current = 1 - from;
  swapcontext(&contexts[from], &contexts[1 - from]);
}
static void context(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  for (;;)
    constructSome(3);
}

int main(int, char **arguments) {
  const char *what = arguments[1];
  if (strcmp(what, "jumps") == 0) {
    catchSignal(SIGUSR1, leave, 0);
    jump(2000);
  } else if (strcmp(what, "alternate") == 0) {
    useAlternateStack();
    catchSignal(SIGUSR1, leave, SA_ONSTACK);
    jump(1000);
  } else if (strcmp(what, "threads") == 0) {
    catchSignal(SIGUSR1, leave, SA_ONSTACK);
    for (int i = 0; i < 100; ++i) {
      pthread_t ids[3];
      for (auto &id : ids)
        pthread_create(&id, nullptr, shortThread, nullptr);
      for (auto &id : ids)
        pthread_join(id, nullptr);
    }
    afterwards();
  } else {
    // Neighbours, so that one lies above the other without anything between.
    constexpr size_t size = 1 << 16;
    auto *memory =
        static_cast<char *>(mmap(nullptr, 2 * size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    catchSignal(SIGUSR1, switchOver, 0);
    getcontext(&contexts[1]);
    contexts[1].uc_stack.ss_sp = memory;
    contexts[1].uc_stack.ss_size = size;
    sigaddset(&contexts[1].uc_sigmask, SIGUSR1); // else one could come in the middle of swapcontext
    makecontext(&contexts[1], context, 0);
    timer_t timer;
    makeTimer(SIGUSR1, &timer);
    while (switches < 4000 || current != 0)
      constructSome(2);
    done = 1;
    timer_delete(timer);
    jumps = switches / 2 + 1;
  }
  std::printf("%ld %ld %ld %ld\n", objects.load(), destroyed.load(),
              blocks.load(), jumps.load());
}

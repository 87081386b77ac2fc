// Intent: everything at once: threads that come and go, cancellation, handlers
// that jump, that fork and that allocate, libraries that are opened and closed,
// contexts on small stacks, children that use up their limits. Nothing hangs or
// crashes, and totals are right but for what is said to be dropped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fPIC -shared -DLIBRARY %s -Wl,--build-id -o %t.so
// RUN: %inmem-clangxx -O1 -fplugin-arg-inmem-objects=lifetime -pthread %s \
// RUN:   -o %t.exe
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %python %inputs/stress.py %t.d %INMEM_STRESS default -- %t.exe %t.so
// RUN: %python %inputs/stress.py %t.d %INMEM_STRESS mode=trace -- %t.exe %t.so
// RUN: %python %inputs/stress.py %t.d %INMEM_STRESS \
// RUN:   stacks=8:frees=on:profile=1ms:profile_clock=cpu -- \
// RUN:   %t.exe %t.so
// RUN: %python %inputs/stress.py %t.d %INMEM_STRESS clock=events -- %t.exe \
// RUN:   %t.so
// RUN: %inmem-clangxx -O1 -fsanitize=thread -pthread %s -o %t.tsan
// RUN: %python %inputs/stress.py %t.d %INMEM_STRESS \
// RUN:   profile=1ms:profile_clock=cpu -- %t.tsan %t.so

#ifdef LIBRARY
struct Loaded {
  Loaded() : value(1) {}
  ~Loaded() { value = 0; }
  long value;
};
extern "C" void work(int count) {
  for (int i = 0; i < count; ++i) {
    Loaded *volatile one = new Loaded;
    delete one;
  }
}
#else

#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <limits.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <inmem/inmem.h>
#include <inmem/scope_api.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_TSAN
#endif
#endif

#ifndef WITH_TSAN
// glibc's, with signals blocked: a handler may then allocate and fork anywhere.
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
}
struct Blocked {
  unsigned long before = 0;
  Blocked() {
    unsigned long all = ~0ul;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
  }
  ~Blocked() {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, 8);
  }
};
extern "C" {
void *malloc(size_t n) { return Blocked(), __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return Blocked(), __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return Blocked(), __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { return Blocked(), __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) {
  return Blocked(), __libc_memalign(a, n);
}
void free(void *p) { Blocked(), __libc_free(p); }
}
#endif

struct Item {
  long values[3];
};
struct OfHandler {
  long values[5];
};
struct OfChild {
  long values[7];
};
struct Plain {
  Plain();
  ~Plain();
  long value;
};
__attribute__((noinline)) Plain::Plain() : value(1) {}
__attribute__((noinline)) Plain::~Plain() { value = 0; }
template <int N> struct Other {
  Other() : value(N) {}
  ~Other() { value = 0; }
  long value;
};

static std::atomic<long> made, freed, handled, jumps, forks, failures, loaded,
    cancels;
static std::atomic<bool> stop;
static constexpr long kWorkers = 3;
static std::atomic<Item *> shared[64];
static const char *library;
static long restFor; ///< how much longer a step's rest is than its CPU time

static thread_local sigjmp_buf back;
static thread_local volatile sig_atomic_t armed, forksLeft;
static thread_local unsigned long seed = 0x9E3779B97F4A7C15;
static unsigned long next() {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}

static void pause(long ns) {
  timespec rest = {ns / 1000000000, ns % 1000000000};
  while (nanosleep(&rest, &rest) != 0) {
  }
}
static long cpuNs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}

static Item *make() {
  Item *one = new Item;
  made.fetch_add(1, std::memory_order_relaxed);
  return one;
}
static void give(Item *one) {
  if (!one)
    return;
  delete one;
  freed.fetch_add(1, std::memory_order_relaxed);
}

/// Blocks go from thread to thread.
static void exchange(int count) {
  for (int i = 0; i < count; ++i)
    give(shared[next() % 64].exchange(next() % 4 ? make() : nullptr));
}

template <int N> __attribute__((noinline)) static void firsts() {
  Other<N> one;
  auto *volatile block = new Other<N + 100>;
  delete block;
  __asm__ volatile("" ::"r"(&one) : "memory");
  if constexpr (N > 1)
    firsts<N - 1>();
}

__attribute__((noinline)) static void constructSome(int depth) {
  volatile char room[100];
  room[0] = 0;
  Plain one;
  if (depth > 0)
    constructSome(depth - 1);
}

static void inHandler() {
  auto *volatile one = new OfHandler;
  delete one;
  handled.fetch_add(1, std::memory_order_relaxed);
}

static void onSignal(int signal) {
  const int saved = errno;
  if (armed) {
    armed = 0;
    siglongjmp(back, 1);
  }
  inHandler();
  if (signal == SIGUSR2 && forksLeft > 0) {
    forksLeft = forksLeft - 1;
    const pid_t child = fork();
    if (child == 0) {
      auto *volatile one = new OfChild;
      delete one;
      constructSome(3);
      _exit(0);
    }
    if (child > 0) {
      forks.fetch_add(1, std::memory_order_relaxed);
      int status = 1;
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      if (status != 0)
        failures.fetch_add(1, std::memory_order_relaxed);
    }
  }
  errno = saved;
}

struct Timer {
  timer_t id;
  Timer(int signal, long ns) {
    sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal;
    event._sigev_un._tid = static_cast<int>(syscall(SYS_gettid));
    timer_create(CLOCK_MONOTONIC, &event, &id);
    itimerspec often = {};
    often.it_interval.tv_nsec = often.it_value.tv_nsec = ns;
    timer_settime(id, 0, &often, nullptr);
  }
  ~Timer() { timer_delete(id); }
};

/// Jumps out of what constructors record. Memory is not allocated meanwhile:
/// whoever leaves malloc by a jump has lost it anyway.
static void jumping() {
  Timer timer(SIGUSR1, 40000);
  for (volatile int i = 0; i < 20; i = i + 1) {
    if (sigsetjmp(back, 1) != 0) {
      jumps.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    armed = 1;
    for (int k = 0; k < 2000; ++k)
      constructSome(k % 5);
    armed = 0;
  }
}

/// Jumps out of calls that take locks, ask the system or end what others began.
static void jumpingFromCalls() {
  Timer timer(SIGUSR1, 70000);
  for (volatile int i = 0; i < 10; i = i + 1) {
    if (sigsetjmp(back, 1) != 0) {
      jumps.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    armed = 1;
    inmem_counters counters = {};
    for (int k = 0; k < 50; ++k) {
      inmem_thread_counters(&counters);
      inmem_process_counters(&counters);
    }
    inmem_flush();
    armed = 0;
  }
}

static void observing() {
  inmem_scope *scope =
      inmem_scope_begin(next() % 2 ? INMEM_SCOPE_COUNT : INMEM_SCOPE_OBSERVE,
                        next() % 2 ? 0 : INMEM_ALL_THREADS);
  exchange(100);
  inmem_scope_counts counts;
  if (scope)
    inmem_scope_read(scope, &counts);
  exchange(100);
  if (scope)
    inmem_scope_free(scope);
}

/// What is ignored, is so in children, too.
static void ignoring() {
  inmem_ignore_begin();
  delete new OfChild;
  const pid_t child = fork();
  if (child == 0) {
    inmem_ignore_end();
    exchange(20);
    _exit(0);
  }
  inmem_ignore_end();
  int status = 1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  failures.fetch_add(child > 0 && status != 0, std::memory_order_relaxed);
  forks.fetch_add(child > 0, std::memory_order_relaxed);
}

static void interrupted() {
  Timer timer(SIGUSR1, 60000);
  exchange(2000);
}

static void forking() {
  forksLeft = 3;
  Timer timer(SIGUSR2, 300000);
  exchange(1000);
  for (int k = 0; k < 1000; ++k)
    constructSome(2);
  forksLeft = 0;
}

static void *cancelled(void *) {
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
  for (;;) {
    exchange(20);
    pthread_testcancel();
  }
}
/// In and out of what constructors record, at any instruction. A frame with a
/// destructor to call would end in std::terminate.
static void *cancelledAnywhere(void *) {
  alignas(Plain) char room[sizeof(Plain)];
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  for (;;)
    reinterpret_cast<Plain *>(new (room) Plain)->~Plain();
}
static void *newSites(void *) {
  firsts<40>();
  exchange(10);
  return nullptr;
}
static void startThread(void *(*routine)(void *), bool cancel) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
#ifndef WITH_TSAN
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 8192);
#endif
  pthread_t id;
  const int error = pthread_create(&id, &attributes, routine, nullptr);
  if (error == 0) {
    if (cancel) {
      if (routine == cancelledAnywhere)
        pause(static_cast<long>(next() % 300000));
      pthread_cancel(id);
      cancels.fetch_add(1, std::memory_order_relaxed);
    }
    pthread_join(id, nullptr);
  } else if (error != EAGAIN) {
    failures.fetch_add(1, std::memory_order_relaxed);
  }
  pthread_attr_destroy(&attributes);
}

static void loading() {
  if (void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    if (auto *work = reinterpret_cast<void (*)(int)>(dlsym(handle, "work"))) {
      work(10);
      loaded.fetch_add(10, std::memory_order_relaxed);
    }
    dlclose(handle);
  }
}

#ifndef WITH_TSAN
static thread_local ucontext_t home;
static void onSmallStack() {
  exchange(5);
  constructSome(1);
  setcontext(&home);
}
static void contexts() {
  constexpr size_t size = 16384; // with room for a signal's frame
  auto *memory =
      static_cast<char *>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED)
    return;
  ucontext_t away;
  getcontext(&away);
  away.uc_stack.ss_sp = memory;
  away.uc_stack.ss_size = size;
  makecontext(&away, onSmallStack, 0);
  swapcontext(&home, &away);
  munmap(memory, size);
}

/// In a child, which may record or not, but ends in time and without a crash.
static void limited() {
  const pid_t child = fork();
  if (child == 0) {
    alarm(1800);
    const rlimit files = {3, 3}, size = {next() % 4 * 100000, RLIM_INFINITY},
                 space = {next() % 300 << 20, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    if (next() % 2)
      setrlimit(RLIMIT_NOFILE, &files);
    if (next() % 2)
      setrlimit(RLIMIT_FSIZE, &size);
    if (next() % 2)
      setrlimit(RLIMIT_AS, &space);
    for (int i = 0; i < 2000; ++i) {
      auto *volatile one = new (std::nothrow) OfChild[i % 50 + 1];
      delete[] one;
    }
    firsts<40>();
    _exit(0);
  }
  int status = 1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  forks.fetch_add(child > 0, std::memory_order_relaxed);
  // Where the address space is used up, an operator new may throw.
  if (child > 0 && status != 0 &&
      !(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT)) {
    failures.fetch_add(1, std::memory_order_relaxed);
    std::fprintf(stderr, "limited child: %x\n", status);
  }
}
#endif

static void step() {
  switch (next() % 16) {
  case 0:
    startThread(cancelled, true);
    break;
  case 1:
    startThread(newSites, false);
    break;
  case 2:
    loading();
    break;
  case 3:
    exchange(1000);
    break;
  case 4:
    observing();
    break;
#ifndef WITH_TSAN
  case 5:
  case 6:
    jumping();
    break;
  case 7:
    jumpingFromCalls();
    break;
  case 8:
    interrupted();
    break;
  case 9:
    forking();
    break;
  case 10:
    contexts();
    break;
  case 11:
    startThread(cancelledAnywhere, true);
    break;
  case 12:
    ignoring();
    break;
  case 13:
    if (next() % 4 == 0)
      limited();
    break;
#endif
  default:
    exchange(200);
  }
}

static void *worker(void *number) {
  seed += (reinterpret_cast<unsigned long>(number) + 1) * 7919;
  // Not thread-local: small stacks have no room for that.
  static char memory[kWorkers][1 << 16];
  stack_t stack = {};
  stack.ss_sp = memory[reinterpret_cast<long>(number)];
  stack.ss_size = sizeof memory[0];
  sigaltstack(&stack, nullptr);
  while (!stop.load(std::memory_order_relaxed)) {
    const long before = cpuNs();
    step();
    pause((cpuNs() - before) * restFor);
  }
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  return nullptr;
}

int main(int, char **arguments) {
  library = arguments[1];
  const int seconds = std::atoi(arguments[2]);
  restFor = std::atol(arguments[3]);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGUSR2, &action, nullptr);
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &action, nullptr);
  pthread_t ids[kWorkers];
  for (long i = 0; i < kWorkers; ++i)
    pthread_create(&ids[i], nullptr, worker, reinterpret_cast<void *>(i));
  pause(seconds * 1000000000l);
  stop = true;
  for (pthread_t id : ids)
    pthread_join(id, nullptr);
  for (auto &place : shared)
    give(place.exchange(nullptr));
  std::printf("%d %ld %ld %ld %ld %ld %ld %ld %ld\n", getpid(), made.load(),
              freed.load(), handled.load(), jumps.load(), forks.load(),
              cancels.load(), loaded.load(), failures.load());
}
#endif

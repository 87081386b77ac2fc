// Intent: a storm of signals whose handlers allocate, on alternate stacks too, also inside of the
// runtime: nothing hangs, no count is lost that is not said to be.

// RUN: %inmem-clangxx -O2 -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe > %t.counts
// RUN: python3 %inputs/storm.py %t.json %t.counts
// RUN: %record %t.json mode=trace -- %t.exe > %t.counts
// RUN: python3 %inputs/storm.py %t.json %t.counts
// RUN: %record %t.json stacks=8 -- %t.exe > %t.counts
// RUN: python3 %inputs/storm.py %t.json %t.counts

#include <atomic>
#include <functional>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>

// An allocator that a signal may interrupt at any instruction, and call.
constexpr std::size_t kRoom = std::size_t{4} << 30;
static std::atomic<char *> At;

#define APART __attribute__((noinline))
APART void *operator new(std::size_t size) { return At.fetch_add((size + 47) / 32 * 32, std::memory_order_relaxed); }
APART void operator delete(void *) noexcept {}
APART void operator delete(void *, std::size_t) noexcept {}

struct Item {
  long values[3];
};
static std::atomic<unsigned long> Made, Freed, Handled;

template <int N> struct Other {
  char bytes[N];
};

static void onSignal(int) {
  for (int i = 0; i < 3; ++i) {
    Item *volatile one = new Item;
    Made.fetch_add(1, std::memory_order_relaxed);
    if (i > 0) {
      delete one;
      Freed.fetch_add(1, std::memory_order_relaxed);
    }
  }
  Handled.fetch_add(1, std::memory_order_relaxed);
}

/// Sites that are new to each thread, so that signals meet the slow paths.
template <int N> static void firsts() {
  auto *volatile one = new Other<N>;
  delete one;
  if constexpr (N > 1)
    firsts<N - 1>();
}

static void work(std::atomic<bool> &stop) {
  char *alternate = static_cast<char *>(std::malloc(1 << 16));
  stack_t stack = {};
  stack.ss_sp = alternate;
  stack.ss_size = 1 << 16;
  sigaltstack(&stack, nullptr);
  while (!stop) {
    std::thread(firsts<60>).join();
    for (int i = 0; i < 2000; ++i) {
      Item *volatile one = new Item;
      Made.fetch_add(1, std::memory_order_relaxed);
      delete one;
      Freed.fetch_add(1, std::memory_order_relaxed);
    }
  }
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  std::free(alternate);
}

int main() {
  void *room = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    return 1;
  At = static_cast<char *>(room);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_RESTART | SA_NODEFER;
  sigaction(SIGUSR1, &action, nullptr);
  std::atomic<bool> stop{false};
  std::thread worker(work, std::ref(stop));
  timespec end, now;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += 1;
  do {
    pthread_kill(worker.native_handle(), SIGUSR1);
    for (volatile int pause = 0; pause < 3000; ++pause) {
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
  stop = true;
  worker.join();
  std::printf("%lu %lu %lu\n", Made.load(), Freed.load(), Handled.load());
}

// Intent: a storm of signals whose handlers allocate, on alternate stacks too, also inside of the
// runtime: nothing hangs, no count is lost that is not said to be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe > %t.counts
// RUN: %python %inputs/storm.py %t.json %t.counts
// RUN: %if all-tiers %{ %record %t.json mode=trace -- %t.exe > %t.counts %}
// RUN: %if all-tiers %{ %python %inputs/storm.py %t.json %t.counts %}
// RUN: %record %t.json stacks=8 -- %t.exe > %t.counts
// RUN: %python %inputs/storm.py %t.json %t.counts

#include <algorithm>
#include <atomic>
#include <functional>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <thread>

// An allocator that a signal may interrupt at any instruction, and call. Nothing is given out twice.
constexpr std::size_t kRoom = std::size_t{1} << 30;
alignas(64) static char Room[kRoom];
static std::atomic<std::size_t> Used;

extern "C" {
void *memalign(std::size_t align, std::size_t size) {
  std::size_t at = Used.fetch_add(size + align + 63, std::memory_order_relaxed);
  if (at + size + align + 63 > kRoom)
    std::abort();
  return Room + (at + 16 + align - 1) / align * align;
}
void *malloc(std::size_t size) {
  std::size_t at = Used.fetch_add((size + 63) / 32 * 32, std::memory_order_relaxed);
  if (at + size + 64 > kRoom)
    std::abort();
  *reinterpret_cast<std::size_t *>(Room + at) = size;
  return Room + at + 32;
}
void free(void *) {}
void *calloc(std::size_t count, std::size_t size) { return malloc(count * size); }
void *realloc(void *old, std::size_t size) {
  void *fresh = malloc(size);
  if (old)
    std::memcpy(fresh, old, std::min(size, reinterpret_cast<std::size_t *>(old)[-4]));
  return fresh;
}
}

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
  char *alternate = static_cast<char *>(std::malloc(1 << 18));
  stack_t stack = {};
  stack.ss_sp = alternate;
  stack.ss_size = 1 << 18;
  sigaltstack(&stack, nullptr);
  while (!stop && Used < kRoom / 2) {
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
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
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
  } while (Used < kRoom / 2 &&
           (Handled < 200 || now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec)));
  stop = true;
  worker.join();
  std::printf("%lu %lu %lu\n", Made.load(), Freed.load(), Handled.load());
}

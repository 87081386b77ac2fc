// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// busy.cpp COUNTS: eight threads that allocate, hand blocks to one another and
// free them, until killed. What each has begun and done stands in the shared
// file COUNTS at every instant.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

struct Small {
  uint64_t values[3];
};
struct Large {
  char bytes[200];
};

constexpr unsigned kThreads = 8;
/// One writer each, so plain additions are exact; the kernel keeps the page.
struct Counts {
  struct Type {
    std::atomic<uint64_t> begun, made, freeing, freed;
  } types[2];
};
static Counts *AllCounts;
static std::atomic<Small *> SmallBox[256];
static std::atomic<Large *> LargeBox[256];

static void add(std::atomic<uint64_t> &counter) {
  counter.store(counter.load(std::memory_order_relaxed) + 1,
                std::memory_order_relaxed);
}

template <class T>
static void exchange(Counts::Type &counts, std::atomic<T *> &place) {
  add(counts.begun);
  T *made = new T;
  add(counts.made);
  if (T *old = place.exchange(made)) {
    add(counts.freeing);
    delete old;
    add(counts.freed);
  }
}

/// Threads end and new ones begin, so that kills meet that too.
static void work(unsigned index, uint32_t seed) {
  for (unsigned i = 0; i < 20000; ++i) {
    seed = seed * 1664525u + 1013904223u;
    if (seed >> 31)
      exchange(AllCounts[index].types[0], SmallBox[seed >> 8 & 255]);
    else
      exchange(AllCounts[index].types[1], LargeBox[seed >> 8 & 255]);
  }
}

int main(int, char **argv) {
  int file = open(argv[1], O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, sizeof(Counts) * kThreads) != 0)
    return 1;
  void *shared = mmap(nullptr, sizeof(Counts) * kThreads,
                      PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED)
    return 1;
  AllCounts = static_cast<Counts *>(shared);
  std::thread threads[kThreads];
  for (unsigned t = 0; t < kThreads; ++t)
    threads[t] = std::thread([t] {
      for (uint32_t round = 0;; ++round)
        std::thread(work, t, t * 7919 + round).join();
    });
  for (auto &each : threads)
    each.join();
}

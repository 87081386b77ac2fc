// Intent: pages of blocks that are freed go back to the system, but for those
// that the program wants back at once, again and again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -std=c++20 -O1 -pthread -I%include %s %libdir/libinmem_place.a -o %t
// RUN: %t
#include "inmem/place.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

// The program's own clocks, which place/ reads: time passes as the tests say.
static long Ns = 1'000'000'000;
extern "C" int clock_gettime(clockid_t, timespec *Now) noexcept {
  *Now = {Ns / 1'000'000'000, Ns % 1'000'000'000};
  return 0;
}
static void letPass(long Ms) { Ns += Ms * 1'000'000; }

static long faults() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

static long residentPages() {
  long all = 0, resident = 0;
  FILE *file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%ld %ld", &all, &resident) != 2)
    std::exit(2);
  std::fclose(file);
  return resident;
}

constexpr size_t kMegabyte = 1024; // of blocks

static void fill(std::vector<void *> &blocks, size_t count, size_t size = 1024) {
  blocks.resize(count);
  for (void *&p : blocks)
    std::memset(p = __inmem_place_malloc(size, INMEM_PLACE_PHASE), 1, size);
}

static void empty(std::vector<void *> &blocks) {
  for (void *p : blocks)
    std::free(p);
}

static int failures = 0;
static void check(bool holds, const char *what, long figure) {
  std::printf("%s: %ld\n", what, figure);
  failures += !holds;
}

// What a program wanted back at once does not stay when it wants most of its
// pages later.
static void wantMostLater() {
  std::vector<void *> blocks;
  for (int cycle = 0; cycle < 20; ++cycle) {
    fill(blocks, 8 * kMegabyte);
    empty(blocks);
  }
  long given = 0;
  for (int cycle = 0; cycle < 4; ++cycle) {
    fill(blocks, 14 * kMegabyte);
    given = residentPages();
    empty(blocks);
    given -= residentPages();
    letPass(25);
  }
  check(given > 2200, "pages of 14 MiB that were given back", given);
}

static void shareSlabs() {
  // A few blocks of each size share slabs, whatever was there before.
  const size_t before = inmem_place_stats().page_bytes;
  for (int round = 0; round < 2; ++round) {
    std::vector<void *> few, many;
    for (size_t size = 16; size <= 1024; size += 16)
      for (int cls : {INMEM_PLACE_PHASE, INMEM_PLACE_STEADY}) {
        if (round == 0) // enough for slabs of their own
          for (size_t bytes = 0; bytes < 32 * 1024; bytes += size)
            many.push_back(__inmem_place_malloc(size, cls));
        empty(many);
        many.clear();
        few.push_back(__inmem_place_malloc(size, cls));
      }
    const size_t taken = inmem_place_stats().page_bytes - before;
    check(taken <= 12 * 65536, "bytes for a block of each size", static_cast<long>(taken));
    empty(few);
  }
}

static void useIdlePages() {
  std::vector<void *> blocks;
  // Where blocks of half an extent are left, the pages of the other half are
  // used, or returned, before there are more; so are those of empty slabs.
  letPass(1100); // old habits
  constexpr size_t kSmall = 1024, kSlab = 65536;
  std::vector<void *> small, large;
  fill(small, 8 * (4 * kSlab / kSmall), kSmall);
  std::sort(small.begin(), small.end());
  for (void *p : small)
    if (reinterpret_cast<uintptr_t>(p) / kSlab % 2)
      blocks.push_back(p);
    else
      std::free(p);
  const long pages = residentPages();
  fill(large, 512 * 1024 / 8192, 8192);
  const long more = residentPages() - pages;
  check(more < -16, "more pages for 512 KiB of large blocks", more);
  empty(large);
  empty(blocks);
}

int main() {
  std::vector<void *> kept, blocks;
  fill(kept, 16 * kMegabyte);
  long least = 1000000;
  for (int cycle = 0; cycle < 30; ++cycle) {
    const long before = faults();
    fill(blocks, 4 * kMegabyte);
    empty(blocks);
    least = std::min(least, faults() - before);
  }
  check(least < 200, "faults of 4 MiB that come and go at once", least);

  // Old habits are forgotten, and a program that takes its time has none.
  for (int cycle = 0; cycle < 3; ++cycle) {
    letPass(cycle == 0 ? 1100 : 60);
    fill(blocks, 4 * kMegabyte);
    const long full = residentPages();
    empty(blocks);
    const long given = full - residentPages();
    check(given > 700, "pages of 4 MiB that were given back", given);
  }
  wantMostLater();
  empty(kept);

  // Pages of small blocks serve large ones, and the other way round.
  long first = 0;
  for (int cycle = 0; cycle < 40; ++cycle) {
    for (size_t size : {64, 5000}) {
      fill(blocks, 384 * 1024 / size, size);
      empty(blocks);
    }
    if (cycle == 1)
      first = faults();
  }
  check(faults() - first < 100, "faults of blocks of two sizes in turn", faults() - first);

  shareSlabs();
  useIdlePages();
  check(malloc_usable_size(blocks[0] = __inmem_place_malloc(7681, INMEM_PLACE_PHASE)) == 7744,
        "usable bytes of 7681", static_cast<long>(malloc_usable_size(blocks[0])));
  std::free(blocks[0]);

  // Blocks of a page fill pages.
  fill(blocks, 512, 4096);
  check(inmem_place_stats().page_bytes <= 512 * 4096 + (1 << 20), "bytes for 512 pages",
        static_cast<long>(inmem_place_stats().page_bytes));
  empty(blocks);
  return failures != 0;
}

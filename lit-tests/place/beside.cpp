// Intent: the placement library beside other allocators, an operator new of the program's own and the inmem runtime:
// every block goes back to where it came from, and what is recorded is what was allocated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: jemalloc, mimalloc
// RUN: %clangxx -O1 -pthread -I%include %s %libdir/libinmem_place.a -ljemalloc -o %t.je
// RUN: %t.je
// RUN: %t.je placed
// RUN: %if all-tiers %{ %clangxx -O1 -pthread -I%include %s %libdir/libinmem_place.so -Wl,-rpath,%libdir -lmimalloc -o %t.mi %}
// RUN: %if all-tiers %{ %t.mi %}
// RUN: %if all-tiers %{ %t.mi placed %}
// RUN: %clangxx -O1 -pthread -I%include %s %libdir/libinmem_place.a -o %t.static
// RUN: %clangxx -O1 -pthread -I%include %s %libdir/libinmem_place.so -Wl,-rpath,%libdir -o %t.shared
// RUN: env LD_PRELOAD=libjemalloc.so.2 %t.static
// RUN: env LD_PRELOAD=libjemalloc.so.2 %t.static placed
// RUN: env LD_PRELOAD=libjemalloc.so.2 %t.shared
// RUN: %if all-tiers %{ env LD_PRELOAD=libmimalloc.so.2 %t.static %}
// RUN: %if all-tiers %{ env LD_PRELOAD=libmimalloc.so.2 %t.static placed %}
// RUN: %t.static placed
// RUN: %if all-tiers %{ env LD_PRELOAD=libmimalloc.so.2 %t.shared %}
//
// The program's own operators are called for what is hinted, too.
// RUN: %clangxx -O1 -pthread -DOWN -I%include %s %libdir/libinmem_place.a -o %t.own
// RUN: %t.own
//
// Recorded, compiled with inmem or not.
// RUN: %inmem-clangxx -O1 -pthread -I%include %s %libdir/libinmem_place.so -Wl,-rpath,%libdir -o %t.recorded
// RUN: %record %t.json -- %t.recorded
// RUN: %expect %t.json 'totals.allocations >= 60000' 'totals.live_allocations < 100'
// RUN: %inmem run --trace %t.inmem -- %t.shared
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'totals.allocations >= 60000' 'totals.live_allocations < 100'
// RUN: %inmem run --trace %t.inmem -- %t.static > %t.log 2>&1

#include "inmem/place.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <thread>
#include <vector>

enum class __hot_cold_t : std::uint8_t {};
void *operator new(std::size_t, __hot_cold_t);
void *operator new[](std::size_t, std::align_val_t, const std::nothrow_t &, __hot_cold_t) noexcept;

#ifdef OWN
// Each block has its size in front, which its operator delete wants to see.
static thread_local long Own;
void *operator new(std::size_t size) {
  auto *p = static_cast<std::size_t *>(std::malloc(size + 16));
  if (!p)
    throw std::bad_alloc();
  p[0] = 0x5eed;
  ++Own;
  return p + 2;
}
static void take(void *p) noexcept {
  if (!p)
    return;
  auto *start = static_cast<std::size_t *>(p) - 2;
  if (start[0] != 0x5eed)
    std::abort();
  start[0] = 0;
  --Own;
  std::free(start);
}
void operator delete(void *p) noexcept { take(p); }
void operator delete(void *p, std::size_t) noexcept { take(p); }
#endif

static void work(unsigned seed) {
  struct Block {
    unsigned char *p;
    std::size_t size;
    bool made;
  };
  std::vector<Block> blocks(200, Block{});
  for (unsigned i = 0; i < 16000; ++i) {
    seed = seed * 1664525 + 1013904223;
    const std::size_t size = 1 + (seed >> 8) % 600;
    Block &b = blocks[(seed >> 20) % blocks.size()];
    for (std::size_t k = 0; k < b.size; k += 16)
      if (b.p[k] != static_cast<unsigned char>(b.size))
        std::abort();
    if (b.made)
      ::operator delete(b.p);
    else
      std::free(b.p);
    b.size = size;
    b.made = seed >> 31;
    const int which = static_cast<int>(i % 3);
    b.p = static_cast<unsigned char *>(b.made ? operator new(size, __hot_cold_t(which == 2 ? 1 : which == 1 ? 100 : 128))
                                              : __inmem_place_malloc(size, which));
    if (!b.made && malloc_usable_size(b.p) < size)
      std::abort();
    std::memset(b.p, static_cast<int>(size), size);
  }
  for (Block &b : blocks)
    b.made ? ::operator delete(b.p) : std::free(b.p);
}

// What C++ asks for is placed whoever's operator new it would be.
static int checkPlaced() {
  const std::size_t before = inmem_place_stats().blocks;
  std::vector<void *> blocks;
  for (std::size_t size = 1; size < 8000; size += 500) {
    blocks.push_back(operator new(size, __hot_cold_t(1)));
    blocks.push_back(operator new[](size, std::align_val_t(64), std::nothrow, __hot_cold_t(100)));
  }
  const bool all = inmem_place_stats().blocks - before == blocks.size();
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    operator delete(blocks[i], 1 + i / 2 * 500);
    operator delete[](blocks[i + 1], std::align_val_t(64), std::nothrow);
  }
  return all && inmem_place_stats().blocks == before ? 0 : 1;
}

int main(int argc, char **) {
  if (argc > 1)
    return checkPlaced();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back(work, i + 1);
  for (auto &t : threads)
    t.join();
#ifdef OWN
  threads.clear();
  threads.shrink_to_fit();
  struct inmem_place_stats now = inmem_place_stats();
  if (now.blocks != 0)
    std::abort();
#endif
  std::puts("fine");
}

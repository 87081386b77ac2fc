// Intent: which class each call gives its block, and no other block; limits of sizes, alignments and products; what realloc
// does with class, contents and room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -std=c++20 -O1 -fno-builtin -I%include %s %libdir/libinmem_place.a -o %t.static
// RUN: %t.static
// RUN: %clangxx -std=c++20 -O1 -fno-builtin -I%include %s %libdir/libinmem_place.so -Wl,-rpath,%libdir -o %t.shared
// RUN: %t.shared
#include "inmem/place.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <vector>

enum class __hot_cold_t : std::uint8_t {};
void *operator new(std::size_t, __hot_cold_t);
void *operator new[](std::size_t, __hot_cold_t);

// This one allocates nothing.
static char Pool[1000];
void *operator new[](std::size_t) { return Pool; }
void operator delete[](void *) noexcept {}

#define CHECK(x) ((x) ? (void)0 : (std::printf("line %d\n", __LINE__), std::fflush(stdout), std::_Exit(1)))

constexpr std::size_t kSize = 64; // a multiple of what any slab rounds to
static std::uintptr_t slabOf(const void *block) { return reinterpret_cast<std::uintptr_t>(block) >> 16; }
static std::uintptr_t Steady, Phase;

static int classOf(const void *block) {
  return slabOf(block) == Steady ? INMEM_PLACE_STEADY : slabOf(block) == Phase ? INMEM_PLACE_PHASE : INMEM_PLACE_SHORT;
}
static int classAndFree(void *block) {
  const int found = classOf(block);
  std::free(block);
  return found;
}

static void checkHints() {
  for (int hint = 0; hint < 256; ++hint) {
    void *block = operator new(kSize, __hot_cold_t(hint));
    CHECK(classOf(block) == (hint <= INMEM_PLACE_HINT_STEADY  ? INMEM_PLACE_STEADY
                             : hint <= INMEM_PLACE_HINT_PHASE ? INMEM_PLACE_PHASE
                                                              : INMEM_PLACE_SHORT));
    operator delete(block);
  }
}

static void checkOneAllocation() {
  for (int wanted : {INMEM_PLACE_PHASE, INMEM_PLACE_STEADY}) {
    __inmem_place_expect(wanted);
    CHECK(classAndFree(std::malloc(kSize)) == wanted);
    CHECK(classAndFree(std::malloc(kSize)) == INMEM_PLACE_SHORT);
    __inmem_place_expect(wanted);
    CHECK(classAndFree(std::calloc(kSize, 1)) == wanted);
    CHECK(classAndFree(std::calloc(kSize, 1)) == INMEM_PLACE_SHORT);
    __inmem_place_expect(wanted);
    CHECK(classAndFree(std::realloc(nullptr, kSize)) == wanted);
    CHECK(classAndFree(std::realloc(nullptr, kSize)) == INMEM_PLACE_SHORT);
    __inmem_place_expect(wanted);
    CHECK(classAndFree(std::aligned_alloc(16, kSize)) == wanted);
    CHECK(classAndFree(std::aligned_alloc(16, kSize)) == INMEM_PLACE_SHORT);
    // Blocks that cannot be placed take the class, too.
    __inmem_place_expect(wanted);
    std::free(std::malloc(100000));
    CHECK(classAndFree(std::malloc(kSize)) == INMEM_PLACE_SHORT);
    void *block = std::malloc(10);
    __inmem_place_expect(wanted);
    std::free(std::realloc(block, kSize));
    CHECK(classAndFree(std::malloc(kSize)) == INMEM_PLACE_SHORT);
    // The class of an operator that allocates nothing is dropped.
    void *volatile pooled = operator new[](kSize, __hot_cold_t(1));
    CHECK(pooled == Pool);
    CHECK(classAndFree(std::malloc(kSize)) == INMEM_PLACE_SHORT);
    __inmem_place_expect(wanted);
    __inmem_place_expect(7); // no such class
    CHECK(classAndFree(std::malloc(kSize)) == INMEM_PLACE_SHORT);
  }
}

static void checkLimits() {
  errno = 0;
  volatile std::size_t half = SIZE_MAX / 2 + 1; // twice this and a bit is a small number
  CHECK(!__inmem_place_calloc(half + 8, 2, INMEM_PLACE_STEADY) && errno == ENOMEM);
  errno = 0;
  void *block = __inmem_place_malloc(kSize, INMEM_PLACE_STEADY);
  CHECK(!reallocarray(block, half + 8, 2) && errno == ENOMEM);
  std::free(block);
  for (std::size_t align : {0, 3, 4, 24}) {
    __inmem_place_expect(INMEM_PLACE_STEADY);
    CHECK(posix_memalign(&block, align, kSize) == EINVAL);
  }
  __inmem_place_expect(INMEM_PLACE_SHORT);
  for (std::size_t align : {32, 64})
    for (std::size_t size = 1; size <= 1200; size += 13) {
      void *blocks[3];
      for (void *&each : blocks) {
        each = __inmem_place_aligned_alloc(align, size, INMEM_PLACE_PHASE);
        CHECK(reinterpret_cast<std::uintptr_t>(each) % align == 0);
      }
      for (void *each : blocks)
        std::free(each);
    }
}

static void checkRealloc() {
  // A block that moves keeps its class, and one that shrinks gives room back.
  for (int which : {INMEM_PLACE_PHASE, INMEM_PLACE_STEADY})
    for (std::size_t size : {10, 500, 5000}) {
      void *block = std::realloc(__inmem_place_malloc(size, which), kSize);
      CHECK(classOf(block) == which && malloc_usable_size(block) == kSize);
      std::free(block);
    }
  // Only what the block holds is copied: the range ends less than 2 MiB behind the last ones.
  std::vector<char *> blocks(1500);
  for (char *&each : blocks)
    std::memset(each = static_cast<char *>(__inmem_place_malloc(1024, INMEM_PLACE_STEADY)), 'x', 1024);
  for (char *&each : blocks) {
    each = static_cast<char *>(std::realloc(each, 2 << 20));
    CHECK(each && each[0] == 'x' && each[1023] == 'x');
    std::free(each);
  }
}

int main() {
  void *steady = __inmem_place_malloc(kSize, INMEM_PLACE_STEADY), *phase = __inmem_place_malloc(kSize, INMEM_PLACE_PHASE);
  Steady = slabOf(steady);
  Phase = slabOf(phase);
  CHECK(Steady != Phase && classAndFree(std::malloc(kSize)) == INMEM_PLACE_SHORT);
  checkHints();
  checkOneAllocation();
  checkLimits();
  checkRealloc();
  std::free(steady);
  std::free(phase);
  CHECK(inmem_place_stats().blocks == 0);
  std::puts("fine");
}

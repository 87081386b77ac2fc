// Intent: placed blocks behave as malloc's do: sizes, alignments, contents, realloc, threads that free each
// other's, fork; long-lived ones lie on pages of their own; second frees abort. Linked both ways, and over other
// allocators.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -std=c++20 -O1 -pthread -I%include %s %libdir/libinmem_place.a -o %t.static
// RUN: %t.static placed
// RUN: %clangxx -std=c++20 -O1 -pthread -I%include %s %libdir/libinmem_place.so -Wl,-rpath,%libdir -o %t.shared
// RUN: %t.shared placed
// RUN: %if all-tiers %{ %clangxx -std=c++20 -O1 -pthread -static -I%include %s %libdir/libinmem_place_wrap.a -Wl,--wrap=malloc \
// RUN:   -Wl,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=free,--wrap=memalign,--wrap=aligned_alloc \
// RUN:   -Wl,--wrap=posix_memalign,--wrap=malloc_usable_size -Wl,-u,_Znwm,-u,_Znam,-u,_ZnwmRKSt9nothrow_t \
// RUN:   -Wl,-u,_ZnamRKSt9nothrow_t,-u,_ZnwmSt11align_val_t,-u,_ZnamSt11align_val_t,-u,_ZnwmSt11align_val_tRKSt9nothrow_t \
// RUN:   -Wl,-u,_ZnamSt11align_val_tRKSt9nothrow_t -o %t.wrapped %}
// RUN: %if all-tiers %{ %t.wrapped placed %}
// RUN: %not --crash %t.static twice 2>&1 | %FileCheck --check-prefix=TWICE %s
// RUN: %not --crash %t.shared inside 2>&1 | %FileCheck --check-prefix=INSIDE %s
// RUN: %not --crash %t.static twice 5000 2>&1 | %FileCheck --check-prefix=TWICE %s
// RUN: %not --crash %t.static inside 5000 2>&1 | %FileCheck --check-prefix=INSIDE %s
// RUN: %not --crash %t.static beyond 2>&1 | %FileCheck --check-prefix=INSIDE %s
// An address space with little room.
// RUN: sh -c 'ulimit -v 100000; exec %t.static'
// TWICE: libinmem_place: free(): double free detected
// INSIDE: libinmem_place: free(): invalid pointer

#include "inmem/place.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <random>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

enum class __hot_cold_t : std::uint8_t {};
void *operator new(std::size_t, __hot_cold_t);
void *operator new[](std::size_t, __hot_cold_t);
void *operator new(std::size_t, const std::nothrow_t &, __hot_cold_t) noexcept;
void *operator new[](std::size_t, const std::nothrow_t &, __hot_cold_t) noexcept;
void *operator new(std::size_t, std::align_val_t, __hot_cold_t);
void *operator new[](std::size_t, std::align_val_t, __hot_cold_t);
void *operator new(std::size_t, std::align_val_t, const std::nothrow_t &, __hot_cold_t) noexcept;
void *operator new[](std::size_t, std::align_val_t, const std::nothrow_t &, __hot_cold_t) noexcept;

static void fail(int line) {
  std::printf("line %d\n", line);
  std::fflush(stdout);
  std::_Exit(1);
}
#define CHECK(x) ((x) ? (void)0 : fail(__LINE__))

constexpr __hot_cold_t kSteady{1}, kPhase{100}, kShort{128};

static std::size_t placedNow() { return inmem_place_stats().blocks; }

static void checkOperators(bool placed) {
  for (__hot_cold_t hint : {kSteady, kPhase, kShort, __hot_cold_t{254}}) {
    const std::size_t before = placedNow();
    const std::align_val_t align{64};
    void *blocks[] = {operator new(40, hint),
                      operator new[](40, hint),
                      operator new(40, std::nothrow, hint),
                      operator new[](40, std::nothrow, hint),
                      operator new(40, align, hint),
                      operator new[](40, align, hint),
                      operator new(40, align, std::nothrow, hint),
                      operator new[](40, align, std::nothrow, hint)};
    for (void *p : blocks) {
      CHECK(p);
      std::memset(p, 1, 40);
    }
    for (int i = 4; i < 8; ++i)
      CHECK(reinterpret_cast<std::uintptr_t>(blocks[i]) % 64 == 0);
    if (placed)
      CHECK(placedNow() - before == (hint < kShort ? 8 : 0));
    ::operator delete(blocks[0]);
    ::operator delete[](blocks[1]);
    ::operator delete(blocks[2], std::nothrow);
    ::operator delete[](blocks[3], std::nothrow);
    ::operator delete(blocks[4], align);
    ::operator delete[](blocks[5], align);
    ::operator delete(blocks[6], align, std::nothrow);
    ::operator delete[](blocks[7], align, std::nothrow);
    CHECK(placedNow() == before);
  }
  // Too much is a bad_alloc, a null and a handler's call, as ever.
  volatile std::size_t tooMuch = PTRDIFF_MAX;
  bool threw = false;
  try {
    operator new(tooMuch, kSteady);
  } catch (const std::bad_alloc &) {
    threw = true;
  }
  CHECK(threw);
  CHECK(!operator new(tooMuch, std::nothrow, kSteady));
}

static void checkSizes() {
  const std::size_t before = placedNow();
  for (std::size_t size = 0; size <= 8300; size += size < 300 ? 1 : 97)
    for (int which : {INMEM_PLACE_PHASE, INMEM_PLACE_STEADY}) {
      auto *p = static_cast<unsigned char *>(__inmem_place_malloc(size, which));
      CHECK(p && reinterpret_cast<std::uintptr_t>(p) % 16 == 0);
      CHECK(malloc_usable_size(p) >= size);
      std::memset(p, 0xa5, malloc_usable_size(p));
      auto *zero = static_cast<unsigned char *>(__inmem_place_calloc(size, 1, which));
      for (std::size_t i = 0; i < size; ++i)
        CHECK(zero[i] == 0);
      std::memset(zero, 0xff, size);
      std::free(zero);
      for (std::size_t i = 0; i < size; ++i)
        CHECK(p[i] == 0xa5);
      for (std::size_t to : {size / 3, size * 2, std::size_t{9000}, size + 1}) {
        auto *moved = static_cast<unsigned char *>(std::realloc(p, to + 1));
        CHECK(moved);
        for (std::size_t i = 0; i < std::min(size / 3, to); ++i)
          CHECK(moved[i] == 0xa5);
        p = moved;
      }
      std::free(p);
    }
  CHECK(!std::realloc(__inmem_place_malloc(10, INMEM_PLACE_STEADY), 0));
  void *p = __inmem_place_realloc(nullptr, 24, INMEM_PLACE_STEADY);
  p = reallocarray(p, 5, 10);
  CHECK(p && !reallocarray(p, SIZE_MAX / 2, 3));
  std::free(p);
  CHECK(!__inmem_place_calloc(SIZE_MAX / 2, 3, INMEM_PLACE_STEADY));
  for (std::size_t align = 16; align <= 4096; align *= 2)
    for (std::size_t size : {1, 24, 100, 1000, 8192, 20000}) {
      void *q = __inmem_place_aligned_alloc(align, size, INMEM_PLACE_STEADY);
      CHECK(q && reinterpret_cast<std::uintptr_t>(q) % align == 0);
      std::memset(q, 1, size);
      std::free(q);
    }
  std::free(nullptr);
  CHECK(malloc_usable_size(nullptr) == 0);
  CHECK(placedNow() == before);
}

static std::uintptr_t pageOf(void *p) { return reinterpret_cast<std::uintptr_t>(p) / 4096; }

static void checkPages() {
  std::vector<void *> steady, phase, brief;
  for (int i = 0; i < 3000; ++i) {
    steady.push_back(__inmem_place_malloc(48, INMEM_PLACE_STEADY));
    phase.push_back(__inmem_place_malloc(48, INMEM_PLACE_PHASE));
    brief.push_back(__inmem_place_malloc(48, INMEM_PLACE_SHORT));
  }
  std::vector<std::uintptr_t> pages[3];
  std::vector<void *> *all[] = {&steady, &phase, &brief};
  for (int i = 0; i < 3; ++i)
    for (void *p : *all[i])
      pages[i].push_back(pageOf(p));
  for (auto &of : pages)
    std::sort(of.begin(), of.end());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j)
      for (std::uintptr_t page : pages[i])
        CHECK(!std::binary_search(pages[j].begin(), pages[j].end(), page));
  // Dense: what 3000 blocks need and a slab more.
  pages[0].erase(std::unique(pages[0].begin(), pages[0].end()), pages[0].end());
  CHECK(pages[0].size() <= 3000 * 48 / 4096 + 20);
  for (auto *of : all)
    for (void *p : *of)
      std::free(p);
}

/// Blocks wander between threads; each holds its size and a check.
static void wander(std::atomic<void *> *places, std::size_t count, unsigned seed, int rounds) {
  std::minstd_rand random(seed);
  for (int i = 0; i < rounds; ++i) {
    std::size_t size = 16 + random() % (random() % 8 ? 200 : 9000);
    auto *fresh = static_cast<std::size_t *>(__inmem_place_malloc(size, static_cast<int>(random() % 3)));
    fresh[0] = size;
    fresh[1] = ~size;
    if (random() % 8 == 0) {
      fresh = static_cast<std::size_t *>(std::realloc(fresh, size + 100));
      CHECK(fresh[0] == size);
    }
    auto *old = static_cast<std::size_t *>(places[random() % count].exchange(fresh));
    if (old) {
      CHECK(old[1] == ~old[0]);
      std::free(old);
    }
  }
}

/// Shrinking succeeds when there is no memory left.
static void checkShrinking() {
  const pid_t child = fork();
  if (child == 0) {
    static void *blocks[64];
    for (void *&p : blocks)
      std::memset(p = __inmem_place_malloc(4000, INMEM_PLACE_STEADY), 1, 4000);
    const rlimit none = {1, 1};
    setrlimit(RLIMIT_AS, &none);
    for (std::size_t size : {100000, 8000, 1100, 16})
      for (void *volatile p = blocks; p;)
        p = std::malloc(size);
    for (std::size_t size : {8000, 1100, 100})
      for (void *volatile p = blocks; p;)
        p = __inmem_place_malloc(size, INMEM_PLACE_STEADY);
    for (void *&p : blocks)
      CHECK((p = std::realloc(p, 100)) && static_cast<char *>(p)[99] == 1);
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void checkThreads() {
  constexpr std::size_t kPlaces = 500;
  static std::atomic<void *> places[kPlaces];
  const std::size_t before = placedNow();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 64; ++i)
    threads.emplace_back([i] { wander(places, kPlaces, i + 1, 2000); });
  // Children of a busy process can allocate and free.
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      static std::atomic<void *> own[10];
      wander(own, 10, 1, 500);
      _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  for (auto &t : threads)
    t.join();
  for (auto &p : places)
    std::free(p.exchange(nullptr));
  CHECK(placedNow() == before);
}

int main(int argc, char **argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "twice" || what == "inside" || what == "beyond") {
    const std::size_t size = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100;
    auto *p = static_cast<char *>(__inmem_place_malloc(size, INMEM_PLACE_STEADY));
    char *volatile again = what == "twice"    ? p
                           : what == "inside" ? p + size / 128 * 64 + 16
                                              : p + 600000; // never used
    if (what == "twice")
      std::free(p);
    std::free(again);
    return 0;
  }
  checkOperators(what == "placed");
  checkSizes();
  if (what == "placed") {
    checkPages();
    checkShrinking();
    checkThreads();
  }
  std::puts("fine");
}

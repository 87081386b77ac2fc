// Intent: a program that replaces some operators has them called by all others, as without us: its operator delete sees
// each block of its operator new, also over an allocator that has operators of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: jemalloc
// RUN: %clangxx -O1 -fsized-deallocation -faligned-allocation -c %s -o %t.o
// RUN: %clangxx %t.o -Wl,--whole-archive %libdir/libinmem_place.a -Wl,--no-whole-archive -o %t.static
// RUN: %t.static
// RUN: env LD_PRELOAD=libjemalloc.so.2 %t.static matched
// RUN: %clangxx %t.o %libdir/libinmem_place.so -Wl,-rpath,%libdir -o %t.shared
// RUN: %t.shared
// RUN: env LD_PRELOAD=libjemalloc.so.2 %t.shared matched
//
// The same where a library of the program's replaces them.
// RUN: %clangxx -O1 -shared -fPIC -DREPLACES -DDELETES %s -o %t.so
// RUN: %clangxx -O1 -fsized-deallocation -DDELETES %s %t.so -Wl,--whole-archive %libdir/libinmem_place.a -Wl,--no-whole-archive -o %t.library
// RUN: %t.library
//
// Only the aligned ones.
// RUN: %clangxx -O1 -faligned-allocation -DALIGNED %s -Wl,--whole-archive %libdir/libinmem_place.a -Wl,--no-whole-archive -o %t.aligned
// RUN: %t.aligned
// RUN: env LD_PRELOAD=libjemalloc.so.2 %t.aligned matched
//
// An operator new alone that counts, or an operator delete alone that frees with the allocator that it knows.
// RUN: %clangxx -O1 -DCOUNTS %s -Wl,--whole-archive %libdir/libinmem_place.a -Wl,--no-whole-archive -o %t.counts
// RUN: %t.counts
// RUN: env LD_PRELOAD=libjemalloc.so.2 %t.counts
// RUN: %clangxx -O1 -DKNOWS %s -Wl,--whole-archive %libdir/libinmem_place.a -Wl,--no-whole-archive -o %t.knows
// RUN: %t.knows
// RUN: env LD_PRELOAD=libjemalloc.so.2 %t.knows
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <new>

#if defined(COUNTS)
static int Count;
void *operator new[](std::size_t size) {
  ++Count;
  return std::malloc(size);
}
#elif defined(KNOWS)
extern "C" __attribute__((weak)) void dallocx(void *, int); // jemalloc's
static int Count = 1;
void operator delete[](void *block) noexcept { dallocx ? dallocx(block, 0) : std::free(block); }
#elif !defined(DELETES) || defined(REPLACES)
// Each block has a mark in front, which operator delete wants to see.
static void *mark(void *block, std::size_t header) {
  auto *p = static_cast<char *>(block) + header;
  reinterpret_cast<std::size_t *>(p)[-1] = 0x5eed;
  return p;
}
static void take(void *block, std::size_t header) {
  if (!block)
    return;
  auto *mark = static_cast<std::size_t *>(block) - 1;
  if (*mark != 0x5eed) {
    std::fputs("not a block of its own\n", stderr);
    std::abort();
  }
  *mark = 0;
  std::free(static_cast<char *>(block) - header);
}
#ifdef ALIGNED
void *operator new(std::size_t size, std::align_val_t) { return mark(std::aligned_alloc(64, (size + 127) / 64 * 64), 64); }
void operator delete(void *block, std::align_val_t) noexcept { take(block, 64); }
#else
void *operator new(std::size_t size) { return mark(std::malloc(size + 16), 16); }
void operator delete(void *block) noexcept { take(block, 16); }
#endif
#endif

#ifndef REPLACES
enum class __hot_cold_t : std::uint8_t {};
void *operator new(std::size_t, __hot_cold_t);
void *operator new[](std::size_t, __hot_cold_t);
void *operator new(std::size_t, std::align_val_t, __hot_cold_t);
void *operator new[](std::size_t, std::align_val_t, __hot_cold_t);

struct Destroyed {
  ~Destroyed() { value = 0; }
  long volatile value = 1;
};
struct alignas(64) Wide {
  ~Wide() { value = 0; }
  long volatile value = 1;
};

#if defined(COUNTS) || defined(KNOWS)
int main() {
  ::operator delete[](operator new[](40, __hot_cold_t(1)));
  return Count != 1;
}
#else
// With an argument: only what another allocator's operators, which call none of the program's, do not mix up.
int main(int argc, char **) {
  const std::align_val_t a{64};
  for (int hint : {1, 100, 128}) {
    const auto h = __hot_cold_t(hint);
    ::operator delete(operator new(40, h));
    ::operator delete[](operator new[](40, h));
    ::operator delete(operator new(64, a, h), a);
    ::operator delete[](operator new[](64, a, h), a);
    if (argc > 1)
      continue;
    ::operator delete(operator new(40, h), std::size_t{40});
    ::operator delete(operator new(40, h), std::nothrow);
    ::operator delete[](operator new[](40, h), std::size_t{40});
    ::operator delete[](operator new[](40, h), std::nothrow);
    ::operator delete(operator new(64, a, h), std::size_t{64}, a);
    ::operator delete(operator new(64, a, h), a, std::nothrow);
    ::operator delete[](operator new[](64, a, h), std::size_t{64}, a);
    ::operator delete[](operator new[](64, a, h), a, std::nothrow);
  }
  if (argc > 1)
    return 0;
  Destroyed *volatile one = new Destroyed, *volatile many = new Destroyed[3];
  delete one;
  delete[] many;
  Wide *volatile wide = new Wide, *volatile row = new Wide[3];
  delete wide;
  delete[] row;
  std::puts("fine");
}
#endif
#endif

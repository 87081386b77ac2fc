// Intent: blocks may lie anywhere: an operator new that hands out 16-byte pieces of mappings at the lowest and the
// highest addresses that the system gives is counted exactly, also where one operator delete calls another, and memory
// from mmap that is no block is not counted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Piece"].allocations == 4000' 'types["Piece"].allocated_bytes == 4000 * 16' \
// RUN:   'types["Piece"].frees == 3000' 'types["Piece"].live_allocations == 1000' 'totals.allocated_bytes < 1000000'
// RUN: %record %t.json clock=exact -- %t.exe
// RUN: %expect %t.json 'types["Piece"].lifetime.timed == 3000' 'types["Piece"].live_bytes == 16000'

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

struct Piece {
  uint64_t A, B;
};

struct Region {
  char *At = nullptr;
  size_t Used = 0;
};
static constexpr size_t kBytes = 1 << 20;

static char *map(uintptr_t Where, intptr_t Step) {
  for (int I = 0; I < 4096; ++I, Where += static_cast<uintptr_t>(Step)) {
    void *P = mmap(reinterpret_cast<void *>(Where), kBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (P != MAP_FAILED)
      return static_cast<char *>(P);
  }
  abort();
}

static Region Regions[2];
static unsigned Next;

__attribute__((noinline)) void *operator new(size_t Size) {
  Region &R = Regions[Next++ % 2];
  if (!R.At)
    R.At = &R == Regions ? map(0x10000, kBytes) : map(0x7fffffff0000 - kBytes, -static_cast<intptr_t>(kBytes));
  void *P = R.At + R.Used;
  R.Used += (Size + 15) & ~size_t{15};
  if (R.Used > kBytes)
    abort();
  return P;
}
static volatile unsigned Returned;
__attribute__((noinline)) void operator delete(void *) noexcept { Returned = Returned + 1; }
__attribute__((noinline)) void operator delete(void *P, size_t) noexcept { operator delete(P); }

static Piece *Pieces[4000];

int main() {
  for (Piece *&P : Pieces)
    P = new Piece{1, 2};
  for (int I = 0; I < 4000; ++I)
    if (I % 4)
      delete Pieces[I];
  void *NoBlock = mmap(nullptr, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(NoBlock, 64 << 20);
}

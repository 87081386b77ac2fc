// Intent: an aligned operator new calls the function of the program's allocator that the C++
// library would call, aligned_alloc: of one that defines no memalign, too, all blocks are its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O1 -std=c++20 %s -o %t.plain && %t.plain
// RUN: %inmem-clangxx -O1 -std=c++20 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Wide"].allocations == 100 == types["Wide"].frees' \
// RUN:   'types["Wide"].allocated_bytes == 100 * 192'

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

alignas(64) static char Pool[1 << 22];
static std::size_t Used;
static bool isOurs(void *Block) { return Block >= Pool && Block < Pool + sizeof Pool; }

extern "C" {
void *aligned_alloc(std::size_t Align, std::size_t Size) {
  if (Size % Align != 0)
    std::abort(); // as C11 has it
  const std::size_t At = (Used + 16 + Align - 1) / Align * Align;
  if (At + Size > sizeof Pool)
    return nullptr;
  Used = At + Size;
  std::memcpy(Pool + At - sizeof Size, &Size, sizeof Size);
  return Pool + At;
}
void *malloc(std::size_t Size) { return aligned_alloc(16, (Size + 15) / 16 * 16); }
void free(void *Block) {
  if (Block && !isOurs(Block))
    std::abort(); // another allocator's
}
void *calloc(std::size_t Count, std::size_t Size) { return malloc(Count * Size); } // Pool is zero
void *realloc(void *Old, std::size_t Size) {
  void *New = malloc(Size);
  std::size_t Had = 0;
  if (Old)
    std::memcpy(&Had, static_cast<char *>(Old) - sizeof Had, sizeof Had);
  if (New && Old)
    std::memcpy(New, Old, Had < Size ? Had : Size);
  return New;
}
}

struct alignas(64) Wide {
  char Bytes[129];
};
static Wide *volatile Sink;

int main() {
  for (int I = 0; I < 100; ++I) {
    Sink = new Wide;
    if (!isOurs(Sink) || reinterpret_cast<std::size_t>(Sink) % 64 != 0)
      return 1;
    delete Sink;
  }
  return 0;
}

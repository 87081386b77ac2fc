// Intent: eight threads call every function of inmem/place.h at once and free each other's blocks: contents stay whole, and nothing is left.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -std=c++17 -O1 -pthread -I%include %s -Wl,--whole-archive %libdir/libinmem_place.a -Wl,--no-whole-archive -o %t.exe
// RUN: %t.exe
// RUN: %clangxx -std=c++17 -O1 -pthread -I%include %s -L%libdir -Wl,-rpath,%libdir -linmem_place -o %t.shared
// RUN: %t.shared
#include "../threads/Inputs/eight.h"
#include <inmem/place.h>

#include <cstring>

int main() {
  constexpr size_t kSlots = 256;
  static std::atomic<unsigned char *> Slots[kSlots];
  const size_t Before = inmem_place_stats().blocks;
  const auto Put = [](size_t Where, unsigned char *Fresh) {
    unsigned char *Old = Slots[Where % kSlots].exchange(Fresh);
    if (!Old)
      return;
    for (int I = 1; I < 40; ++I)
      REQUIRE(Old[I] == Old[0]);
    free(Old);
  };
  onEight(40, [&](unsigned Thread, unsigned Round) {
    unsigned Seed = Thread * 7919 + Round;
    for (int I = 0; I < 200; ++I) {
      Seed = Seed * 1664525u + 1013904223u;
      const int Class = Seed >> 30;
      const size_t Size = 40 + (Seed >> 8 & 511);
      void *P;
      switch (Seed >> 20 & 7) {
      case 0:
        P = __inmem_place_calloc(1, Size, Class);
        REQUIRE(P && !static_cast<char *>(P)[39]);
        break;
      case 1:
        P = __inmem_place_realloc(__inmem_place_malloc(Size / 2, Class), Size, 2);
        break;
      case 2:
        P = __inmem_place_aligned_alloc(64, Size + 64 - Size % 64, Class);
        REQUIRE(reinterpret_cast<uintptr_t>(P) % 64 == 0);
        break;
      case 3:
        __inmem_place_expect(Class);
        P = malloc(Size);
        break;
      case 4:
        REQUIRE(inmem_place_stats().blocks < 1000000);
        [[fallthrough]];
      default:
        P = __inmem_place_malloc(Size, Class);
      }
      REQUIRE(P);
      memset(P, static_cast<int>(Seed), 40);
      Put(Seed >> 4, static_cast<unsigned char *>(P));
    }
  });
  for (size_t I = 0; I < kSlots; ++I)
    Put(I, nullptr);
  REQUIRE(inmem_place_stats().blocks <= Before + 8);
}

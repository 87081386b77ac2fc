// Intent: malloc_trim() and a second in which no slab is taken return pages that no placed block is on; a thread that ends leaves no empty slabs behind; realloc
// with a class moves a block that is not placed; under valgrind, new and delete match.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -std=c++20 -O1 -pthread -I%include %s %libdir/libinmem_place.a -o %t.static
// RUN: %t.static
// RUN: %clangxx -std=c++20 -O1 -pthread -I%include %s %libdir/libinmem_place.so -Wl,-rpath,%libdir -o %t.shared
// RUN: %t.shared
// RUN: %if valgrind %{ valgrind -q --error-exitcode=9 %t.shared few %}
// RUN: %if all-tiers %{ %if valgrind %{ valgrind -q --error-exitcode=9 %t.static few %} %}
#include "inmem/place.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <malloc.h>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// The program's own clocks, which place/ reads: time passes as the tests say.
static long Ns = 1'000'000'000;
extern "C" int clock_gettime(clockid_t, timespec *Now) noexcept {
  *Now = {Ns / 1'000'000'000, Ns % 1'000'000'000};
  return 0;
}
static void letPass(long Ms) { Ns += Ms * 1'000'000; }

static long residentKilobytes() {
  long All = 0, Resident = 0;
  std::FILE *File = std::fopen("/proc/self/statm", "r");
  if (!File || std::fscanf(File, "%ld %ld", &All, &Resident) != 2)
    std::exit(2);
  std::fclose(File);
  return Resident * 4;
}

static int Failures = 0;
static void check(bool Holds, const char *What, long Figure) {
  if (!Holds) {
    std::fprintf(stderr, "%s: %ld\n", What, Figure);
    ++Failures;
  }
}

// Nodes of 32 bytes, each followed by ten others that a phase drops.
static void keepAndDrop(bool Few) {
  const size_t Count = Few ? 1000 : 180000;
  std::vector<char *> Kept(Count), Dropped(Count);
  const long Before = residentKilobytes();
  for (size_t I = 0; I < Count; ++I) {
    std::memset(Kept[I] = static_cast<char *>(__inmem_place_malloc(32, INMEM_PLACE_STEADY)), 1, 32);
    for (int Each = 0; Each < 10; ++Each) {
      char *Next = static_cast<char *>(__inmem_place_malloc(16 + 8 * Each, INMEM_PLACE_PHASE));
      std::memcpy(Next, &Dropped[I], sizeof(char *));
      Dropped[I] = Next;
    }
  }
  const long Most = residentKilobytes() - Before;
  for (char *Chain : Dropped)
    while (Chain) {
      char *Next;
      std::memcpy(&Next, Chain, sizeof(char *));
      std::free(Chain);
      Chain = Next;
    }
  malloc_trim(0);
  const long Left = residentKilobytes() - Before;
  check(Few || Most > 80000, "the phase was too small, in KiB", Most);
  check(Few || Left < 9000, "KiB after malloc_trim()", Left);
  for (char *Node : Kept) {
    check(Node[0] == 1 && Node[31] == 1, "contents", Node[0]);
    std::free(Node);
  }
  malloc_trim(0);
  check(inmem_place_stats().page_bytes == 0, "bytes of slabs", static_cast<long>(inmem_place_stats().page_bytes));
}

// A phase leaves a block in each slab. After a second without a new slab, what is placed next returns the other pages.
static void pauseAfterPhase() {
  const long Before = residentKilobytes();
  std::vector<void *> Blocks(300000);
  for (void *&Block : Blocks)
    std::memset(Block = __inmem_place_malloc(96, INMEM_PLACE_PHASE), 1, 96);
  for (size_t I = 0; I < Blocks.size(); ++I)
    if (I % 600 != 0)
      std::free(std::exchange(Blocks[I], nullptr));
  letPass(1100);
  void *Next[2000];
  for (void *&Block : Next)
    Block = __inmem_place_malloc(64, INMEM_PLACE_STEADY);
  for (void *Block : Next)
    std::free(Block);
  const long Left = residentKilobytes() - Before;
  check(Left < 8000, "KiB after a quiet second", Left);
  for (void *Block : Blocks)
    std::free(Block);
}

static void endThreads() {
  const long Before = residentKilobytes();
  for (int I = 0; I < 16; ++I)
    std::thread([] {
      for (const size_t Size : {100, 600, 2000, 8000}) {
        std::vector<void *> Blocks(60);
        for (void *&Block : Blocks)
          std::memset(Block = __inmem_place_malloc(Size, INMEM_PLACE_PHASE), 1, Size);
        for (void *Block : Blocks)
          std::free(Block);
      }
    }).join();
  const long Left = residentKilobytes() - Before;
  check(Left < 2000, "KiB after threads have ended", Left);
}

static void moveToClass() {
  for (const size_t Size : {1, 24, 500, 8000}) {
    auto *Block = static_cast<char *>(std::malloc(100));
    std::memset(Block, 5, 100);
    const size_t Placed = inmem_place_stats().blocks;
    Block = static_cast<char *>(__inmem_place_realloc(Block, Size, INMEM_PLACE_STEADY));
    check(inmem_place_stats().blocks == Placed + 1, "is not placed, of bytes", static_cast<long>(Size));
    for (size_t I = 0; I < Size && I < 100; ++I)
      check(Block[I] == 5, "contents after realloc", Block[I]);
    std::free(Block);
  }
  // Too large to be placed, and without a class.
  void *Block = __inmem_place_realloc(std::malloc(10), 100000, INMEM_PLACE_STEADY);
  Block = __inmem_place_realloc(Block, 50, INMEM_PLACE_SHORT);
  check(inmem_place_stats().blocks == 0, "placed blocks", static_cast<long>(inmem_place_stats().blocks));
  std::free(Block);
}

static void useOperators() {
  std::map<int, std::string> Map;
  for (int I = 0; I < 100; ++I)
    Map[I] = std::string(40, 'x');
  delete new int;
  delete[] new long[7];
  struct alignas(64) Wide {
    char Bytes[64];
  };
  delete new Wide;
}

int main(int Count, char **) {
  keepAndDrop(Count > 1);
  if (Count == 1) {
    endThreads();
    pauseAfterPhase();
  }
  moveToClass();
  useOperators();
  return Failures != 0;
}

// REQUIRES: jemalloc, tcmalloc, mimalloc
// Intent: counts are the same under any allocator, linked or preloaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.glibc
// RUN: %inmem-clangxx -O2 %s -o %t.je -ljemalloc
// RUN: %inmem-clangxx -O2 %s -o %t.tc -ltcmalloc
// RUN: %inmem-clangxx -O2 %s -o %t.mi -lmimalloc
// RUN: %record %t.json -- %t.glibc && %expect %t.json 'types["Item"].allocations == 1000' 'types["Item"].live_allocations == 100'
// RUN: %record %t.json -- %t.je && %expect %t.json 'types["Item"].allocations == 1000' 'types["Item"].live_allocations == 100'
// RUN: %record %t.json -- %t.tc && %expect %t.json 'types["Item"].allocations == 1000' 'types["Item"].live_allocations == 100'
// RUN: %record %t.json -- %t.mi && %expect %t.json 'types["Item"].allocations == 1000' 'types["Item"].live_allocations == 100'
// RUN: %record %t.json -- env LD_PRELOAD=libjemalloc.so.2 %t.glibc && %expect %t.json 'types["Item"].allocations == 1000'
// RUN: %record %t.json -- env LD_PRELOAD=libtcmalloc.so.4 %t.glibc && %expect %t.json 'types["Item"].allocations == 1000'
// RUN: %record %t.json -- env LD_PRELOAD=libmimalloc.so.2 %t.glibc && %expect %t.json 'types["Item"].allocations == 1000'

// Those three lay blocks of up to 8 bytes 8 bytes apart, and of up to 16 bytes 16.
// DEFINE: %{small} = 'types["Tiny"].allocations == 60000' 'types["Tiny"].allocated_bytes == 60000' \
// DEFINE:   'types["Tiny"].live_allocations == 10000' 'types["Eight"].allocated_bytes == 60000 * 8' \
// DEFINE:   'types["Eight"].live_bytes == 80000' 'types["Sixteen"].allocated_bytes == 60000 * 16' \
// DEFINE:   'types["Sixteen"].live_bytes == 160000' 'types["Sixteen"].lifetime.timed == 50000' \
// DEFINE:   'types["Grown"].allocations == 100000' 'types["Grown"].live_bytes == 0'
// RUN: %record %t.json clock=exact -- %t.glibc small && %expect %t.json %{small}
// RUN: %record %t.json clock=exact -- %t.je small && %expect %t.json %{small}
// RUN: %record %t.json clock=exact -- %t.tc small && %expect %t.json %{small}
// RUN: %record %t.json clock=exact -- %t.mi small && %expect %t.json %{small}

#include <cstdlib>
#include <vector>

struct Item {
  char bytes[9];
};
struct Tiny {
  char byte;
};
struct Eight {
  long value;
};
struct Sixteen {
  long values[2];
};
struct Grown {
  char byte;
};

static void *volatile sink;
static Tiny *tiny[10000];
static Eight *eight[10000];
static Sixteen *sixteen[10000];

/// Neighbours of one size, given back and taken again in another order.
static int small() {
  for (int round = 0; round < 6; ++round)
    for (int i = 0; i < 10000; ++i) {
      int at = (i * 7919 + round) % 10000;
      delete tiny[at];
      tiny[at] = new Tiny{1};
      delete eight[at];
      eight[at] = new Eight{2};
      delete sixteen[at];
      sixteen[at] = new Sixteen{{3, 4}};
      if (round < 5) {
        Grown *grown = static_cast<Grown *>(std::malloc(3 * sizeof(Grown)));
        sink = grown;
        grown = static_cast<Grown *>(std::realloc(grown, 7 * sizeof(Grown)));
        sink = grown;
        std::free(grown);
      }
    }
  return 0;
}

int main(int argc, char **) {
  if (argc > 1)
    return small();
  std::vector<Item *> items;
  for (int i = 0; i < 1000; ++i)
    items.push_back(new Item);
  for (int i = 0; i < 900; ++i)
    delete items[i];
}

// REQUIRES: jemalloc, tcmalloc, mimalloc
// Intent: counts are the same under any allocator, linked or preloaded.

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

#include <vector>

struct Item {
  char bytes[9];
};

int main() {
  std::vector<Item *> items;
  for (int i = 0; i < 1000; ++i)
    items.push_back(new Item);
  for (int i = 0; i < 900; ++i)
    delete items[i];
}

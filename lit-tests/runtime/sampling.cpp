// Intent: sample_bytes= records few blocks, and what the report makes of them is near the truth,
// for small and large blocks and those of another thread; the bounds are six standard deviations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -pthread %s -o %t.exe
// RUN: rm -f %t.inmem
// RUN: env INMEM_OPTIONS=sample_bytes=16384:output=%t.inmem %t.exe
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'abs(types["Small"].allocated_bytes - 400000 * 32) < 6 * (400000 * 32 * 16384) ** 0.5' \
// RUN:   'abs(types["Large"].allocated_bytes - 2000 * 40000) < 6 * (2000 * 40000 * 16384) ** 0.5' \
// RUN:   'abs(types["Small"].allocations - 400000) < 6 * (400000 * 16384 / 32) ** 0.5' \
// RUN:   'types["Small"].lifetime.timed < 2000'

// However many blocks of a site are sampled, all of them are timed: a block of 32 bytes stands for 32.5.
// RUN: rm -f %t.inmem
// RUN: env INMEM_OPTIONS=sample_bytes=1024:output=%t.inmem %t.exe
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'types["Small"].lifetime.timed > 10000' 'types["Small"].live_bytes == 0' 'abs(types["Small"].frees / types["Small"].lifetime.timed - 32.5026) < 0.01'
// RUN: rm -f %t.inmem
// RUN: env INMEM_OPTIONS=every=8:output=%t.inmem %t.exe
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'types["Small"].lifetime.timed > 40000' 'types["Small"].frees == types["Small"].lifetime.timed * 8'

// One that another site takes over takes its weight along.
// RUN: env INMEM_OPTIONS=sample_bytes=1:output=%t.moved.inmem %t.exe moved
// RUN: %inmem report --format json %t.moved.inmem > %t.json
// RUN: %expect %t.json 'types["Moved"].allocations == 100' 'types["Moved"].live_bytes == 100 * 64' \
// RUN:   '[(site.allocations, site.live_bytes) for site in untyped if "raw" in site.function] == [(100, 100 * 64)]'

#include <cstdlib>
#include <thread>

struct Small {
  char Bytes[32];
};
struct Large {
  char Bytes[40000];
};
struct Moved {
  char Bytes[64];
};
static void *volatile Sink;

static void work() {
  for (int i = 0; i < 200000; ++i) {
    Small *one = new Small;
    Sink = one;
    delete one;
    if (i % 200 == 0) {
      Large *large = new Large;
      Sink = large;
      delete large;
    }
  }
}

static void *raw(std::size_t bytes) { return std::malloc(bytes); }
static void *(*volatile Raw)(std::size_t) = raw;

static void move() {
  for (int i = 0; i < 100; ++i) {
    Sink = Raw(64);
    auto *moved = static_cast<Moved *>(Raw(sizeof(Moved)));
    Sink = moved;
  }
}

int main(int argc, char **) {
  if (argc > 1) {
    move();
    return 0;
  }
  std::thread other(work);
  work();
  other.join();
  return 0;
}

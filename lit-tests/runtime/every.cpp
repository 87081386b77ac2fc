// Intent: every= takes no block of a thread for another: threads with fewer blocks than N are seen, and threads that
// all do the same have each of their blocks seen as often. Where threads begin follows from their number alone, so the
// figures are the same in every run; the bounds are those of a random choice, four standard deviations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -pthread %s -o %t.exe
// RUN: %record %t.json every=16 -- %t.exe short
// RUN: %expect %t.json 'abs(types["Early"].allocations - 300) < 4 * (300 * 16) ** 0.5' 'types["Early"].allocations % 16 == 0' \
// RUN:   'abs(types["Late"].allocations - 240) < 4 * (240 * 16) ** 0.5'
// RUN: %record %t.json every=16 -- %t.exe alike
// RUN: %expect %t.json 'abs(types["Early"].allocations - 16000) < 4 * (16000 * 16) ** 0.5' \
// RUN:   'abs(types["Late"].allocations - 16000) < 4 * (16000 * 16) ** 0.5' \
// RUN:   'abs(types["Early"].allocations - 16000) < 2 * types["Early"].confidence_95.allocations'

#include <cstring>
#include <thread>

struct Early {
  char Bytes[32];
};
struct Late {
  char Bytes[48];
};
static thread_local void *volatile Sink;

template <class Thing> static void make(int Times) {
  for (int I = 0; I < Times; ++I) {
    Thing *One = new Thing;
    Sink = One;
    delete One;
  }
}

int main(int, char **Argv) {
  bool Short = std::strcmp(Argv[1], "short") == 0;
  // 60 threads of 9 blocks, and 2000 of 16, many of which count where others did.
  for (int I = 0; I < (Short ? 60 : 2000); ++I)
    std::thread([Short] {
      make<Early>(Short ? 5 : 8);
      make<Late>(Short ? 4 : 8);
    }).join();
}

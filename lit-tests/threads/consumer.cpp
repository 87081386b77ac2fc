// Intent: a thread that only frees, and only small blocks, tells the process so before others' peaks count what is gone
// already: the peak is that of one round, not of two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++20 -O2 -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// 20,000 blocks of 40 bytes, and what one thread may hold back (docs/design/run-time.md).
// RUN: %expect %t.json 'types["Small"].allocations == 320000' 'types["Small"].live_allocations == 0' \
// RUN:   '800000 <= types["Small"].peak_live_bytes < 800000 + 4096' \
// RUN:   '800000 <= totals.peak_live_bytes - totals.live_bytes < 800000 + 4096'

#include <semaphore>
#include <thread>

struct Small {
  char Bytes[40];
};

constexpr int kBlocks = 20000, kRounds = 16;
static Small *Blocks[kBlocks];

static void fill() {
  for (Small *&Block : Blocks)
    Block = new Small;
}
static void drain() {
  for (Small *Block : Blocks)
    delete Block;
}

int main() {
  std::binary_semaphore Full(0), Empty(0);
  // One thread, which lives on: it does not flush because it ends.
  std::thread Consumer([&] {
    for (int Round = 0; Round < kRounds; ++Round) {
      Full.acquire();
      drain();
      Empty.release();
    }
  });
  for (int Round = 0; Round < kRounds; ++Round) {
    fill();
    Full.release();
    Empty.acquire();
  }
  Consumer.join();
}

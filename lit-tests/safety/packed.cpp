// Intent: an operator new of the program's own that packs blocks closely, with threads: each
// block is counted and freed as itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Tiny"].allocations == 4000' 'types["Tiny"].frees == 3600' \
// RUN:   'types["Pair"].allocations == 4000' 'types["Pair"].frees == 3200' \
// RUN:   'types["Block"].allocations == 4000' 'types["Block"].frees == 2800' \
// RUN:   'types["Block"].live_bytes == 1200 * 100'
// RUN: %record %t.json stacks=4 -- %t.exe
// RUN: %expect %t.json 'types["Tiny"].frees == 3600' 'types["Pair"].frees == 3200'
// RUN: %record %t.json mode=trace -- %t.exe
// RUN: %expect %t.json 'types["Tiny"].frees == 3600' 'types["Pair"].frees == 3200'

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

// Blocks of 8, 16, 24, ... bytes, side by side; those that come back are given out again.
struct Free {
  Free *next;
};
static std::mutex Guard;
alignas(64) static char Pool[1 << 21];
static char *At = Pool;
static Free *Lists[64];

static std::size_t units(std::size_t size) { return (size + 7) / 8; }

void *operator new(std::size_t size) {
  std::lock_guard lock(Guard);
  Free *&list = Lists[units(size)];
  if (Free *first = list) {
    list = first->next;
    return first;
  }
  char *block = At;
  At += units(size) * 8;
  if (At > Pool + sizeof Pool)
    std::abort();
  return block;
}
void operator delete(void *block) noexcept { std::abort(); }
void operator delete(void *block, std::size_t size) noexcept {
  std::lock_guard lock(Guard);
  auto *first = static_cast<Free *>(block);
  first->next = Lists[units(size)];
  Lists[units(size)] = first;
}

struct Tiny {
  long a;
};
struct Pair {
  long a, b;
};
struct Block {
  char bytes[100];
};

template <class T> static void work(int frees) {
  static thread_local T *kept[100];
  for (int round = 0; round < 10; ++round) {
    for (auto &each : kept)
      each = new T;
    for (int i = 0; i < frees; ++i)
      delete kept[i];
  }
}

int main() {
  std::thread threads[4];
  for (auto &each : threads)
    each = std::thread([] {
      work<Tiny>(90);
      work<Pair>(80);
      work<Block>(70);
    });
  for (auto &each : threads)
    each.join();
}

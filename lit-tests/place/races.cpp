// Intent: ThreadSanitizer finds no race in the arena, and the other sanitizers nothing undefined: threads free what others
// allocated, in both classes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: tsan
// RUN: %clangxx -std=c++20 -O1 -g -fsanitize=thread -D_GNU_SOURCE -I%include -I%srcroot/place %s \
// RUN:   %srcroot/place/Arena.cpp %srcroot/place/Slab.cpp %srcroot/place/Supply.cpp -o %t.exe
// RUN: env TSAN_OPTIONS=halt_on_error=1 %t.exe
// RUN: %if all-tiers %{ %clangxx -std=c++20 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE -I%include \
// RUN:   -I%srcroot/place %s %srcroot/place/Arena.cpp %srcroot/place/Slab.cpp %srcroot/place/Supply.cpp -o %t.exe %}
// RUN: %if all-tiers %{ %t.exe %}

#include "Arena.h"

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

using namespace inmem::place;

static std::atomic<void *> Places[300];

int main() {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i)
    threads.emplace_back([seed = i]() mutable {
      for (int round = 0; round < 20000; ++round) {
        seed = seed * 1664525 + 1013904223;
        const size_t size = (seed >> 8) % (round % 4 ? 700 : kMostPlaced) + 1;
        void *fresh = allocate(seed >> 31 ? INMEM_PLACE_STEADY : INMEM_PLACE_PHASE, size, 16);
        std::memset(fresh, 1, size);
        if (void *old = Places[(seed >> 16) % 300].exchange(fresh))
          release(old);
      }
    });
  for (auto &t : threads)
    t.join();
  size_t left = 0;
  for (auto &p : Places)
    left += p.load() != nullptr;
  return inmem_place_stats().blocks == left ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cache that was full from the start, blocks that come and go, and a log that
// only grows.
#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct Entry {
  char Bytes[100];
};

__attribute__((noinline)) static std::unique_ptr<Entry> entry() {
  return std::make_unique<Entry>(); // cache
}

int main() {
  std::vector<std::unique_ptr<Entry>> Cache;
  for (int I = 0; I < 100; ++I)
    Cache.push_back(entry());
  std::deque<std::string *> Log;
  std::puts("ready");
  std::fflush(stdout);
  for (size_t I = 0;; ++I) {
    Cache[I % 100].reset();
    Cache[I % 100] = entry();
    Log.push_back(new std::string("x")); // grows
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

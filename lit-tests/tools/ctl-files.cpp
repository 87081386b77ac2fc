// Intent: `inmem ctl PID snapshot` names the heap snapshot, and only when it is whole; `ctl PID periodic=` turns summaries on and off in a program that runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -std=c++20 -pthread %s -o %t.exe
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/ctl_files.py %t.exe %t/one
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <thread>

struct Item {
  long Values[4];
};

int main() {
  std::atomic<bool> Stop = false;
  std::thread Worker([&] {
    std::deque<std::unique_ptr<Item>> Kept;
    while (!Stop) {
      Kept.push_back(std::make_unique<Item>());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  std::putchar('.');
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  Stop = true;
  Worker.join();
}

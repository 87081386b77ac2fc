// Intent: counts are exact with threads, also where another thread frees.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %if all-tiers %{ %inmem-clangxx -O0 -std=c++20 -pthread %s -o %t.O0 %}
// RUN: %if all-tiers %{ %record %t.O0.json -- %t.O0 %}
// RUN: %if all-tiers %{ %expect %t.O0.json \
// RUN:   'types["Message"].allocations == 40000' \
// RUN:   'types["Message"].frees == 40000 - 400' \
// RUN:   'types["Message"].live_allocations == 400' %}
// RUN: %inmem-clangxx -O2 -std=c++20 -pthread %s -o %t.O2
// RUN: %record %t.O2.json -- %t.O2
// RUN: %expect %t.O2.json \
// RUN:   'types["Message"].allocations == 40000' \
// RUN:   'types["Message"].frees == 40000 - 400' \
// RUN:   'types["Message"].live_allocations == 400'

#include <mutex>
#include <thread>
#include <vector>

struct Message {
  int from, number;
};

int main() {
  std::mutex guard;
  std::vector<Message *> box;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        Message *mine = new Message{t, i}, *other = nullptr;
        {
          std::lock_guard lock(guard);
          box.push_back(mine);
          if (box.size() > 400) {
            other = box.front();
            box.front() = box.back();
            box.pop_back();
          }
        }
        delete other;
      }
    });
  for (auto &thread : threads)
    thread.join();
  // The box itself goes; the 400 messages in it stay behind.
}

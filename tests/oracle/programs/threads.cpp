// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oracle-flags: -pthread
// Threads allocate at the same time; some blocks are freed by another thread.
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Message {
  int from, number;
  std::string text;
};

int main() {
  std::mutex guard;
  std::vector<std::unique_ptr<Message>> box;
  box.reserve(4000); // growth must not depend on the order of threads
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) {
        auto message =
            std::make_unique<Message>(t, i, std::string(64 + i % 64, 'm'));
        if (i % 4)
          continue;
        std::lock_guard lock(guard);
        box.push_back(std::move(message));
      }
    });
  for (auto &thread : threads)
    thread.join();
  std::printf("%zu\n", box.size());
}

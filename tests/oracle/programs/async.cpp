// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oracle-flags: -pthread
// Futures, promises and packaged tasks.
#include <cstdio>
#include <future>
#include <numeric>
#include <vector>

int main() {
  long total = 0;
  for (int round = 0; round < 20; ++round) {
    auto lazy = std::async(std::launch::deferred, [round] {
      return std::vector<int>(100, round).size();
    });
    std::packaged_task<int(int)> task([](int n) { return n * 2; });
    auto result = task.get_future();
    std::thread(std::move(task), round).join();
    std::promise<std::vector<int>> promise;
    promise.set_value(std::vector<int>(50, 1));
    auto values = promise.get_future().get();
    total += std::accumulate(values.begin(), values.end(),
                             result.get() + long(lazy.get()));
  }
  std::printf("%ld\n", total);
}

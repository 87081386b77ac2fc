// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polymorphic memory resources: arenas over the heap, pools, a buffer.
#include <cstdio>
#include <map>
#include <memory_resource>
#include <string>
#include <vector>

int main() {
  std::size_t total = 0;
  for (int round = 0; round < 10; ++round) {
    std::pmr::monotonic_buffer_resource arena(1024);
    std::pmr::unsynchronized_pool_resource pool(&arena);
    std::pmr::map<int, std::pmr::string> names(&pool);
    for (int i = 0; i < 300; ++i)
      names.emplace(i, "a name kept in a pool over an arena");
    std::pmr::vector<int> numbers(&arena);
    for (int i = 0; i < 1000; ++i)
      numbers.push_back(i);
    total += names.size() + numbers.size();
  }
  std::printf("%zu\n", total);
}

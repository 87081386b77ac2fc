// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocations that clang may remove at -O2: neither more nor fewer are left
// with us.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

struct Pair {
  int a, b;
};

static int sum(int n) {
  std::unique_ptr<Pair> pair(new Pair{n, n + 1});
  return pair->a + pair->b;
}

int main() {
  int total = 0;
  for (int i = 0; i < 1000; ++i) {
    total += sum(i);
    void *unused = std::malloc(32);
    std::free(unused);
    delete[] new char[i + 1];
    auto *array = static_cast<int *>(std::calloc(4, 4));
    total += array[2];
    std::free(array);
  }
  std::printf("%d\n", total);
}

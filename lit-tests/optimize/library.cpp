// Intent: what libstdc++.so allocates for a call is placed by the class of that call; temporaries made by the same
// function of the library are not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O2 -g %s -o %t.recorded
// RUN: env INMEM_OPTIONS=stacks=16:clock=events:output=%t.inmem %t.recorded 1000
// RUN: %inmem optimize -q -o %t.yaml %t.inmem
// RUN: %inmem-clangxx -std=c++17 -O2 -fplugin-arg-inmem-optimize=%t.yaml %s -o %t.exe
// RUN: %t.exe 3000 placed
// RUN: %inmem optimize -q -o %t.memprofdata %t.inmem
// RUN: %inmem-clangxx -std=c++17 -O2 -fplugin-arg-inmem-optimize=%t.memprofdata %s -o %t.exe
// RUN: %t.exe 3000 placed

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct inmem_place_stats {
  std::size_t blocks, bytes, page_bytes;
};
extern "C" __attribute__((weak)) inmem_place_stats inmem_place_stats(void);

static std::vector<std::string> Kept;
static const char *const Text = "a text that is too long to be held by the string itself";

// No call is its function's last act: a function that has jumped away is not on the stack.
__attribute__((noinline)) std::size_t keep(long i) {
  std::string &text = Kept[static_cast<std::size_t>(i)];
  text.assign(Text);
  return text.size();
}

__attribute__((noinline)) std::size_t pass(long i) {
  std::string temporary;
  temporary.assign(Text + i % 3);
  return temporary.size();
}

int main(int argc, char **argv) {
  const long rounds = argc > 1 ? std::atol(argv[1]) : 10;
  Kept.resize(static_cast<std::size_t>(rounds));
  std::size_t sum = 0;
  for (long i = 0; i < rounds; ++i) {
    for (long k = 0; k < 4; ++k)
      sum += pass(i + k);
    sum += keep(i);
  }
  std::printf("%zu\n", sum);
  if (argc > 2) {
    const std::size_t placed = inmem_place_stats ? inmem_place_stats().blocks : 0;
    if (placed != static_cast<std::size_t>(rounds)) {
      std::printf("placed %zu\n", placed);
      return 1;
    }
  }
  return 0;
}

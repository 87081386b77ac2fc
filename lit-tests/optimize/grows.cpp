// Intent: of a buffer that grows and stays, the last block decides: its site is placed though most of its blocks are
// short-lived; one that grows and goes is not. Containers of headers and strings of libstdc++.so, recorded and compiled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: llvm-22, lld
// RUN: %inmem-clangxx -std=c++20 -O2 -g %s -o %t.recorded
// RUN: env INMEM_OPTIONS=stacks=16:clock=events:output=%t.inmem %t.recorded 1000
// RUN: %inmem optimize -o %t.memprofdata %t.inmem
// RUN: %inmem optimize -q -o %t.yaml %t.inmem
// RUN: %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-optimize=%t.memprofdata %s -o %t.exe
// RUN: %t.exe 2000 placed
// RUN: %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-optimize=%t.yaml %s -o %t.exe
// RUN: %t.exe 2000 placed

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct inmem_place_stats {
  std::size_t blocks, bytes, page_bytes;
};
extern "C" __attribute__((weak)) inmem_place_stats inmem_place_stats(void);

struct Kept {
  std::vector<long> numbers;
  std::string text;
};
static Kept *All;

// Seven blocks, of 8 to 512 bytes.
template <class Numbers> __attribute__((always_inline)) inline void fill(Numbers &numbers) {
  for (long i = 0; i < 64; ++i)
    numbers.push_back(i);
}
// Four, of 31 to 241.
__attribute__((always_inline)) inline void write(std::string &text) {
  for (int i = 0; i < 200; ++i)
    text += static_cast<char>('a' + i % 26);
}

__attribute__((noinline)) std::size_t keepNumbers(Kept &to) {
  fill(to.numbers);
  return to.numbers.size();
}
__attribute__((noinline)) std::size_t keepText(Kept &to) {
  write(to.text);
  return to.text.size();
}
__attribute__((noinline)) std::size_t passNumbers() {
  std::vector<long> numbers;
  fill(numbers);
  return numbers.size();
}
__attribute__((noinline)) std::size_t passText() {
  std::string text;
  write(text);
  return text.size();
}

int main(int argc, char **argv) {
  const auto rounds = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 10);
  std::size_t sum = 0;
  All = new Kept[rounds];
  for (std::size_t i = 0; i < rounds; ++i) {
    sum += passNumbers() + passText();
    sum += keepNumbers(All[i]) + keepText(All[i]);
    sum += passNumbers() + passText();
  }
  std::printf("%zu\n", sum);
  if (argc < 3)
    return 0;
  const auto stats = inmem_place_stats ? inmem_place_stats() : (struct inmem_place_stats){};
  std::printf("placed %zu with %zu bytes\n", stats.blocks, stats.bytes);
  return stats.blocks != 2 * rounds || stats.bytes < rounds * (512 + 241);
}

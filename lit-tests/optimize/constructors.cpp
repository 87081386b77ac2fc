// Intent: what a constructor allocates is found again: instrumented, each has a form for complete objects and one for
// parts, of which the optimised program has one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: llvm-22, lld
// RUN: %inmem-clangxx -std=c++20 -O2 -g %s -o %t.recorded
// RUN: env INMEM_OPTIONS=stacks=16:clock=events:output=%t.inmem %t.recorded 3000
// RUN: %inmem optimize -o %t.memprofdata %t.inmem
// RUN: %inmem optimize -o %t.yaml %t.inmem
// RUN: %FileCheck --check-prefix=YAML %s < %t.yaml
// RUN: %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-optimize=%t.memprofdata %s -o %t.exe
// RUN: %t.exe 6000 4
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-optimize=%t.yaml %s -o %t.exe %}
// RUN: %if all-tiers %{ %t.exe 6000 4 %}
// RUN: %inmem-clangxx -std=c++20 -O2 -static -fplugin-arg-inmem-optimize=%t.memprofdata %s -o %t.static
// RUN: %t.static 6000 4
// YAML-NOT: Function: {{[A-Za-z0-9_]*}}C1E
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct inmem_place_stats {
  std::size_t blocks, bytes, page_bytes;
};
extern "C" __attribute__((weak)) inmem_place_stats inmem_place_stats(void);

struct Buffer { // the constructor is inlined
  explicit Buffer(long n) : data(new char[static_cast<std::size_t>(n)]) { data[0] = 'b'; }
  ~Buffer() { delete[] data; }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  char *data;
};

struct Table { // and this one is not: its callers are told apart, but not by inlining
  __attribute__((noinline)) explicit Table(long n) : data(new char[static_cast<std::size_t>(n)]) { data[0] = 't'; }
  ~Table() { delete[] data; }
  Table(const Table &) = delete;
  Table &operator=(const Table &) = delete;
  char *data;
};

struct Kept {
  Kept(const std::string &from, long n) : text(from.begin(), from.end()), buffer(n), table(n) {}
  std::vector<char> text;
  Buffer buffer;
  Table table;
};

static std::vector<Kept *> All;

__attribute__((noinline)) static void keep(const std::string &from, long n) {
  All.push_back(new Kept(from, n));
}

__attribute__((noinline)) static long brief(const std::string &from, long n) {
  const std::vector<char> text(from.begin(), from.end());
  const Buffer buffer(n);
  const Table table(n);
  return text[0] + buffer.data[0] + table.data[0];
}

int main(int argc, char **argv) {
  const long rounds = argc > 1 ? std::atol(argv[1]) : 10;
  const std::string from(40, 'x');
  long sum = 0;
  All.reserve(static_cast<std::size_t>(rounds));
  for (long i = 0; i < rounds; ++i) {
    for (int k = 0; k < 4; ++k)
      sum += brief(from, 48 + i % 16);
    keep(from, 48 + i % 16);
  }
  std::printf("%ld\n", sum);
  if (argc > 2) {
    const std::size_t placed = inmem_place_stats ? inmem_place_stats().blocks : 0;
    std::printf("placed %zu\n", placed);
    return placed / static_cast<std::size_t>(rounds) != static_cast<std::size_t>(std::atol(argv[2]));
  }
  return 0;
}

// Intent: a recording without stacks= tells the callers of library code apart: of a header's function that is not inlined, one or several calls below the
// program's line, and of what libstdc++.so allocates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O2 -g %s -o %t.recorded
// RUN: env INMEM_OPTIONS=clock=events:output=%t.inmem %t.recorded 1000
// RUN: %inmem optimize -o %t.yaml %t.inmem | %FileCheck --check-prefix=SUMMARY %s
// RUN: %inmem-clangxx -std=c++17 -O2 -fplugin-arg-inmem-optimize=%t.yaml %s -o %t.exe
// RUN: %t.exe 3000 placed
//
// Without callers it does not, and says what would.
// RUN: env INMEM_OPTIONS=clock=events:callers=off:output=%t.off.inmem %t.recorded 1000
// RUN: %inmem optimize -o %t.off.yaml %t.off.inmem | %FileCheck --check-prefix=OFF %s
// RUN: %inmem-clangxx -std=c++17 -O2 -fplugin-arg-inmem-optimize=%t.off.yaml %s -o %t.exe
// RUN: %not %t.exe 3000 placed
//
// The calls are in the trace's text, and come back from it.
// RUN: %inmem dump %t.inmem > %t.txt
// RUN: %FileCheck --check-prefix=DUMP %s < %t.txt
//
// SUMMARY-NOT: sites alone
// OFF: sites alone: record with stacks=16
// DUMP: caller-call id={{[0-9]+}} module={{[0-9]+}} offset=0x

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

struct inmem_place_stats {
  std::size_t blocks, bytes, page_bytes;
};
extern "C" __attribute__((weak)) inmem_place_stats inmem_place_stats(void);

struct Entry {
  long a[6];
};
static std::vector<std::string> KeptText;
static std::map<long, Entry> KeptEntries;
static const char *const Text = "a text that is too long to be held by the string itself";

// No call is its function's last act: a function that has jumped away is not on the stack.
__attribute__((noinline)) std::size_t keepText(long i) {
  std::string &text = KeptText[static_cast<std::size_t>(i)];
  text.assign(Text);
  return text.size();
}
__attribute__((noinline)) std::size_t passText(long i) {
  std::string temporary;
  temporary.assign(Text + i % 3);
  return temporary.size();
}

__attribute__((noinline)) std::size_t keepEntry(long i) {
  KeptEntries[i].a[0] = i;
  return KeptEntries.size();
}
__attribute__((noinline)) std::size_t passEntry(long i) {
  std::map<long, Entry> temporary;
  temporary[i].a[0] = i;
  return temporary.size();
}

int main(int argc, char **argv) {
  const long rounds = argc > 1 ? std::atol(argv[1]) : 10;
  KeptText.resize(static_cast<std::size_t>(rounds));
  std::size_t sum = 0;
  for (long i = 0; i < rounds; ++i) {
    for (long k = 0; k < 4; ++k)
      sum += passText(i + k) + passEntry(i + k);
    sum += keepText(i) + keepEntry(i);
  }
  std::printf("%zu\n", sum);
  if (argc > 2) {
    const std::size_t placed = inmem_place_stats ? inmem_place_stats().blocks : 0;
    if (placed != 2 * static_cast<std::size_t>(rounds)) {
      std::printf("placed %zu\n", placed);
      return 1;
    }
  }
  return 0;
}

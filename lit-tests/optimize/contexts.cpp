// Intent: a function that allocates for a keeper and for a passer-by, optimised from a trace with stacks: LLVM reads the
// profile, finds its contexts again, and the program places what is kept and nothing else.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: llvm-22, lld
// RUN: %inmem-clangxx -std=c++20 -O2 -g %s -o %t.recorded
// RUN: env INMEM_OPTIONS=stacks=16:clock=events:output=%t.inmem %t.recorded 3000
// RUN: %inmem optimize -o %t.yaml %t.inmem | %FileCheck --check-prefix=SUMMARY %s
// RUN: %FileCheck --check-prefix=YAML %s < %t.yaml
// RUN: %inmem optimize -o %t.memprofdata %t.inmem
// RUN: %llvm-profdata show --memory %t.memprofdata | %FileCheck --check-prefix=SHOW %s
//
// Test input: twice as many.
// RUN: %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-optimize=%t.memprofdata -Rpass=memprof -c %s -o %t.o 2> %t.remarks
// RUN: %FileCheck --check-prefix=REMARKS %s < %t.remarks
// RUN: %inmem-clangxx -O2 -fplugin-arg-inmem-optimize=%t.memprofdata %t.o -o %t.exe
// RUN: nm -C %t.exe | %FileCheck --check-prefix=CLONE %s
// RUN: %t.exe 6000 placed 6000
//
// The pass alone: inlining does not tell the callers of make() apart, but a caller can name the class before its call.
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-optimize=%t.yaml %s -o %t.exe %}
// RUN: %if all-tiers %{ %t.exe 6000 placed 6000 %}
// RUN: %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-place=%t.memprofdata %s -o %t.exe
// RUN: %t.exe 6000 placed 6000
// RUN: nm %t.exe | %not grep memprof
//
// Static programs.
// RUN: %inmem-clangxx -std=c++20 -O2 -static -fplugin-arg-inmem-optimize=%t.memprofdata %s -o %t.static
// RUN: %t.static 6000 placed 6000
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O2 -static -fplugin-arg-inmem-optimize=%t.yaml %s -o %t.static %}
// RUN: %if all-tiers %{ %t.static 6000 placed 6000 %}
//
// Nothing is recorded, and what it prints is what it printed.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && %t.exe 10 && not ls *.inmem
//
// The lives on another input are as predicted.
// RUN: env INMEM_OPTIONS=stacks=16:clock=events:output=%t.test.inmem %t.recorded 5000
// RUN: %inmem verify-optimization %t.inmem %t.test.inmem | %FileCheck --check-prefix=HELD %s
// RUN: %inmem verify-optimization --format json %t.inmem %t.test.inmem > %t.json
// RUN: %FileCheck --check-prefix=TRACES %s < %t.json
// RUN: %inmem verify-optimization --runs 1 --format json %t.recorded %t.recorded -- 500000 > %t.json || true
// RUN: %FileCheck --check-prefix=PROGRAMS %s < %t.json
//
// SUMMARY: 2 sites, 3 contexts: 2 steady, 0 phase, 1 short
// YAML: HeapProfileRecords:
// YAML: GUID: _Z4keepl
// YAML: CallSites:
// YAML: GUID: _Z4makel
// YAML-NEXT: AllocSites:
// YAML: Callstack:
// YAML-NEXT: { Function: _Z4makel, LineOffset: 1, Column: 10, IsInlineFrame: false }
// YAML-NEXT: { Function: _Z4keepl, LineOffset: 1, Column: 18, IsInlineFrame: false }
// YAML-NEXT: MemInfoBlock: { AllocCount: 3000, TotalSize: 96000, MinSize: 32, MaxSize: 32, TotalLifetime: {{[0-9]+}}, TotalLifetimeAccessDensity: 0 }
// YAML: { Function: _Z5briefl,
// YAML: MemInfoBlock: { AllocCount: 12000, TotalSize: 384000, MinSize: 32, MaxSize: 32, TotalLifetime: {{[0-9]+}}, TotalLifetimeAccessDensity: 1200000 }
// SHOW: AllocCount: 3000
// REMARKS-COUNT-3: matched alloc context
// TRACES: "kind": "traces"
// TRACES: "missed": {
// TRACES-NEXT: "contexts": 0,
// TRACES: "worse": false
// PROGRAMS: "kind": "programs"
// PROGRAMS: "peak_rss_bytes": {
// PROGRAMS-NEXT: "old": {{[1-9]}}
// PROGRAMS: "page_faults": {
// CLONE: make(long) {{.*}}memprof.1
// HELD: held for 100 % of the bytes

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

struct inmem_place_stats {
  std::size_t blocks, bytes, page_bytes;
};
extern "C" __attribute__((weak)) inmem_place_stats inmem_place_stats(void);

struct Entry {
  long a[4];
};
static std::vector<Entry *> Kept;

__attribute__((noinline)) Entry *make(long v) {
  return new Entry{{v, v, v, v}};
}

__attribute__((noinline)) long brief(long v) {
  Entry *e = make(v);
  long sum = e->a[0] + e->a[3];
  delete e;
  return sum;
}

__attribute__((noinline)) void keep(long v) {
  Kept.push_back(make(v));
}

int main(int argc, char **argv) {
  const long rounds = argc > 1 ? std::atol(argv[1]) : 10;
  long sum = 0;
  Kept.reserve(static_cast<std::size_t>(rounds));
  for (long i = 0; i < rounds; ++i) {
    for (long k = 0; k < 4; ++k)
      sum += brief(i + k);
    keep(i);
  }
  for (Entry *e : Kept)
    sum += e->a[1];
  std::printf("%ld\n", sum);
  if (argc > 3) {
    // The entries; the vector's buffer is too large, and has its own pages.
    const std::size_t placed = inmem_place_stats ? inmem_place_stats().blocks : 0;
    const auto wanted = static_cast<std::size_t>(std::atol(argv[3]));
    if (placed != wanted) {
      std::printf("placed %zu\n", placed);
      return 1;
    }
  }
  return 0;
}

// Intent: Google Benchmark reports exact allocations, bytes, peak and growth per iteration, and counters by type.
// REQUIRES: benchmark
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O2 -pthread %s -o %t.exe -lbenchmark
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe --benchmark_min_time=0.001 --benchmark_format=json > %t.json
// RUN: %python %S/Inputs/check-benchmark.py %t.json

#include <inmem/benchmark.h>

#include "Inputs/benchmark-main.h"
#include "Inputs/framework-work.h"
#include <memory>
#include <vector>

static void none(benchmark::State &State) {
  inmem::TypeCounters<Foo> Counters(State);
  for (auto _ : State)
    benchmark::DoNotOptimize(Sink);
}
BENCHMARK(none);

static void two(benchmark::State &State) {
  inmem::TypeCounters<Foo, int> Counters(State);
  for (auto _ : State) {
    work(2);
    int *I = new int;
    Sink = I;
    delete I;
  }
}
BENCHMARK(two);

static std::vector<std::unique_ptr<Foo>> Kept;

static void grows(benchmark::State &State) {
  Kept.reserve(1 << 20);
  for (auto _ : State) {
    if (Kept.size() == Kept.capacity())
      Kept.clear();
    Kept.emplace_back(new Foo);
  }
  Kept.clear();
  Kept.shrink_to_fit();
  Sink = new Foo[10];
}
BENCHMARK(grows)->Iterations(100);

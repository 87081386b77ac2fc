// Intent: Google Benchmark with eight threads, each with counters of inmem/benchmark.h: every thread counts its own allocations, and nothing races.
// REQUIRES: benchmark, tsan
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe -lbenchmark
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe --benchmark_format=json | %FileCheck %s
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O1 -fsanitize=thread -pthread %s -o %t.tsan -lbenchmark %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem TSAN_OPTIONS=halt_on_error=1 %t.tsan --benchmark_format=json | %FileCheck %s %}
// Counters of threads are added: three blocks an iteration on each of eight.
// CHECK: "threads": 8
// CHECK: "Job blocks": 3.0{{0*}}e+00
// CHECK: "Job bytes": 3.0{{0*}}e+02
#include <inmem/benchmark.h>

#include "../threads/Inputs/eight.h"
#include "Inputs/benchmark-main.h"

static void three(benchmark::State &State) {
  inmem::TypeCounters<Job> Counters(State);
  for (auto _ : State)
    makeJobs(3);
}
BENCHMARK(three)->Threads(kEight)->Iterations(200);

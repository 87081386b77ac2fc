// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the benchmarks of the file that includes it, with inmem's memory
// manager.
#include <inmem/benchmark.h>

int main(int Count, char **Arguments) {
  inmem::MemoryManager Memory;
  benchmark::Initialize(&Count, Arguments);
  benchmark::RegisterMemoryManager(&Memory);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::RegisterMemoryManager(nullptr);
}

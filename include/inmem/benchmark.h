// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// benchmark.h - allocations in the results of Google Benchmark.
//
//   int main(int argc, char **argv) {
//     inmem::MemoryManager memory; // allocs/iter, bytes, peak, net growth:
//     JSON benchmark::Initialize(&argc, argv);
//     benchmark::RegisterMemoryManager(&memory);
//     benchmark::RunSpecifiedBenchmarks();
//     benchmark::RegisterMemoryManager(nullptr);
//   }
//   void parse(benchmark::State &state) {
//     inmem::TypeCounters<Node, std::string> counters(state); // user counters
//     for (auto _ : state) ...
//   }
//
// Everything counts the benchmark's own thread. Nothing is reported if
// allocations cannot be measured (no runtime, mode=off, sampling).
#ifndef INMEM_BENCHMARK_H
#define INMEM_BENCHMARK_H

#include "scope.h"

#include <benchmark/benchmark.h>

#include <dlfcn.h>
#include <optional>

namespace inmem {

/// Google Benchmark runs each benchmark once more, between Start and Stop. The
/// library's own allocations are excluded: by code in its namespace, and by
/// uninstrumented code in the file that it is linked into.
class MemoryManager : public benchmark::MemoryManager {
public:
  void Start() override {
    Unseen Hidden;
    Scope.emplace(Follow::EachBlock);
    // In the program, the function's address may be that of a PLT stub.
    const void *Code =
        dlsym(RTLD_DEFAULT,
              "_ZN9benchmark21RegisterMemoryManagerEPNS_13MemoryManagerE");
    Scope->leaveOut(
        Code ? Code
             : reinterpret_cast<void *>(&benchmark::RegisterMemoryManager));
  }
  void Stop(Result &R) override {
    Unseen Hidden;
    if (!Scope)
      return;
    Scope->stop();
    Allocations All = Scope->allocations();
    Allocations Own = All.where([](const SiteCounts &S) {
      return !detail::isOfNamespace(S.functions, "9benchmark");
    });
    if (Scope->exact()) {
      R.num_allocs = static_cast<std::int64_t>(Own.blocks());
      R.total_allocated_bytes = static_cast<std::int64_t>(Own.bytes());
      R.net_heap_growth = Own.total().liveBytes;
      R.max_bytes_used = Own.blocks() ? All.peakBytes() : 0;
    }
    Scope.reset();
  }
#ifdef BENCHMARK_DEPRECATED_MSG
  BENCHMARK_DISABLE_DEPRECATED_WARNING
  void Stop(Result *R) override { Stop(*R); }
  BENCHMARK_RESTORE_DEPRECATED_WARNING
#endif

private:
  std::optional<AllocationScope> Scope;
};

/// Counts blocks of the given types from construction to the end of the
/// benchmark's function, and sets the user counters "T blocks" and "T bytes"
/// per iteration.
template <class... Types> class TypeCounters {
public:
  explicit TypeCounters(benchmark::State &State) : State(State) {}
  ~TypeCounters() {
    Scope.stop();
    Unseen Hidden;
    if (!Scope.exact())
      return;
    Allocations A = Scope.allocations();
    (set<Types>(A), ...);
  }
  TypeCounters(const TypeCounters &) = delete;
  TypeCounters &operator=(const TypeCounters &) = delete;

private:
  template <class T> void set(const Allocations &A) {
    if (typeId<T>() == 0)
      return; // this file is not instrumented
    AllocationCounts C = A.of<T>();
    auto PerIteration = [](std::uint64_t N) {
      return benchmark::Counter(static_cast<double>(N),
                                benchmark::Counter::kAvgIterations);
    };
    State.counters[detail::nameOf<T>() + " blocks"] = PerIteration(C.blocks);
    State.counters[detail::nameOf<T>() + " bytes"] = PerIteration(C.bytes);
  }

  benchmark::State &State;
  AllocationScope Scope;
};

} // namespace inmem

#endif

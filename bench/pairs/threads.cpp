// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threads.cpp - new and delete in immediate succession on N threads (default 2)
// at the same time; the mean over threads of CPU nanoseconds per pair. It shows
// any shared lock or cache line.
#include "Pair.h"
#include <atomic>
#include <thread>
#include <vector>

int main(int Argc, char **Argv) {
  uint64_t Pairs = bench::pairsFrom(Argc, Argv);
  int Count = Argc > 2 ? std::atoi(Argv[2]) : 2;
  std::vector<double> Ns(static_cast<size_t>(Count));
  std::atomic<int> Waiting{Count};
  std::vector<std::thread> Threads;
  for (double &Mine : Ns)
    Threads.emplace_back([&] {
      --Waiting;
      while (Waiting > 0)
        std::this_thread::yield();
      // Written once, at the end: the results share a cache line.
      Mine = bench::nsPerPair(Pairs, [](uint64_t Wanted) {
        for (uint64_t I = 0; I < Wanted; ++I) {
          uint64_t *P = new uint64_t[6];
          bench::keep(P);
          delete[] P;
        }
        return Wanted;
      });
    });
  for (std::thread &T : Threads)
    T.join();
  double Sum = 0;
  for (double Mine : Ns)
    Sum += Mine;
  return bench::print(Sum / Count);
}

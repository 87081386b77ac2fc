// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sampled.cpp - what samples of threads cost while they are taken. `sampled
// THREADS PAIRS CLOCK INTERVAL_US`: half of the threads do arithmetic and
// allocate, in slices with a short sleep after each; the others wait for a
// lock. Sampling (CLOCK: wall or cpu) is on for one of each two windows of 0.4
// s, now the first, now the second. Prints, for each pair of windows, CPU time
// a slice with samples over that without.
#include <inmem/profile_api.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

static std::atomic<double> Sink;
static std::atomic<long> Slices;
static std::atomic<bool> Done;

__attribute__((noinline)) static void slice() {
  double X = 1;
  for (int I = 0; I < 50'000; ++I)
    X = X * 1.0000001 + 0.1;
  for (int I = 0; I < 400; ++I) {
    auto *P = new std::string(40, 'x');
    asm volatile("" : "+r"(P) : : "memory");
    delete P;
  }
  Sink = X;
}

static double cpuSeconds() {
  timespec Now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &Now);
  return static_cast<double>(Now.tv_sec) +
         static_cast<double>(Now.tv_nsec) * 1e-9;
}

/// CPU seconds a slice, of all threads and the sampler.
static double window(const inmem_profile_options *Options) {
  if (Options && !inmem_profile_start(Options)) {
    std::fprintf(stderr, "no samples: the process records nothing\n");
    std::exit(1);
  }
  usleep(20'000); // excludes the cost of starting
  const double Cpu = cpuSeconds();
  const long Before = Slices;
  usleep(400'000);
  const double Result =
      (cpuSeconds() - Cpu) / static_cast<double>(Slices - Before);
  if (Options)
    inmem_profile_stop();
  return Result;
}

int main(int Argc, char **Argv) {
  if (Argc != 5 || !inmem_profile_start) {
    std::fprintf(stderr, "usage: %s THREADS PAIRS wall|cpu INTERVAL_US\n",
                 Argv[0]);
    return 2;
  }
  const int Count = std::atoi(Argv[1]), Pairs = std::atoi(Argv[2]);
  const inmem_profile_options Options = {
      static_cast<uint64_t>(std::atol(Argv[4])) * 1000,
      std::strcmp(Argv[3], "cpu") == 0 ? INMEM_PROFILE_CPU : INMEM_PROFILE_WALL,
      0};
  std::mutex Closed;
  Closed.lock();
  std::vector<std::thread> Threads;
  for (int I = 0; I < Count; ++I)
    Threads.emplace_back([&, I] {
      while (I % 2 == 0 && !Done) {
        slice();
        ++Slices;
        usleep(500);
      }
      Closed.lock();
      Closed.unlock();
    });
  window(&Options);
  for (int I = 0; I < Pairs; ++I) {
    const bool First = I % 2 == 0;
    const double A = window(First ? &Options : nullptr),
                 B = window(First ? nullptr : &Options);
    std::printf("ratio %.6f\n", First ? A / B : B / A);
  }
  Done = true;
  Closed.unlock();
  for (std::thread &T : Threads)
    T.join();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// times.cpp - a program that knows how long its functions run. `times SECONDS`:
// three threads call fourteen functions in random order, for random times; how
// often each is called falls by a quarter from one to the next. Prints each
// one's CPU seconds, by the clock of the thread, measured around the call.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>
#include <time.h>
#include <utility>
#include <vector>

constexpr int kFunctions = 14;
static double Seconds[kFunctions];
static std::mutex Guard;

static double now() {
  timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return static_cast<double>(T.tv_sec) + static_cast<double>(T.tv_nsec) * 1e-9;
}

template <int N> __attribute__((noinline)) double burn(uint64_t Steps) {
  double X = N + 1;
  for (uint64_t I = 0; I < Steps; ++I)
    X = X * 1.0000001 + N;
  return X;
}

using Function = double (*)(uint64_t);
template <int... N>
static std::vector<Function> all(std::integer_sequence<int, N...>) {
  return {burn<N>...};
}

static void run(unsigned Seed, double Limit) {
  const std::vector<Function> All =
      all(std::make_integer_sequence<int, kFunctions>());
  std::mt19937 Random(Seed);
  std::vector<double> Weights;
  for (double W = 1; Weights.size() < kFunctions; W *= 0.75)
    Weights.push_back(W);
  std::discrete_distribution<int> Which(Weights.begin(), Weights.end());
  std::exponential_distribution<double> Length(1.0 / 400'000); // steps
  double Mine[kFunctions] = {};
  volatile double Sink = 0;
  for (const double End = now() + Limit; now() < End;) {
    const int N = Which(Random);
    const auto Steps = static_cast<uint64_t>(Length(Random)) + 1;
    const double Before = now();
    Sink = Sink + All[static_cast<size_t>(N)](Steps);
    Mine[N] += now() - Before;
  }
  const std::lock_guard Lock(Guard);
  for (int N = 0; N < kFunctions; ++N)
    Seconds[N] += Mine[N];
}

int main(int Argc, char **Argv) {
  const double Limit = Argc > 1 ? std::atof(Argv[1]) : 0;
  if (Limit <= 0) {
    std::fprintf(stderr, "usage: %s SECONDS\n", Argv[0]);
    return 2;
  }
  std::vector<std::thread> Threads;
  for (unsigned Seed = 1; Seed <= 3; ++Seed)
    Threads.emplace_back(run, Seed, Limit / 3);
  for (std::thread &T : Threads)
    T.join();
  for (int N = 0; N < kFunctions; ++N)
    std::printf("burn<%d> %.6f\n", N, Seconds[N]);
}

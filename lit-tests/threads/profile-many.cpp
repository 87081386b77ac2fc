// REQUIRES: asan, tsan
// Intent: a great many samples, at the shortest interval and with both clocks, of threads that allocate, throw, recurse, wait and end: nothing crashes, with sanitizers or without, and most stacks are walked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.%%p.inmem %t.exe %INMEM_SAMPLES
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O1 -fsanitize=address -pthread %s -o %t.asan %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.%%p.inmem %t.asan %INMEM_SAMPLES %}
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O1 -fsanitize=thread -pthread %s -o %t.tsan %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.%%p.inmem %t.tsan %INMEM_SAMPLES %}
#include <inmem/profile_api.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<bool> Done{false};
static std::atomic<unsigned> Sum{0};

__attribute__((noinline)) static unsigned recurse(unsigned N) {
  volatile char Room[200];
  Room[N] = 1;
  return N == 0 ? Room[0] : recurse(N - 1) + Room[N];
}

static void allocate() {
  std::map<unsigned, std::string> M;
  for (unsigned I = 0; I < 100; ++I)
    M[I * 7 % 100] = std::string(I, 'x');
  Sum += unsigned(M.size());
}

__attribute__((noinline)) static void fail(unsigned N) {
  if (N == 0)
    throw std::runtime_error("far");
  fail(N - 1);
  Sum += N;
}

static void worker(unsigned Number) {
  static std::mutex Lock;
  static std::condition_variable Never;
  for (unsigned Round = 0; !Done; ++Round)
    switch ((Number + Round / 64) % 4) {
    case 0:
      allocate();
      break;
    case 1:
      Sum += recurse(100);
      break;
    case 2:
      try {
        fail(20);
      } catch (const std::exception &) {
        ++Sum;
      }
      break;
    default: {
      std::unique_lock<std::mutex> L(Lock);
      Never.wait_for(L, std::chrono::microseconds(200));
    }
    }
}

struct Found {
  uint64_t Samples = 0, Walked = 0;
};

static Found found() {
  Found F;
  inmem_profile_read(
      [](const inmem_profile_sample *S, void *To) {
        auto &F = *static_cast<Found *>(To);
        F.Samples += S->count;
        F.Walked += S->depth ? S->count : 0;
      },
      &F);
  return F;
}

/// Until there are so many samples.
static int run(int Clock, uint64_t Most) {
  inmem_profile_options How = {};
  How.interval_ns = 100000;
  How.clock = Clock;
  if (!inmem_profile_start(&How))
    return 2;
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < 4; ++I)
    Threads.emplace_back(worker, I);
  Found F;
  while ((F = found()).Samples < Most) {
    usleep(10000);
    for (int I = 0; I < 4; ++I) // they live for less than a look
      std::thread(allocate).join();
  }
  Done = true;
  for (std::thread &T : Threads)
    T.join();
  inmem_profile_stop();
  F = found();
  std::printf("clock %s: %llu samples, %llu with a stack\n",
              Clock == INMEM_PROFILE_CPU ? "cpu" : "wall",
              (unsigned long long)F.Samples, (unsigned long long)F.Walked);
  return F.Walked > F.Samples / 2 ? 0 : 3;
}

int main(int, char **Arguments) {
  const uint64_t Most = std::strtoull(Arguments[1], nullptr, 10);
  for (const int Clock : {INMEM_PROFILE_WALL, INMEM_PROFILE_CPU}) {
    std::fflush(stdout);
    if (fork() == 0) {
      const int Code = run(Clock, Most / 2);
      std::fflush(stdout);
      _exit(Code);
    }
  }
  int Code = 0;
  for (int Status; wait(&Status) > 0;)
    if (Status != 0) {
      std::printf("a process ended with %#x\n", Status);
      Code = 1;
    }
  return Code;
}

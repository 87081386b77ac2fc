// Eight threads that call the same functions at the same moment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EIGHT_H
#define EIGHT_H

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <vector>

#define REQUIRE(C)                                                             \
  ((C) ? (void)0                                                               \
       : (std::fprintf(stderr, "line %d: %s\n", __LINE__, #C), std::_Exit(1)))

constexpr unsigned kEight = 8;

struct Job {
  char Bytes[100];
};
__attribute__((noinline)) inline void makeJobs(unsigned Count) {
  for (unsigned I = 0; I < Count; ++I) {
    Job *volatile P = new Job;
    delete P;
  }
}

/// Calls \p Work(thread, round) on eight threads, which begin each round
/// together. A hang ends the program by SIGALRM.
template <class Function> void onEight(unsigned Rounds, Function Work) {
  alarm(1800);
  std::atomic<unsigned> Ready{0};
  std::vector<std::thread> All;
  for (unsigned I = 0; I < kEight; ++I)
    All.emplace_back([&, I] {
      for (unsigned Round = 0; Round < Rounds; ++Round) {
        ++Ready;
        while (Ready < kEight * (Round + 1))
          std::this_thread::yield();
        Work(I, Round);
      }
    });
  for (std::thread &Each : All)
    Each.join();
}

#endif

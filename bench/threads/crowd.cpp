// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// crowd.cpp - many threads, for code that visits all of them, such as watchers.
// `crowd THREADS WORK SECONDS`: half of the threads share WORK million steps of
// arithmetic and of allocation, in slices with a short sleep after each; the
// others wait for a lock until the work is done, for at least SECONDS. Prints
// the process's CPU seconds and the share of one processor that inmem's threads
// took.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <mutex>
#include <string>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

static std::atomic<double> Sink;

__attribute__((noinline)) static void slice() {
  double X = 1;
  for (int I = 0; I < 250'000; ++I)
    X = X * 1.0000001 + 0.1;
  for (int I = 0; I < 2'000; ++I) {
    auto *P = new std::string(40, 'x');
    asm volatile("" : "+r"(P) : : "memory");
    delete P;
  }
  Sink = X;
}

static double seconds(clockid_t Clock) {
  timespec Now;
  clock_gettime(Clock, &Now);
  return static_cast<double>(Now.tv_sec) +
         static_cast<double>(Now.tv_nsec) * 1e-9;
}

/// CPU seconds of threads whose name begins with \p Name.
static double ownSeconds(const char *Name) {
  double Sum = 0;
  DIR *Tasks = opendir("/proc/self/task");
  while (const dirent *Each = readdir(Tasks)) {
    const std::string Folder = std::string("/proc/self/task/") + Each->d_name;
    char Comm[32] = {};
    unsigned long long Ns = 0;
    if (FILE *F = std::fopen((Folder + "/comm").c_str(), "r")) {
      if (!std::fgets(Comm, sizeof Comm, F))
        Comm[0] = 0;
      std::fclose(F);
    }
    if (std::strncmp(Comm, Name, std::strlen(Name)) != 0)
      continue;
    if (FILE *F = std::fopen((Folder + "/schedstat").c_str(), "r")) {
      if (std::fscanf(F, "%llu", &Ns) == 1)
        Sum += static_cast<double>(Ns) * 1e-9;
      std::fclose(F);
    }
  }
  closedir(Tasks);
  return Sum;
}

int main(int Argc, char **Argv) {
  if (Argc != 4) {
    std::fprintf(stderr, "usage: %s THREADS WORK SECONDS\n", Argv[0]);
    return 2;
  }
  const int Count = std::atoi(Argv[1]);
  const double Begin = seconds(CLOCK_MONOTONIC);
  std::atomic<long> Slices{std::atol(Argv[2]) * 4};
  std::mutex Closed;
  Closed.lock();
  std::vector<std::thread> Threads;
  for (int I = 0; I < Count; ++I)
    Threads.emplace_back([&, I] {
      delete new std::string(100, 'x');
      while (I % 2 == 0 && --Slices >= 0) {
        slice();
        usleep(500);
      }
      Closed.lock();
      Closed.unlock();
    });
  const double Least = std::atof(Argv[3]);
  while (Slices > 0 || seconds(CLOCK_MONOTONIC) - Begin < Least)
    usleep(20'000);
  const double Own = ownSeconds("inmem-"),
               Wall = seconds(CLOCK_MONOTONIC) - Begin;
  Closed.unlock();
  for (std::thread &T : Threads)
    T.join();
  std::printf("cpu %.6f\nown_share %.6f\n", seconds(CLOCK_PROCESS_CPUTIME_ID),
              Own / Wall);
}

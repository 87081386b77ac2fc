// Intent: a life is never negative, which would come out as hours, whatever processors its two ends were on; and it is
// as long as CLOCK_MONOTONIC says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -pthread %s -o %t.exe
// RUN: %record %t.json clock=exact -- %t.exe > %t.bounds
// RUN: %expect %t.json 'types["Moves"].lifetime.timed == 4000' \
// RUN:   'types["Moves"].lifetime.max <= report.processes[0].duration_ns' \
// RUN:   'types["Sleeps"].lifetime.min >= 0.998 * int(open("%{t}.bounds").read().split()[0])' \
// RUN:   'types["Sleeps"].lifetime.max <= 1.002 * int(open("%{t}.bounds").read().split()[1])'

#include <cstdint>
#include <cstdio>
#include <sched.h>
#include <thread>
#include <time.h>
#include <unistd.h>

struct Moves {
  int a;
};
struct Sleeps {
  int a[2];
};
static thread_local void *volatile Sink;

static int64_t now() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return T.tv_sec * int64_t{1000000000} + T.tv_nsec;
}

/// Moves the thread to the Nth of the processors that it may use.
static void moveTo(const cpu_set_t &All, int N) {
  N %= CPU_COUNT(&All);
  for (int Cpu = 0; Cpu < CPU_SETSIZE; ++Cpu)
    if (CPU_ISSET(Cpu, &All) && N-- == 0) {
      cpu_set_t One;
      CPU_ZERO(&One);
      CPU_SET(Cpu, &One);
      sched_setaffinity(0, sizeof One, &One);
    }
}

static void work(int Seed) {
  cpu_set_t All;
  sched_getaffinity(0, sizeof All, &All);
  for (int I = 0; I < 2000; ++I) {
    moveTo(All, I + Seed);
    Moves *One = new Moves;
    Sink = One;
    moveTo(All, I + Seed + 1);
    delete One;
  }
}

int main() {
  std::thread A(work, 0), B(work, 1);
  A.join();
  B.join();
  int64_t Before = now();
  Sleeps *One = new Sleeps;
  Sink = One;
  int64_t Born = now();
  usleep(100000);
  int64_t Ends = now();
  delete One;
  std::printf("%lld %lld\n", static_cast<long long>(Ends - Born), static_cast<long long>(now() - Before));
}

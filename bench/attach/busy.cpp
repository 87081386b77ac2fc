//===- busy.cpp - How long threads stand still while inmem attaches -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// busy THREADS: each thread computes, and allocates and frees a block of its
// own cache. For each line on standard input, prints a line per thread: the
// microseconds since the last line in which it neither ran nor waited for a
// processor, and the number of times it gave one up. The main thread waits.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

struct Times {
  int64_t Wall = 0, Run = 0, Waited = 0, Switches = 0;
};

static std::atomic<unsigned> Round{0}, Answers{0};

static int64_t nanoseconds(clockid_t Clock) {
  timespec T;
  clock_gettime(Clock, &T);
  return int64_t{T.tv_sec} * 1000000000 + T.tv_nsec;
}

/// How long the thread has waited for a processor; without an allocation, which
/// would be an event.
static int64_t waited(int File) {
  char Text[64] = {};
  long Run = 0, Waited = 0;
  if (pread(File, Text, sizeof Text - 1, 0) <= 0 ||
      sscanf(Text, "%ld %ld", &Run, &Waited) != 2)
    abort();
  return Waited;
}

static Times timesOfThread(int File) {
  Times Out;
  do { // until no other thread ran in between
    Out.Waited = waited(File);
    rusage Use;
    getrusage(RUSAGE_THREAD, &Use);
    Out.Switches = Use.ru_nvcsw;
    Out.Run = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    Out.Wall = nanoseconds(CLOCK_MONOTONIC);
  } while (waited(File) != Out.Waited);
  return Out;
}

static void work() {
  const int File = open("/proc/thread-self/schedstat", O_RDONLY);
  Times Last = timesOfThread(File);
  for (unsigned Seen = 0;;) {
    for (int I = 0; I < 1000; ++I) {
      void *volatile Block = malloc(48);
      free(Block);
    }
    if (Round.load(std::memory_order_acquire) == Seen)
      continue;
    ++Seen;
    const Times Now = timesOfThread(File);
    const int64_t Stood = Now.Wall - Last.Wall - (Now.Run - Last.Run) -
                          (Now.Waited - Last.Waited);
    printf("%ld %ld\n", static_cast<long>(Stood / 1000),
           static_cast<long>(Now.Switches - Last.Switches));
    Last = timesOfThread(File);
    Answers.fetch_add(1, std::memory_order_release);
  }
}

int main(int, char **Words) {
  const auto Count = static_cast<unsigned>(atoi(Words[1]));
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < Count; ++I)
    Threads.emplace_back(work);
  puts("ready");
  fflush(stdout);
  for (int C; (C = getchar()) != EOF;) {
    if (C != '\n')
      continue;
    Answers = 0;
    Round.fetch_add(1, std::memory_order_release);
    while (Answers.load(std::memory_order_acquire) < Count)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    puts("end");
    fflush(stdout);
  }
  _exit(0);
}

//===- heap.cpp - A large heap for the cost of a snapshot -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heap GIB: fills the heap with blocks of 232 bytes, frees each tenth, and
// answers lines. After "fork" it prints the CPU milliseconds that its thread
// needs for a fork, after "snapshot" those for inmem_snapshot(), after
// "children" the CPU seconds of its children, when they have ended.
#include <inmem/inmem.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static double cpuMs() {
  timespec Now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Now);
  return static_cast<double>(Now.tv_sec) * 1e3 +
         static_cast<double>(Now.tv_nsec) / 1e6;
}

static double forkOnce() {
  const double Start = cpuMs();
  const pid_t Child = fork();
  if (Child == 0)
    _exit(0);
  const double Needed = cpuMs() - Start;
  waitpid(Child, nullptr, 0);
  return Needed;
}

static double snapshotOnce() {
  const double Start = cpuMs();
  inmem_snapshot();
  return cpuMs() - Start;
}

static double childrenSeconds() {
  while (waitpid(-1, nullptr, __WALL) > 0) // snapshot children send no signal
    ;
  rusage Of;
  getrusage(RUSAGE_CHILDREN, &Of);
  const auto Seconds = [](const timeval &T) {
    return static_cast<double>(T.tv_sec) + static_cast<double>(T.tv_usec) / 1e6;
  };
  return Seconds(Of.ru_utime) + Seconds(Of.ru_stime);
}

struct Node {
  char Data[232];
};

int main(int, char **Words) {
  const auto Count = static_cast<size_t>(atof(Words[1]) * (1 << 30) / 240);
  std::vector<Node *> All(Count);
  for (Node *&N : All) {
    N = new Node;
    memset(N, 1, sizeof *N);
  }
  for (size_t I = 0; I < Count; I += 10)
    delete All[I];
  puts("ready");
  char Line[64];
  while (fflush(stdout) == 0 && fgets(Line, sizeof Line, stdin)) {
    void *volatile Block = malloc(100); // commands reach the runtime here
    free(Block);
    if (!strcmp(Line, "fork\n"))
      printf("%.3f\n", forkOnce());
    else if (!strcmp(Line, "snapshot\n"))
      printf("%.3f\n", snapshotOnce());
    else if (!strcmp(Line, "children\n"))
      printf("%.3f\n", childrenSeconds());
  }
}

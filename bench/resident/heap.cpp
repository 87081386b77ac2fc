//===- heap.cpp - A large heap for the pause of a snapshot ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heap GIB SNAPSHOT: fills the heap with blocks of 232 bytes, frees each tenth,
// and prints the times of a fork and of inmem_snapshot(), in milliseconds, then
// the seconds until the file SNAPSHOT is whole.
#include <inmem/inmem.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using Clock = std::chrono::steady_clock;

static double msSince(Clock::time_point Start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - Start)
      .count();
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
  double Least = 1e9;
  for (int I = 0; I < 3; ++I) {
    const auto Start = Clock::now();
    const pid_t Child = fork();
    if (Child == 0)
      _exit(0);
    Least = std::min(Least, msSince(Start));
    waitpid(Child, nullptr, 0);
  }
  auto Start = Clock::now();
  inmem_snapshot();
  const double Pause = msSince(Start);
  Start = Clock::now();
  while (access(Words[2], F_OK))
    usleep(10000);
  printf("%.1f %.1f %.1f\n", Least, Pause, msSince(Start) / 1000);
}

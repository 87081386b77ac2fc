// Intent: a signal handler may fork at any instruction, also while the runtime takes a block
// out of the table of those that lie too close for the index: neither process hangs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 %s -o %t.exe
// RUN: %record %t.json -- timeout 1800 %t.exe
// RUN: %expect %t.json 'types["Tiny"].allocations == types["Tiny"].frees' 'types["Tiny"].allocations > 1000'

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// Blocks of 8 bytes, side by side, so that most of them are in the side table.
alignas(64) static char Pool[1 << 12];
static char *At = Pool;

void *operator new(std::size_t) {
  void *Block = At;
  At += 8;
  if (At > Pool + sizeof Pool)
    std::abort();
  return Block;
}
void operator delete(void *) noexcept {}
void operator delete(void *, std::size_t) noexcept {}

struct Tiny {
  long Value;
};

static volatile int Forks, Ended;
static constexpr itimerval kOnce{{0, 0}, {0, 700}};

static void onAlarm(int) {
  const pid_t Child = fork();
  if (Child == 0)
    _exit(0);
  ++Forks;
  int Status = 1;
  while (waitpid(Child, &Status, 0) != Child) {
  }
  Ended += Status == 0;
  // Counts from here: where a fork takes long, the program goes on all the same.
  setitimer(ITIMER_REAL, &kOnce, nullptr);
}

int main() {
  signal(SIGALRM, onAlarm);
  constexpr int kMost = 200, kBlocks = 400;
  setitimer(ITIMER_REAL, &kOnce, nullptr);
  for (int Rounds = 0; Forks < kMost || Rounds < 10; ++Rounds) {
    Tiny *Made[kBlocks];
    for (Tiny *&Each : Made)
      Each = new Tiny;
    for (Tiny *Each : Made)
      delete Each;
    At = Pool;
  }
  const itimerval Never{};
  setitimer(ITIMER_REAL, &Never, nullptr);
  if (Ended != Forks)
    std::printf("%d of %d children ended well\n", Ended, Forks);
  return Ended == Forks ? 0 : 1;
}

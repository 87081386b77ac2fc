// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Memory used around signals and longjmp. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf Back;
static volatile sig_atomic_t Seen;
static void *volatile Sink;

static void onSignal(int number) { Seen += number == SIGUSR1; }
static void jump(int n) {
  Sink = malloc(10 + (size_t)n);
  longjmp(Back, n + 1);
}

int main(void) {
  signal(SIGUSR1, onSignal);
  volatile int rounds = 0;
  if (setjmp(Back) < 20) {
    ++rounds;
    raise(SIGUSR1);
    void *block = malloc(50);
    Sink = block;
    free(block);
    jump(rounds);
  }
  printf("%d %d\n", rounds, (int)Seen);
  return 0;
}

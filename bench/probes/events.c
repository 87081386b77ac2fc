// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* events.c - PAIRS pairs on 4 sites with up to 1024 live blocks: with
 * mode=trace a trace of twice as many events, for the throughput of `inmem
 * report`. */
#include <stdint.h>
#include <stdlib.h>

int main(int Argc, char **Argv) {
  long Pairs = Argc > 1 ? atol(Argv[1]) : 1000000;
  static void *Live[1024];
  uint32_t State = 1;
  for (long I = 0; I < Pairs; ++I) {
    State = State * 1664525u + 1013904223u;
    void **Slot = &Live[State >> 22];
    free(*Slot);
    switch (State >> 10 & 3) {
    case 0:
      *Slot = malloc(24 + (State >> 12 & 7) * 8);
      break;
    case 1:
      *Slot = malloc(16);
      break;
    case 2:
      *Slot = calloc(1, 48);
      break;
    default:
      *Slot = malloc(100);
      break;
    }
  }
  for (int I = 0; I < 1024; ++I)
    free(Live[I]);
  return 0;
}

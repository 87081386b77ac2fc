// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* pair.c - N pairs at one site, nothing else: the instructions that the hooks
 * take are counted as the difference between two runs of different length
 * (check_instructions.py).
 *
 *   pair WHAT PAIRS     WHAT: malloc, large, calloc, realloc, aligned
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile Kept;

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 2;
  long Pairs = atol(Argv[2]);
  if (!strcmp(Argv[1], "malloc")) {
    for (long I = 0; I < Pairs; ++I) {
      Kept = malloc(48);
      free(Kept);
    }
  } else if (!strcmp(Argv[1], "large")) {
    for (long I = 0; I < Pairs; ++I) { /* the size does not fit the entry */
      Kept = malloc(500);
      free(Kept);
    }
  } else if (!strcmp(Argv[1], "calloc")) {
    for (long I = 0; I < Pairs; ++I) {
      Kept = calloc(3, 16);
      free(Kept);
    }
  } else if (!strcmp(Argv[1], "realloc")) {
    for (long I = 0; I < Pairs; ++I) { /* two allocations, two frees */
      Kept = malloc(24);
      Kept = realloc(Kept, 200);
      free(Kept);
    }
  } else if (!strcmp(Argv[1], "aligned")) {
    for (long I = 0; I < Pairs; ++I) {
      Kept = aligned_alloc(64, 64);
      free(Kept);
    }
  } else {
    fprintf(stderr, "pair: unknown: %s\n", Argv[1]);
    return 2;
  }
  return 0;
}

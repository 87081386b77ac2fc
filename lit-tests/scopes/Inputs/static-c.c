// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* A static function of C that calls back, as a sort would. */
#include <stdlib.h>

#define APART __attribute__((noinline))

void *volatile HeldByC;

APART static void each(int Count, void (*Function)(void)) {
  HeldByC = malloc(8); /* not freed if an exception passed */
  for (int I = 0; I < Count; ++I)
    Function();
  free(HeldByC);
}

__attribute__((visibility("hidden"))) void twice(void (*Function)(void)) {
  each(2, Function);
}

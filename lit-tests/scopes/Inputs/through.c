// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* C code between a budget and an allocation. */
#include <stdlib.h>

void *volatile Held;

void *throughC(void *(*Function)(void)) {
  Held = malloc(8); /* not freed if an exception passed */
  void *Result = Function();
  free(Held);
  return Result;
}

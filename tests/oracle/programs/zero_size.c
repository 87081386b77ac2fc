// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Requests of no bytes are blocks all the same. */
#include <stdio.h>
#include <stdlib.h>

static void *volatile Sink;

int main(void) {
  int nulls = 0;
  for (int i = 0; i < 10; ++i) {
    void *a = malloc(0), *b = calloc(0, 8), *c = calloc(8, 0);
    Sink = a;
    Sink = b;
    Sink = c;
    nulls += !a + !b + !c;
    free(a);
    free(b);
    free(c);
    free(NULL);
  }
  printf("%d\n", nulls);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* realloc up, down, from null, to zero, in place and moving; reallocarray. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *text = NULL;
  size_t used = 0, room = 0;
  for (int i = 0; i < 5000; ++i) {
    if (used + 8 > room) {
      room = room ? room * 2 : 8;
      text = realloc(text, room);
      if (!text)
        return 1;
    }
    used += (size_t)sprintf(text + used, "%d,", i % 1000);
  }
  text = realloc(text, used + 1);
  char *wall = malloc(64);
  for (int i = 0; i < 40; ++i)
    text = realloc(text, used + 1 + (size_t)i * 4096);
  int *numbers = reallocarray(NULL, 10, sizeof *numbers);
  numbers = reallocarray(numbers, 1000, sizeof *numbers);
  memset(numbers, 1, 1000 * sizeof *numbers);
  void *same = malloc(100);
  for (int i = 0; i < 10; ++i)
    same = realloc(same, 100);
  /* Too large: refused, and the old block stays. */
  volatile size_t huge = (size_t)1 << 62;
  void *volatile refused = realloc(same, huge);
  void *volatile overflow = reallocarray(numbers, huge, 16);
  printf("%zu %d %d %d\n", used, numbers[999], refused == NULL,
         overflow == NULL);
  free(text);
  free(wall);
  free(numbers);
  free(same);
  return 0;
}

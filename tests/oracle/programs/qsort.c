// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* libc functions that allocate inside: qsort of large arrays, tsearch, hsearch.
 */
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void keep(void *key) { (void)key; }

int main(void) {
  enum { N = 50000 };
  int *numbers = malloc(N * sizeof *numbers);
  unsigned seed = 7;
  for (int i = 0; i < N; ++i)
    numbers[i] = (int)((seed = seed * 69069u + 1) >> 8);
  qsort(numbers, N, sizeof *numbers, compare);
  void *root = NULL;
  for (int i = 0; i < 300; ++i)
    tsearch(&numbers[i * 100], &root, compare);
  struct hsearch_data table = {0};
  hcreate_r(100, &table);
  ENTRY entry = {"key", numbers}, *found;
  hsearch_r(entry, ENTER, &found, &table);
  printf("%d\n", numbers[0] <= numbers[1]);
  tdestroy(root, keep);
  hdestroy_r(&table);
  free(numbers);
  return 0;
}

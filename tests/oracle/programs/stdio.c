// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* stdio's own buffers, pipes, directories, environment. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  for (int i = 0; i < 20; ++i) {
    FILE *file = tmpfile();
    if (!file)
      return 1;
    for (int j = 0; j < 3000; ++j)
      fprintf(file, "%d %s %f\n", j, "text", j / 3.0);
    rewind(file);
    char word[64];
    while (fscanf(file, "%63s", word) == 1) {
    }
    fclose(file);
  }
  char *big = malloc(100000);
  memset(big, 'x', 99999);
  big[99999] = 0;
  char *formatted;
  if (asprintf(&formatted, "%.90000s%200000d", big, 5) < 0)
    return 1;
  DIR *folder = opendir("/proc/self/fdinfo");
  while (readdir(folder)) {
  }
  closedir(folder);
  clearenv(); /* valgrind and inmem are given environments of different size */
  for (int i = 0; i < 50; ++i) {
    char name[32];
    sprintf(name, "ORACLE_VARIABLE_%d", i);
    setenv(name, "value", 1);
  }
  printf("%zu\n", strlen(formatted));
  free(formatted);
  free(big);
  return 0;
}

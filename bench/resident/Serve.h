// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that has reached the state to be measured: says "ready", and then
// allocates a little for each line of its input, so that commands reach it.
// After a line "trim" it returns what is free, and says "trimmed".
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void serve(void) {
  static const char Ready[] = "\nready\n", Trimmed[] = "trimmed\n";
  char Line[64];
  fflush(stdout);
  if (write(1, Ready, sizeof Ready - 1) < 0)
    return;
  for (ssize_t Got; (Got = read(0, Line, sizeof Line - 1)) > 0;) {
    Line[Got] = 0;
    void *volatile Block = malloc(100);
    free(Block);
    if (!strstr(Line, "trim"))
      continue;
    malloc_trim(0);
    if (write(1, Trimmed, sizeof Trimmed - 1) < 0)
      return;
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that allocates now and then, so that commands reach it.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

/// Says that it is ready, and returns when standard input ends.
static void serveUntilInput() {
  puts("ready");
  fflush(stdout);
  pollfd In = {0, POLLIN, 0};
  static void *volatile Sink;
  while (poll(&In, 1, 1) == 0) {
    Sink = malloc(100);
    free(Sink);
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// glibc-driver.h - the main() of a test of glibc's, which includes this last
// and has defined what it wants of it. TEST_CALL is the call that does the test.
#include "glibc-support.h"

#ifndef TIMEOUT
#define TIMEOUT DEFAULT_TIMEOUT
#endif

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  // A machine that runs more than this takes its time.
  alarm(90 * TIMEOUT);
#ifdef EXPECTED_SIGNAL
  const pid_t child = xfork();
  int status;
  if (child > 0) {
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status) ||
        WTERMSIG(status) != EXPECTED_SIGNAL)
      FAIL_EXIT1("expected to end by signal %d", EXPECTED_SIGNAL);
    return 0;
  }
#endif
  void *volatile placed = malloc(16);
  if (inmem_place_stats().blocks == 0)
    FAIL_EXIT1("no block is placed");
  free(placed);
  const int failed = TEST_CALL;
  return failed ? failed : glibc_failures != 0;
}

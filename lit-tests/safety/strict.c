// Intent: in seccomp's strict mode, where reading a clock kills, blocks go on
// being counted, at new sites too; their lives are not timed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 100002' \
// RUN:   'types["Item"].frees == 100002' 'types["Item"].lifetime.timed == 2' \
// RUN:   'types["Later"].allocations == 1' 'types["Later"].frees == 1'
// RUN: %record %t.json clock=exact -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 100002' \
// RUN:   'types["Item"].frees == 100002' 'types["Later"].frees == 1'
// RUN: %record %t.json clock=events -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 100002' \
// RUN:   'types["Item"].frees == 100002' \
// RUN:   'types["Item"].lifetime.timed == 100002'
// A call that fails changes nothing, and a clock that is given back is read.
// RUN: %record %t.json clock=exact -- %t.exe not
// RUN: %expect %t.json 'types["Item"].allocations == 100002' \
// RUN:   '50000 < types["Item"].lifetime.timed < 60000'
// RUN: %record %t.json -- %t.exe not again
// RUN: %expect %t.json 'types["Item"].allocations == 99002' \
// RUN:   'types["Item"].frees == 99002' 'processes[0].complete'

#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct Item {
  long values[4];
};
struct Later {
  int values[9];
};
static void *volatile sink;

__attribute__((noinline)) static void makeItem(void) {
  sink = malloc(sizeof(struct Item));
  free(sink);
}

int main(int count, char **arguments) {
  (void)arguments;
  makeItem();
  makeItem(); // what glibc has kept serves all that follows
  if (count > 1) {
    prctl(PR_SET_TSC, 1000); // no such mode
    for (int i = 0; i < 50000; ++i)
      makeItem();
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0)
      return 1;
    for (int i = 0; i < 49000; ++i)
      makeItem();
    if (count > 2) // the process ends without its clock
      return 0;
    if (prctl(PR_SET_TSC, PR_TSC_ENABLE) != 0)
      return 1;
    for (int i = 0; i < 1000; ++i)
      makeItem();
    return 0;
  }
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
    return 1;
  for (int i = 0; i < 100000; ++i)
    makeItem();
  sink = malloc(sizeof(struct Later));
  free(sink);
  syscall(SYS_exit, 0);
}

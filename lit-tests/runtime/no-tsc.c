// Intent: where the processor's counter may stop or change its rate, as on the oldest processor that QEMU plays, another
// clock is used and this is said.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: qemu-x86_64
// RUN: %inmem-clang -gdwarf-4 -O1 %s -o %t.exe
// RUN: rm -f %t.inmem
// QEMU takes ten seconds to reserve an address space without a limit.
// RUN: sh -c 'ulimit -v 4000000; INMEM_OPTIONS=output=%t.inmem exec qemu-x86_64 %t.exe' > %t.bounds 2> %t.txt
// RUN: %FileCheck %s < %t.txt
// CHECK: inmem: this machine's cycle counter is not invariant; using CLOCK_MONOTONIC
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'types["item"].lifetime.timed == 1' \
// RUN:   'types["item"].lifetime.min >= int(open("%{t}.bounds").read().split()[0]) - 200' \
// RUN:   'types["item"].lifetime.max <= int(open("%{t}.bounds").read().split()[1]) + 200'

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct item {
  int a;
};

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(void) {
  now();
  long long before = now();
  struct item *volatile one = malloc(sizeof(struct item));
  long long born = now();
  usleep(20000);
  long long ends = now();
  free(one);
  printf("%lld %lld\n", ends - born, now() - before);
  return 0;
}

// Intent: glibc's heap checks (libc_malloc_debug preloaded) see the program's own blocks, as without us.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -f %t.*inmem %t.trace*
// RUN: %inmem-clang -O1 %s -o %t && %clang -O1 %s -o %t.plain
// DEFINE: %{checked} = env LD_PRELOAD=libc_malloc_debug.so.0 INMEM_OPTIONS=output=%t.out.inmem
// RUN: %not --crash %{checked} MALLOC_CHECK_=3 %t overrun 2>&1 | %FileCheck %s --check-prefix=BEYOND
// BEYOND: free(): invalid pointer
// BEYOND-NOT: not noticed
// RUN: %{checked} MALLOC_CHECK_=3 %t size | %FileCheck %s --check-prefix=SIZE
// SIZE: usable 30
// RUN: %{checked} %t sound | %FileCheck %s --check-prefix=SOUND
// SOUND: probe 0
// RUN: %{checked} %t probe | %FileCheck %s --check-prefix=PROBE
// PROBE: mcheck 3
// PROBE: probe 3
// RUN: %{checked} MALLOC_TRACE=%t.trace %t trace && %FileCheck %s --check-prefix=TRACE --input-file %t.trace
// TRACE: + 0x{{[0-9a-f]+}} 0x64
// TRACE: + 0x{{[0-9a-f]+}} 0x1e
// RUN: %record %t.json -- env LD_PRELOAD=libc_malloc_debug.so.0 MALLOC_CHECK_=3 %t size
// RUN: %expect %t.json 'types["char"].allocations == 2' 'types["char"].allocated_bytes == 130' 'types["char"].frees == 2'

// A program that is not instrumented: inmem's library precedes glibc's checks.
// RUN: %not %{checked} MALLOC_CHECK_=3 %inmem run -- %t.plain overrun 2>&1 | %FileCheck %s --check-prefix=BEYOND
// RUN: %{checked} MALLOC_CHECK_=3 %inmem run -- %t.plain size | %FileCheck %s --check-prefix=SIZE
// RUN: %{checked} %inmem run -- %t.plain sound | %FileCheck %s --check-prefix=SOUND

#include <malloc.h>
#include <mcheck.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

static void report(enum mcheck_status Status) { printf("mcheck %d\n", Status); }

int main(int Count, char **Words) {
  const char *Test = Count > 1 ? Words[1] : "";
  static char Line[1000];
  setvbuf(stdout, Line, _IOFBF, sizeof Line); // no block of its own
  const int Overrun = !strcmp(Test, "overrun") || !strcmp(Test, "probe");
  const int Probed = !strcmp(Test, "probe") || !strcmp(Test, "sound");
  if (Probed)
    mcheck(report);
  if (!strcmp(Test, "trace"))
    mtrace();
  char *volatile First = malloc(100);
  char *volatile Second = malloc(30);
  if (!strcmp(Test, "size"))
    printf("usable %zu\n", malloc_usable_size(Second));
  if (Overrun)
    Second[30] = 7;
  if (Overrun && !Probed)
    Second[31] = 7;
  if (Probed)
    printf("probe %d\n", mprobe(Second));
  free(Second);
  free(First);
  if (!strcmp(Test, "overrun"))
    puts("not noticed");
  return 0;
}

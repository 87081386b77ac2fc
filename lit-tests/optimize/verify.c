// Intent: verify-optimization tells how much of what is resident is blocks, whose peak is the program's own, which of
// two programs is worse, and by what; what it cannot know it does not say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clang -O1 %s -o %t.plain
// RUN: %clang -O1 -DKEEP_PAGES %s -o %t.worse
// RUN: %clang -O1 %s -static -o %t.static
// RUN: %inmem verify-optimization --runs 1 --tolerance 25 --format json %t.plain %t.plain > %t.json
// RUN: %python %S/Inputs/holds.py %t.json 'live_bytes["peak"] == 2080000' 'live_bytes["steady"] == 80000' 'not worse' \
// RUN:   'rss_per_live_byte["old"] > 10' 'figures["peak_rss_bytes"]["old"] < 6000000' 'len(rss_over_time["old"]) > 20' \
// RUN:   'figures["page_faults"]["old"] > 500' 'figures["cpu_seconds"]["judged"]' 'not figures["wall_seconds"]["judged"]' \
// RUN:   'figures["peak_rss_bytes"]["old"] >= max(rss_over_time["old"])' 'predictions is None' \
// RUN:   'all(round((each["new"] / each["old"] - 1) * 100, 6) == round(each["change_percent"], 6) for each in figures.values())' \
// RUN:   '{each["verdict"] for each in figures.values()} <= {"same", "too small", "not judged", "better", "runs differ"}' \
// RUN:   'type(rss_per_live_byte["change_percent"]) is float' 'type(figures["page_faults"]["old"]) is int' 'type(figures["cpu_seconds"]["old"]) is float'
//
// RUN: %not %inmem verify-optimization --runs 2 %t.plain %t.worse | %FileCheck %s
// CHECK: steady RSS {{.*}} worse
// CHECK: peak live 2.0 MiB 2.0 MiB not judged
// CHECK: steady live 78.1 KiB 78.1 KiB
// CHECK: RSS / live
// CHECK: OVER TIME
// CHECK-NEXT: start to end of a run at the end
// CHECK-NEXT: old RSS {{.*[▂▃▄][▂▃▄][▂▃▄][▂▃▄] [0-9.]+ MiB}}
// CHECK-NEXT: new RSS {{.*████ [0-9.]+ MiB}}
// CHECK-NEXT: live {{.*▁▁▁▁ [0-9.]+ KiB}}
//
// And the other way round.
// RUN: %inmem verify-optimization --runs 2 %t.worse %t.plain | %FileCheck %s --check-prefix=BETTER
// BETTER: steady RSS {{.*}} better
//
// Neither program can be recorded.
// RUN: %inmem verify-optimization --runs 1 --tolerance 100 --format json %t.static %t.static > %t.json
// RUN: %python %S/Inputs/holds.py %t.json 'live_bytes is None' 'rss_per_live_byte is None'

#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *volatile kept[20];

int main(void) {
  for (int i = 0; i < 20; ++i)
    memset(kept[i] = malloc(4000), 1, 4000);
  char *volatile all = malloc(2000000);
  memset(all, 1, 2000000);
#ifndef KEEP_PAGES
  free(all);
#endif
  // The second half of the run, and more.
  const struct timespec pause = {1, 0};
  nanosleep(&pause, NULL);
#ifdef KEEP_PAGES
  free(all);
#endif
  return 0;
}

// Intent: a trace has the process's highest resident size and that at its end; a budget limits it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe > %t.own
// RUN: %inmem report --format json %t.inmem > %t.json
// The program reads its own figures just before it ends.
// RUN: %expect %t.json 'report.rss.peak_bytes >= 64 << 20 and report.rss.end_bytes < report.rss.peak_bytes - (48 << 20)'
// RUN: %python -c "import json, sys; own = int(open('%{t}.own').read()); peak = json.load(open('%{t}.json'))['rss']['peak_bytes']; sys.exit(not own <= peak <= own + (4 << 20))"
// RUN: %inmem report %t.inmem | %FileCheck %s
// CHECK: peak {{.*}} alive at one moment, {{.*}} MiB resident at most
// RUN: echo '[totals]' > %t.toml && echo 'peak_rss_bytes = "32 MiB"' >> %t.toml
// RUN: %not %inmem check --budget %t.toml %t.inmem | %FileCheck %s --check-prefix=BROKEN
// BROKEN: peak resident bytes
// RUN: sed -i 's/32 MiB/512 MiB/' %t.toml && %inmem check --budget %t.toml %t.inmem
// RUN: echo '[types."*"]' > %t.types.toml && echo 'peak_rss_bytes = 1' >> %t.types.toml
// RUN: %not %inmem check --budget %t.types.toml %t.inmem 2>&1 | %FileCheck %s --check-prefix=TYPES
// TYPES: peak_rss_bytes is known of totals only
// A process that was killed has the size as last noted: here when live bytes last grew.
// RUN: env INMEM_OPTIONS=output=%t.killed.inmem sh -c '%t.exe kill || true'
// RUN: %inmem report --format json %t.killed.inmem > %t.killed.json && %expect %t.killed.json 'report.rss.peak_bytes >= 64 << 20'
// RUN: %inmem report %t.killed.inmem | %FileCheck %s --check-prefix=KILLED
// KILLED: peak {{.*}} MiB resident at least
// Each summary has the size at that moment.
// RUN: env INMEM_OPTIONS=output=%t.summed.inmem:periodic=0.01 %t.exe > /dev/null
// RUN: %inmem report --format json %t.summed.inmem > %t.summed.json
// RUN: %expect %t.summed.json 'report.timeline.points[-1].rss_bytes > 0'
// RUN: %inmem report --by time %t.summed.inmem | %FileCheck %s --check-prefix=TIME
// TIME: (resident)
// RUN: %inmem top --once %t.summed.inmem | %FileCheck %s --check-prefix=TOP
// TOP: resident {{.*}} MiB
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int Count, char **Words) {
  (void)Words;
  const size_t Bytes = 64 << 20;
  char *Large = malloc(Bytes);
  memset(Large, 1, Bytes);
  __asm__ volatile("" : : "r"(Large) : "memory");
  if (Count > 1) {
    char *More = malloc(Bytes / 4);
    __asm__ volatile("" : : "r"(More) : "memory");
    raise(SIGKILL);
  }
  free(Large);
  FILE *Status = fopen("/proc/self/status", "r");
  char Line[256];
  long KiB = 0;
  while (fgets(Line, sizeof Line, Status))
    if (sscanf(Line, "VmHWM: %ld", &KiB) == 1)
      break;
  fclose(Status);
  printf("%ld\n", KiB * 1024);
  return 0;
}

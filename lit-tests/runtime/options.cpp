// Intent: INMEM_OPTIONS: bad keys and values are named once on stderr and the program runs on;
// each option does what contract and help say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.exe

// RUN: env INMEM_OPTIONS=output=%t.a.inmem:colour=red %t.exe 2>&1 | %FileCheck %s --check-prefix=KEY
// KEY: {{.*}}colour{{.*}}output{{.*}}mode{{.*}}clock
// KEY: done
// RUN: %inmem report --format json %t.a.inmem > %t.json && %expect %t.json 'types["Small"].allocations == 100'

// RUN: env INMEM_OPTIONS=output=%t.b.inmem:mode=loud %t.exe 2>&1 | %FileCheck %s --check-prefix=VALUE
// VALUE: {{.*}}loud{{.*}}summary{{.*}}trace{{.*}}off
// VALUE: done
// RUN: %inmem report --format json %t.b.inmem > %t.json && %expect %t.json 'types["Small"].allocations == 100'

// RUN: env INMEM_OPTIONS=output=%t.c.inmem:stacks=-1 %t.exe 2>&1 | %FileCheck %s --check-prefix=NUMBER
// NUMBER: stacks
// NUMBER: done

// RUN: env INMEM_OPTIONS=help=1:output=%t.d.inmem %t.exe 2>&1 | %FileCheck %s --check-prefix=HELP
// HELP-DAG: output
// HELP-DAG: clock
// HELP-DAG: sample_bytes
// HELP-DAG: periodic

// However long it is, all of it applies.
// RUN: rm -f %t.long.inmem && %python -c "import os, sys; os.environ['INMEM_OPTIONS'] = 'output=' + sys.argv[2] + ':' + 'every=1:' * 1000 + 'mode=off'; os.execv(sys.argv[1], sys.argv[1:])" %t.exe %t.long.inmem
// RUN: test ! -e %t.long.inmem

// Off: no trace at all, nothing printed.
// RUN: rm -f %t.off.inmem && env INMEM_OPTIONS=output=%t.off.inmem:mode=off %t.exe 2>&1 | %FileCheck %s --check-prefix=QUIET
// QUIET-NOT: {{.}}
// QUIET: done
// QUIET-NOT: {{.}}
// RUN: %not ls %t.off.inmem

// RUN: %record %t.json min_size=100 -- %t.exe
// RUN: %expect %t.json '"Small" not in types' 'types["Large"].allocations == 50'
// RUN: %record %t.json max_size=100 -- %t.exe
// RUN: %expect %t.json '"Large" not in types' 'types["Small"].allocations == 100'
// RUN: %record %t.json min_size=100:max_size=200 -- %t.exe
// RUN: %expect %t.json 'types["Large"].allocations == 50' '"Small" not in types' 'any("at most 200 bytes" in n for n in report.notes)'
// RUN: %record %t.json max_size=3:every=10 -- %t.exe
// RUN: %expect %t.json '"Large" not in types' '"Small" not in types'
// RUN: %record %t.json include=Sm* -- %t.exe
// RUN: %expect %t.json 'types["Small"].allocations == 100' '"Large" not in types'
// RUN: %record %t.json exclude=Small,None -- %t.exe
// RUN: %expect %t.json '"Small" not in types' 'types["Large"].allocations == 50'
// RUN: %record %t.json start=off -- %t.exe
// RUN: %expect %t.json 'totals.allocations == 0'
// RUN: %record %t.json every=10 -- %t.exe
// RUN: %expect %t.json 'totals.allocations in (150, 160)' 'totals.allocations == sum(row.allocations for row in report.types)'

// A trace that cannot be written is one line, and the program runs on.
// RUN: env INMEM_OPTIONS=output=/no/such/folder/x.inmem %t.exe 2>&1 | %FileCheck %s --check-prefix=NOWHERE
// NOWHERE: /no/such/folder/x.inmem
// NOWHERE: done

#include <cstdio>

struct Small {
  int a;
};
struct Large {
  char bytes[200];
};
static void *volatile Sink;

int main() {
  for (int i = 0; i < 100; ++i) {
    Small *small = new Small{i};
    Sink = small;
    delete small;
  }
  for (int i = 0; i < 50; ++i) {
    Large *large = new Large;
    Sink = large;
    delete large;
  }
  std::puts("done");
}

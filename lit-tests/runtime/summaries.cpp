// Intent: a summary holds the counts of each site at its moment, threads added up; periodic=SECONDS,N resets with the
// first N of them only; with stacks= a trace says what was live at the peak, also if one before was nearly as high.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -I%include -pthread %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem dump %t.inmem | %FileCheck %s
// CHECK-DAG: type index=[[BRIEF:[0-9]+]] {{.*}}name="Brief"
// CHECK-DAG: type index=[[LONG:[0-9]+]] {{.*}}name="Long"
// CHECK: extent snapshot {{.*}}kind=manual
// CHECK-DAG: row site={{[0-9]+}} type=[[BRIEF]] allocations=40 bytes=320 frees=40 freed-bytes=320 temporary=40 timed=40
// CHECK-DAG: row site={{[0-9]+}} type=[[LONG]] allocations=40 bytes=640 frees=20 freed-bytes=320 timed=20
// CHECK: extent

// RUN: env INMEM_OPTIONS=output=%t.inmem:periodic=0.03,2 %until %t.inmem 'sum(p.kind == "periodic" for p in report.timeline.points) >= 2' -- %t.exe wait
// RUN: %inmem dump %t.inmem | %FileCheck %s --check-prefix=PERIODIC
// PERIODIC-COUNT-2: extent snapshot {{.*}}kind=reset
// PERIODIC-NOT: kind=reset
// PERIODIC: extent snapshot {{.*}}kind=periodic
// PERIODIC-NOT: kind=reset

// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:stacks=1 %t.exe peak
// RUN: %inmem flame --format folded --metric peak %t.inmem | %FileCheck %s --check-prefix=PEAK
// PEAK-DAG: {{First.* 100000000$}}
// PEAK-DAG: {{Second.* 30000000$}}

#include <inmem/inmem.h>
#include <cstdio>
#include <thread>

struct Brief {
  char bytes[8];
};
struct Long {
  char bytes[16];
};
struct First {
  char bytes[100000000];
};
struct Second {
  char bytes[30000000];
};
template <class T> __attribute__((noinline)) static T *make() {
  T *volatile made = new T;
  return made;
}

static void work() {
  for (int i = 0; i < 20; ++i)
    delete make<Brief>();
  Long *kept[20];
  for (auto &each : kept)
    each = make<Long>();
  for (int i = 0; i < 10; ++i)
    delete kept[i];
}

int main(int argc, char **argv) {
  const char mode = argc > 1 ? argv[1][0] : ' ';
  if (mode == 'w') {
    while (getchar() != EOF)
      continue;
  } else if (mode == 'p') {
    First *first = make<First>();
    Second *second = make<Second>();
    delete second;
    delete first;
  } else {
    std::thread(work).join();
    std::thread(work).join();
    inmem_snapshot("now");
  }
}

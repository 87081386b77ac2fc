// Intent: phases and named snapshots: a table of them, a report of what happened in one or between
// two, a comparison; threads and lifetimes choose a part of a report in the same way.

// RUN: %inmem-clangxx -O1 -I%include %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe

// RUN: %inmem report --top 5 --details 0 %t.inmem | %FileCheck %s --check-prefix=TABLE
// TABLE: PHASES
// TABLE-NEXT: phase
// TABLE-NEXT: (before)
// TABLE-NEXT: warmup {{.*}}Warm
// TABLE-NEXT: steady {{.*}}Steady
// TABLE-NEXT: end

// RUN: %inmem report --format json --phase warmup %t.inmem > %t.json
// RUN: %expect %t.json 'totals.allocations == 100' 'types["Warm"].live_allocations == 100' 'types["Warm"].lifetime.count == 0' '"Steady" not in types' 'totals.peak_live_bytes is None'
// RUN: %inmem report --format csv --phase warmup %t.inmem | %FileCheck %s --check-prefix=WARMUP
// WARMUP: Warm,,16,4,100,1600,0,0,100,1600
// RUN: %inmem report --format csv --phase steady..probe %t.inmem | %FileCheck %s --check-prefix=STEADY
// STEADY: Steady,,64,8,50,3200,50,3200,0,0
// RUN: %inmem report --format csv --phase probe..end %t.inmem | %FileCheck %s --check-prefix=REST
// REST: Warm,,16,4,0,0,60,960,40,640

// RUN: %inmem report --format json --by phase %t.inmem > %t.json
// RUN: %expect %t.json '[p.name for p in report.phases] == [None, "warmup", "steady", "end"]' 'sum(p.allocations for p in report.phases) == totals.allocations' 'report.phases[2].live_bytes - report.phases[2].carried_bytes == -960'

// RUN: %inmem diff --by type --old-phase warmup --new-phase end --type Steady,Warm %t.inmem %t.inmem | %FileCheck %s --check-prefix=DIFF
// DIFF: Warm
// DIFF: Steady

// RUN: %not %inmem report --phase nowhere %t.inmem 2>&1 | %FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: no phase or snapshot 'nowhere'; there are 'warmup', 'steady', 'probe', 'end'
// RUN: %not %inmem report --phase warmup --thread x %t.inmem 2>&1 | %FileCheck %s --check-prefix=BOTH
// BOTH: --phase and --thread
// RUN: %not %inmem report --lived 1s..1ms %t.inmem 2>&1 | %FileCheck %s --check-prefix=RANGE
// RANGE: --lived: expected a range such as 1ms..1s, found '1s..1ms'

// RUN: %inmem report --format csv --thread worker %t.inmem | %FileCheck %s --check-prefix=THREAD
// THREAD-NOT: Warm
// THREAD: Elsewhere,,32,8,7,224,7,224,0,0
// THREAD-NOT: Warm
// RUN: %inmem report --format csv --lived 20ms.. %t.inmem | %FileCheck %s --check-prefix=LIVED
// LIVED-NOT: {{Warm|Steady}}
// LIVED: Elsewhere,,32,8,1,32,1,32,0,0
// LIVED-NOT: {{Warm|Steady}}

#include <inmem/inmem.h>
#include <memory>
#include <pthread.h>
#include <thread>
#include <unistd.h>

struct Warm {
  int a[4];
};
struct Steady {
  long b[8];
};
struct Elsewhere {
  double c[4];
};
static std::unique_ptr<Warm> Kept[100];
static void *volatile Sink;

int main() {
  std::thread([] {
    pthread_setname_np(pthread_self(), "worker");
    for (int i = 0; i < 7; ++i) {
      auto *one = new Elsewhere;
      Sink = one;
      if (i == 3)
        usleep(30000);
      delete one;
    }
  }).join();
  inmem_phase("warmup");
  for (auto &one : Kept)
    one = std::make_unique<Warm>();
  inmem_phase("steady");
  for (int i = 0; i < 50; ++i) {
    auto *one = new Steady;
    Sink = one;
    delete one;
  }
  inmem_snapshot("probe");
  for (int i = 40; i < 100; ++i)
    Kept[i].reset();
  inmem_phase("end");
  Sink = new Steady;
}

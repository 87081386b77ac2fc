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
// RUN: %expect %t.json '[p.name for p in report.phases] == [None, "warmup", "steady", "end"]' 'sum(p.allocations for p in report.phases) == totals.allocations' 'report.phases[2].live_bytes - report.phases[2].carried_bytes == 32 - 960'

// RUN: %inmem diff --by type --old-phase warmup --new-phase end --type Steady,Warm %t.inmem %t.inmem | %FileCheck %s --check-prefix=DIFF
// DIFF: Warm
// DIFF: Steady

// RUN: %not %inmem report --phase nowhere %t.inmem 2>&1 | %FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: no phase or snapshot 'nowhere'; there are 'warmup', 'steady', 'probe', 'end'
// Objects and threads of a part, and a thread in a part.
// RUN: %inmem report --by type,thread --format json --phase steady %t.inmem > %t.json
// RUN: %expect %t.json 'types["Traced"].objects.constructed.stack == 5' 'types["Traced"].objects.copied == 2' 'types["Traced"].objects.moved == 1' 'types["Traced"].objects.destroyed == 5' 'types["Traced"].objects.carried == 1' 'types["Traced"].objects.alive == 1' 'types["Traced"].objects.peak_alive is None' '[(t.allocations, t.frees) for t in report.threads if t.name == "helper"] == [(4, 4)]' '[t.frees for t in report.threads if t.index == 1] == [110]'
// RUN: %inmem report --format json --phase ..warmup %t.inmem > %t.json
// RUN: %expect %t.json 'types["Traced"].objects.constructed.heap == 1' 'types["Traced"].objects.destroyed == 0' 'types["Traced"].objects.alive == 1'
// RUN: %inmem report --by type,thread --format json --phase end %t.inmem > %t.json
// RUN: %expect %t.json 'types["Traced"].objects.carried == 1' 'types["Traced"].objects.destroyed == 1' 'types["Traced"].objects.alive == 0' '[t for t in report.threads if t.name == "helper"] == []'
// RUN: %inmem report --format csv --phase steady --thread helper %t.inmem | %FileCheck %s --check-prefix=BOTH
// BOTH-NOT: {{^}}{{Warm|Steady}}
// BOTH: Elsewhere,,32,8,4,128,3,96,1,32
// BOTH-NOT: {{^}}{{Warm|Steady}}
// RUN: %inmem report --format csv --phase warmup --thread helper %t.inmem | %FileCheck %s --check-prefix=NOTYET --allow-empty
// NOTYET-NOT: Elsewhere
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
struct Traced {
  Traced() { asm volatile(""); }
  Traced(const Traced &) { asm volatile(""); }
  Traced(Traced &&) { asm volatile(""); }
  ~Traced() { asm volatile(""); }
};
static void trace() {
  Traced a, b;
  Traced c(a), d(a);
  Traced e(static_cast<Traced &&>(b));
}
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
  auto *kept = new Traced;
  Sink = kept;
  inmem_phase("warmup");
  for (auto &one : Kept)
    one = std::make_unique<Warm>();
  inmem_phase("steady");
  for (int i = 0; i < 50; ++i) {
    auto *one = new Steady;
    Sink = one;
    delete one;
  }
  trace();
  std::thread([] {
    pthread_setname_np(pthread_self(), "helper");
    for (int i = 0; i < 4; ++i) {
      auto *one = new Elsewhere;
      Sink = one;
      if (i > 0)
        delete one;
    }
  }).join();
  inmem_snapshot("probe");
  for (int i = 40; i < 100; ++i)
    Kept[i].reset();
  inmem_phase("end");
  delete kept;
  Sink = new Steady;
}

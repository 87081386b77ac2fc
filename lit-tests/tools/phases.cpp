// Intent: phases and named snapshots: a table of them, a report of what happened in one or between
// two, a comparison; threads and lifetimes choose a part of a report in the same way.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -I%include %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe

// RUN: env COLUMNS=200 %inmem report --top 5 --details 0 %t.inmem | %FileCheck %s --check-prefix=TABLE
// TABLE: PHASES
// TABLE-NEXT: phase {{.*}}peak {{.*}}objects
// TABLE-NEXT: (before)
// TABLE-NEXT: warmup {{.*}}Warm
// TABLE-NEXT: steady {{.*}}Steady
// TABLE-NEXT: end

// RUN: %inmem report --format json --phase warmup %t.inmem > %t.json
// RUN: %expect %t.json 'totals.allocations == 100' 'types["Warm"].live_allocations == 100' 'types["Warm"].lifetime.count == 0' '"Steady" not in types' 'types["Warm"].peak_live_bytes == 1600'
// RUN: %inmem report --format json --phase steady %t.inmem > %t.json
// RUN: %expect %t.json 'types["Steady"].peak_live_bytes == 64' 'types["Warm"].peak_live_bytes == 1600' 'types["Elsewhere"].peak_live_bytes == 64'
// RUN: %inmem report --format json --phase end %t.inmem > %t.json
// RUN: %expect %t.json 'types["Warm"].peak_live_bytes == 640' 'types["Steady"].peak_live_bytes == 64' 'totals.peak_live_bytes < 200000'
// RUN: %inmem report --format json --phase warmup..end %t.inmem > %t.json
// RUN: %expect %t.json 'types["Warm"].peak_live_bytes == 1600'
// RUN: %inmem report --diagnostics %t.inmem 2>&1 >/dev/null | %FileCheck %s --check-prefix=SOUND
// SOUND: 0 diagnostics of the reader, 0 of the verifier
// RUN: %inmem report --format csv --phase warmup %t.inmem | %FileCheck %s --check-prefix=WARMUP
// WARMUP: Warm,,16,4,100,1600,0,0,100,1600
// RUN: %inmem report --format csv --phase steady..probe %t.inmem | %FileCheck %s --check-prefix=STEADY
// STEADY: Steady,,64,8,50,3200,50,3200,0,0
// RUN: %inmem report --format csv --phase probe..end %t.inmem | %FileCheck %s --check-prefix=REST
// REST: Warm,,16,4,0,0,60,960,40,640
// What a thread had allocated before counts from there, too.
// RUN: %inmem report --format csv --phase probe..end --thread 1 %t.inmem | %FileCheck %s --check-prefix=REST

// RUN: %inmem report --format json --by phase %t.inmem > %t.json
// RUN: %expect %t.json --in %s \
// EXPECT: [p.name for p in report.phases] == [None, "warmup", "steady", "end"]
// EXPECT: sum(p.allocations for p in report.phases) == totals.allocations
// EXPECT: report.phases[2].live_bytes - report.phases[2].carried_bytes == 32 - 960
// RUN:   'max(p.peak_live_bytes for p in report.phases) == totals.peak_live_bytes' 'report.phases[2].constructed == 5' 'report.phases[2].copied == 2' 'report.phases[2].destroyed == 5'

// In text, rows are of what was made in the part, and live is what it added; JSON has what was carried, too.
// RUN: env COLUMNS=200 %inmem report --by type,site --details 0 --phase steady..probe --sort live %t.inmem | %FileCheck %s --check-prefix=MADE
// MADE: live is what it added
// MADE: still alive {{.*}}from before
// MADE-NOT: {{^ *Warm}}
// MADE: Elsewhere 128 B {{.*}} 4 32 B
// MADE-NOT: {{^ *Warm}}
// MADE: Steady 3.1 KiB {{.*}} 50 - 
// MADE-NOT: {{^ *Warm}}
// MADE: SITES

// RUN: %inmem diff --by type --old-phase warmup --new-phase end --type Steady,Warm %t.inmem %t.inmem | %FileCheck %s --check-prefix=DIFF
// DIFF: Warm
// DIFF: Steady

// RUN: %not %inmem report --phase nowhere %t.inmem 2>&1 | %FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: no phase or snapshot 'nowhere'; there are 'warmup', 'steady', 'probe', 'end'
// Objects and threads of a part, and a thread in a part.
// RUN: %inmem report --by type,thread --format json --phase steady %t.inmem > %t.json
// RUN: %expect %t.json --in %s --prefix EXPECT2
// EXPECT2: types["Traced"].objects.constructed.stack == 5
// EXPECT2: types["Traced"].objects.copied == 2
// EXPECT2: types["Traced"].objects.moved == 1
// EXPECT2: types["Traced"].objects.destroyed == 5
// EXPECT2: types["Traced"].objects.carried == 1
// EXPECT2: types["Traced"].objects.alive == 1
// EXPECT2: types["Traced"].objects.peak_alive is None
// EXPECT2: [(t.allocations, t.frees) for t in report.threads if t.name == "helper"] == [(4, 4)]
// EXPECT2: [t.frees for t in report.threads if t.index == 1] == [110]
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
// Objects that a thread made.
// RUN: %inmem report --format json --thread 1 %t.inmem | %FileCheck %s --check-prefix=MAIN
// MAIN: "type": "Traced"
// MAIN: "heap": 1
// MAIN-NEXT: "stack": 5
// MAIN: "destroyed": 6
// MAIN: "leaked_objects": []
// RUN: %inmem report --format json --thread worker %t.inmem | %FileCheck %s --check-prefix=WORKER
// WORKER: "type": "Elsewhere"
// WORKER-NOT: "Traced"
// RUN: %inmem export --format pprof --phase steady --thread helper -o %t.pb %t.inmem
// RUN: %not %inmem export --format massif --phase steady -o %t.massif %t.inmem 2>&1 | %FileCheck %s --check-prefix=MASSIF
// MASSIF: only a part of it was chosen
// RUN: %inmem dump --type 'Stea*' --site steadily %t.inmem | %FileCheck %s --check-prefix=DUMP
// DUMP-NOT: {{Warm|Elsewhere}}
// DUMP: type index={{.*}} name="Steady"
// DUMP-NOT: {{Warm|Elsewhere}}
// DUMP: site id=[[SITE:[0-9]+]]{{.*}}steadily
// DUMP-NOT: site id=
// DUMP: row site=[[SITE]] {{.*}}allocations=50
// DUMP-NOT: {{Warm|Elsewhere}}
// RUN: %inmem dump --thread worker %t.inmem | %FileCheck %s --check-prefix=DUMPTHREAD
// DUMPTHREAD-NOT: name="helper"
// DUMPTHREAD: thread index=[[INDEX:[0-9]+]] {{.*}}name="worker"
// DUMPTHREAD-NOT: name="helper"
// DUMPTHREAD: extent rows owner=[[INDEX]]
// DUMPTHREAD-NOT: owner=
// RUN: %inmem dump --min-bytes 3k %t.inmem | %FileCheck %s --check-prefix=DUMPLARGE
// DUMPLARGE-NOT: name="Warm"
// DUMPLARGE: name="Steady"
// RUN: %inmem dump --types --type 'Wa*' %t.inmem | %FileCheck %s --check-prefix=DUMPTYPES
// DUMPTYPES-NOT: Steady
// DUMPTYPES: Warm  (16 bytes
// RUN: %not %inmem dump --types --thread worker %t.inmem 2>&1 | %FileCheck %s --check-prefix=NOTHREAD
// NOTHREAD: dump --types: types belong to no thread; --thread does not apply

// Budgets know peaks and objects of phases.
// RUN: %inmem check --budget %S/Inputs/phases-hold.toml %t.inmem | %FileCheck %s --check-prefix=HOLDS
// HOLDS: 6 limits held
// RUN: %not %inmem check --keys --budget %S/Inputs/phases-broken.toml %t.inmem > %t.check
// RUN: %FileCheck %s --check-prefix=OVER < %t.check
// OVER-DAG: phases.steady.types.Traced copies {{.*}}0 {{.*}}2
// OVER-DAG: phases.warmup.types.Warm peak_live_bytes

// RUN: %not %inmem report --lived 1s..1ms %t.inmem 2>&1 | %FileCheck %s --check-prefix=RANGE
// RANGE: --lived: expected a range such as 1ms..1s, found '1s..1ms'

// RUN: %inmem report --format csv --thread worker %t.inmem | %FileCheck %s --check-prefix=THREAD
// THREAD-NOT: Warm
// THREAD: Elsewhere,,32,8,7,224,7,224,0,0
// THREAD-NOT: Warm
// On the events clock a lifetime is the same in each run.
// RUN: env INMEM_OPTIONS=output=%t.lived.inmem:clock=events %t.exe lived
// RUN: %inmem report --format csv --type Elsewhere,Warm,Steady --lived 500000.. %t.lived.inmem | %FileCheck %s --check-prefix=LIVED
// LIVED-NOT: {{Warm|Steady}}
// LIVED: Elsewhere,,32,8,1,32,1,32,0,0
// LIVED-NOT: {{Warm|Steady}}

#include <inmem/inmem.h>
#include <memory>
#include <pthread.h>
#include <thread>

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
__attribute__((noinline)) static Steady *steadily() {
  auto *one = new Steady;
  Sink = one;
  return one;
}

int main(int count, char **) {
  const bool isLong = count > 1;
  std::thread([isLong] {
    pthread_setname_np(pthread_self(), "worker");
    for (int i = 0; i < 7; ++i) {
      auto *one = new Elsewhere;
      Sink = one;
      if (i == 3 && isLong)
        for (int k = 0; k < 100; ++k) {
          auto *other = new char[10000];
          Sink = other;
          delete[] other;
        }
      delete one;
    }
  }).join();
  auto *kept = new Traced;
  Sink = kept;
  inmem_phase("warmup");
  for (auto &one : Kept)
    one = std::make_unique<Warm>();
  inmem_phase("steady");
  for (int i = 0; i < 50; ++i)
    delete steadily();
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

// Intent: a forked child has its parent's blocks too: counted apart from its own, by type and
// site, with how many of them it freed; also in a child of the child. One that another site took over is
// counted there alone (the C++ library may have made one block of unknown type).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 %s -o %t.exe
// RUN: rm -rf %t && mkdir %t
// RUN: env INMEM_OPTIONS=output=%t/trace.%%p.inmem %t.exe > %t/pids
// RUN: sh -c 'read parent child grandchild < %t/pids; for p in $parent $child $grandchild; do %inmem report --format json %t/trace.$p.inmem || exit 1; done' > %t/all
// RUN: %python -c 'import json, sys; s = open(sys.argv[1]).read(); d = json.JSONDecoder(); at = 0; [(open(f"{sys.argv[1]}.{i}", "w").write(json.dumps(v)), at := e + 1) for i in range(3) for v, e in [d.raw_decode(s, at)]]' %t/all
// RUN: %expect %t/all.0 'types["Parents"].allocations == 10' 'types["Parents"].frees == 1' '"Childs" not in types' 'report.before_fork is None'
// RUN: %expect %t/all.1 'types["Childs"].allocations == 3' '"Parents" not in types' 'totals.live_allocations == 3' \
// RUN:   '[(row.type, row.allocations, row.frees, row.live_bytes) for row in report.before_fork.types if row.type] == [("Parents", 10, 4, 6 * 40), ("char", 1, 0, 10)]' \
// RUN:   '[row.allocations for row in report.before_fork.types if row.type is None] in ([], [1])' \
// RUN:   'report.before_fork.live_bytes == sum(row.live_bytes for row in report.before_fork.types)'
// RUN: %expect %t/all.2 'totals.allocations == 0' \
// RUN:   'sorted((row.type, row.allocations, row.frees) for row in report.before_fork.types if row.type) == [("Childs", 3, 1), ("Parents", 6, 1), ("char", 1, 0)]'
// The same with stacks, of which many end at one site, and objects that are followed, which are no blocks.
// RUN: %inmem-clangxx -O1 -DOBJECTS -fplugin-arg-inmem-objects=lifetime %s -o %t.objects.exe
// RUN: env INMEM_OPTIONS=stacks=8:output=%t/stacks.%%p.inmem %t.objects.exe > %t/pids.stacks
// RUN: sh -c 'read parent child grandchild < %t/pids.stacks; %inmem report --format json %t/stacks.$child.inmem' > %t/stacks.json
// RUN: %expect %t/stacks.json '[(row.type, row.allocations, row.frees, row.live_bytes) for row in report.before_fork.types if row.type] == [("Parents", 10, 4, 6 * 40), ("char", 1, 0, 10)]'
// Events know nothing of these blocks, and agree with the rest.
// RUN: env INMEM_OPTIONS=mode=trace:output=%t/events.%%p.inmem %t.exe > %t/pids.events
// RUN: sh -c 'read parent child grandchild < %t/pids.events; for p in $parent $child $grandchild; do %inmem report --full --diagnostics %t/events.$p.inmem 2>&1; done' | %FileCheck %s --check-prefix=EVENTS --implicit-check-not=invariant
// EVENTS-COUNT-3: 0 diagnostics of the reader, 0 of the verifier
// RUN: sh -c 'read parent child grandchild < %t/pids; %inmem report --full %t/trace.$child.inmem' | %FileCheck %s
// CHECK: before the fork
// RUN: sh -c 'read parent child grandchild < %t/pids; %inmem dump %t/trace.$child.inmem' | %FileCheck %s --check-prefix=DUMP
// DUMP: site {{.*}}flags=inherited

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

struct Parents {
#ifdef OBJECTS
  Parents() { a[0] = 1; }
  ~Parents() { a[0] = 2; }
#endif
  int a[10];
};
struct Childs {
  int a[20];
};
static void *volatile Sink;

int main() {
  static Parents *parents[10];
  static Childs *childs[3];
  int pids[2];
  if (pipe(pids) != 0)
    return 1;
  for (auto &each : parents)
    Sink = each = new Parents;
  char *text;
  if (asprintf(&text, "%09d", pids[0]) != 9) // asprintf's block, then ours
    return 1;
  Sink = text;
  pid_t child = fork();
  if (child == 0) {
    delete parents[0]; // the child's first event
    for (auto &each : childs)
      Sink = each = new Childs;
    for (int i = 1; i < 3; ++i)
      delete parents[i];
    void *grown = realloc(parents[3], 1000); // ends the parent's block, makes one of its own
    free(grown);
    pid_t grandchild = fork();
    if (grandchild == 0) {
      delete childs[0];
      delete parents[9];
      _exit(0);
    }
    waitpid(grandchild, nullptr, 0);
    if (write(pids[1], &grandchild, sizeof grandchild) < 0)
      _exit(1);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  delete parents[5];
  pid_t grandchild;
  if (read(pids[0], &grandchild, sizeof grandchild) < 0)
    return 1;
  char line[64];
  int length = std::snprintf(line, sizeof line, "%d %d %d\n", getpid(), child, grandchild);
  return write(1, line, static_cast<size_t>(length)) == length ? 0 : 1;
}

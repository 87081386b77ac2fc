// Intent: a thousand forked children that record: every trace is whole, and what each inherited
// is exact. The parent's own counts say that where it has one thread; where another one lives,
// children look through the index. Both find the same. Children that record nothing leave none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 %s -o %t.exe
// RUN: rm -rf %t && mkdir -p %t/alone %t/beside %t/seldom
// RUN: env INMEM_OPTIONS=output=%t/alone/trace.%%p.inmem %t.exe 1000 alone
// RUN: env INMEM_OPTIONS=output=%t/beside/trace.%%p.inmem %t.exe 100 beside
// RUN: env INMEM_OPTIONS=output=%t/seldom/trace.%%p.inmem %t.exe 1000 seldom
// RUN: sh -c '%inmem report --format json --no-symbols %t/seldom/*.inmem' > %t/seldom.json
// RUN: %expect %t/seldom.json 'len(report.processes) == 101' 'all(p.complete for p in report.processes)' \
// RUN:   'types["Childs"].allocations == 500 == types["Childs"].frees'
// RUN: sh -c '%inmem report --format json --no-symbols %t/alone/*.inmem' > %t/alone.json
// RUN: sh -c '%inmem report --format json --no-symbols %t/beside/*.inmem' > %t/beside.json
// RUN: %expect %t/alone.json 'len(report.processes) == 1001' 'all(p.complete for p in report.processes)' \
// RUN:   'types["Childs"].allocations == 5000' 'types["Childs"].frees == 5000' \
// RUN:   'types["Parents"].allocations == 1000 + 20' 'all(p.dropped_events == 0 for p in report.processes)' \
// RUN:   '{row.type: (row.allocations, row.frees) for row in report.before_fork.types if row.type} == {"Parents": (1000 * 1001 // 2, 1000), "Grown": (1000 * 10, 0), "Others": (1000 * 15, 0)}'
// RUN: %expect %t/beside.json 'len(report.processes) == 101' 'all(p.complete for p in report.processes)' \
// RUN:   'types["Childs"].allocations == 500' \
// RUN:   '{row.type: (row.allocations, row.frees) for row in report.before_fork.types if row.type and "thread" not in row.type} == {"Parents": (100 * 101 // 2, 100), "Grown": (100 * 10, 0), "Others": (100 * 15, 0)}'

#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

struct Parents {
  int a[10];
};
struct Childs {
  int a[20];
};
struct Grown {
  int a[30];
};
struct Others {
  int a[5];
};
static void *volatile Sink;

static void makeOthers() {
  for (int i = 0; i < 20; ++i) {
    Others *one = new Others;
    Sink = one;
    if (i % 4 == 0)
      delete one;
  }
}

int main(int count, char **arguments) {
  const int forks = count > 1 ? atoi(arguments[1]) : 1;
  const bool beside = count > 2 && !strcmp(arguments[2], "beside");
  const bool seldom = count > 2 && !strcmp(arguments[2], "seldom");
  int park[2], made[2];
  char c = 0;
  if (pipe(park) != 0 || pipe(made) != 0)
    return 1;
  std::thread other([&] {
    makeOthers();
    char c = 0;
    if (write(made[1], &c, 1) != 1)
      abort();
    if (beside && read(park[0], &c, 1) < 0) // lives until the end
      abort();
  });
  if (read(made[0], &c, 1) != 1)
    return 1;
  if (!beside)
    other.join();
  for (int i = 0; i < 10; ++i) { // blocks that moved from site to site
    Grown *grown = static_cast<Grown *>(malloc(sizeof(Grown)));
    grown = static_cast<Grown *>(realloc(grown, 5 * sizeof(Grown)));
    Sink = grown;
  }
  for (int i = 0; i < 20; ++i) {
    Parents *gone = new Parents;
    Sink = gone;
    delete gone;
  }
  static Parents *parents[100000];
  for (int i = 0; i < forks; ++i) {
    Sink = parents[i] = new Parents;
    pid_t child = fork();
    if (child == 0 && seldom && i % 10)
      _exit(0);
    if (child == 0) {
      for (int k = 0; k < 5; ++k) {
        Childs *one = new Childs;
        Sink = one;
        delete one;
      }
      delete parents[i / 2];
      exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
      return 1;
  }
  if (write(park[1], &c, 1) != 1)
    return 1;
  if (beside)
    other.join();
  return 0;
}

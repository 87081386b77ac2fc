// Intent: heap snapshots by a call, at the end, at the peak, by a signal and by inmem ctl; what inmem heap says of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -f %t*.heap
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t.program
// RUN: env INMEM_OPTIONS=output=%t.call.inmem %t.program call
// RUN: %inmem heap --format json %t.call.heap -o %t.call.json
// RUN: %python %inputs/heap.py %t.call.json --in %s --prefix CALL
// CALL: totals.unreachable_bytes == 0
// CALL: types["Session"].objects == 50
// CALL: types["Session"].retained_bytes >= 50 * (48 + 101)
// CALL: padding["Session"].bytes_each == 8
// CALL: duplicates[0].copies == 50
// CALL: sparse[0].wasted_bytes >= 999 * 4
// CALL: totals.edges >= 100
// RUN: %inmem heap --why Session --top 1 %t.call.heap | %FileCheck %s --check-prefix=WHY
// WHY: Session at 0x{{[0-9a-f]+}}: 40 B, retains {{[0-9]+}} B
// WHY: allocated by {{.+}}
// WHY: global {{.*}} -> {{.*}}std::unique_ptr<Session>
// RUN: %inmem heap diff %t.call.heap %t.call.2.heap --format json -o %t.diff.json
// RUN: %python %inputs/heap.py %t.diff.json 'totals.objects == 1' 'types["Session"].objects == 1' 'totals.unreachable_bytes == 40'
// RUN: %inmem heap %t.call.2.heap | %FileCheck %s --check-prefix=TEXT
// TEXT: LEAKS
// TEXT: Session
// TEXT: TYPES
// A long order of members is shown by its beginning.
// TEXT: PADDING
// TEXT-DAG: Session {{.*}} name, numbers, id, kind, state{{$}}
// TEXT-DAG: Wide {{.*}} first_of_the_numbers, … 3 more{{$}}
// RUN: env INMEM_OPTIONS=output=%t.exit.inmem:snapshot=exit %t.program exit
// RUN: %inmem heap --format json %t.exit.heap -o %t.exit.json
// RUN: %python %inputs/heap.py %t.exit.json 'types["Session"].objects == 50'
// RUN: env INMEM_OPTIONS=output=%t.peak.inmem:snapshot=peak %t.program peak
// RUN: %inmem heap --format json %t.peak.heap -o %t.peak.json
// RUN: %python %inputs/heap.py %t.peak.json 'totals.bytes >= 7000000'
// RUN: env INMEM_OPTIONS=output=%t.signal.inmem:snapshot=SIGUSR1 %t.program signal
// RUN: %inmem heap --format json %t.signal.heap -o %t.signal.json
// RUN: %python %inputs/heap.py %t.signal.json 'types["Session"].objects == 50'
// RUN: env INMEM=%inmem INMEM_OPTIONS=output=%t.ctl.inmem %t.program ctl
// RUN: %inmem heap --format json %t.ctl.heap -o %t.ctl.json
// RUN: %python %inputs/heap.py %t.ctl.json 'types["Session"].objects == 50'
// RUN: %inmem heap --format heapsnapshot %t.call.heap -o %t.heapsnapshot
// RUN: %not %inmem heap %s 2>&1 | %FileCheck %s --check-prefix=OTHER
// OTHER: snapshot.cpp: at byte 0: not a heap snapshot
// RUN: %not %inmem heap %t.call.inmem 2>&1 | %FileCheck %s --check-prefix=TRACE
// TRACE: call.inmem: at byte 0: not a heap snapshot: expected the magic INMHEAP1, found a trace, which `inmem report` shows
// RUN: %not %inmem report %t.call.heap 2>&1 | %FileCheck %s --check-prefix=HEAP
// HEAP: call.heap: at byte 0: not a trace: expected the magic of a trace, found a heap snapshot, which `inmem heap` shows
// RUN: %not %inmem heap --why "" %t.call.heap 2>&1 | %FileCheck %s --check-prefix=NOTHING
// NOTHING: heap --why: expected a type or a pattern, such as 'Session*', found nothing
// RUN: %not %inmem heap diff --why Session %t.call.heap %t.call.2.heap 2>&1 | %FileCheck %s --check-prefix=DIFF
// DIFF: heap diff: --why is for one snapshot
#include <inmem/inmem.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

struct Session {
  char kind = 0;
  std::string *name = nullptr;
  char state = 0;
  std::unique_ptr<int[]> numbers;
  long id = 0;
};
struct Wide {
  char first_of_the_flags = 0;
  long first_of_the_numbers = 0;
  char second_of_the_flags = 0;
  long second_of_the_numbers = 0;
};
static Wide *OneThatIsWide = new Wide;
// Not destroyed before the end.
static auto &Sessions = *new std::vector<std::unique_ptr<Session>>;
static auto &Spare = *new std::vector<int>;

[[gnu::noinline]] void fill() {
  for (long I = 0; I < 50; ++I) {
    Sessions.push_back(std::make_unique<Session>());
    Sessions.back()->name = new std::string(100, 'n');
    Sessions.back()->id = I;
  }
  Spare.reserve(1000);
  Spare.push_back(1);
}
[[gnu::noinline]] static void leak() {
  auto *Lost = new Session;
  asm volatile("" : "+r"(Lost)::"memory");
}
[[gnu::noinline]] static void wipe() {
  volatile char Room[64 * 1024];
  for (volatile char &C : Room)
    C = 0;
}

int main(int, char **Arguments) {
  const char *Case = Arguments[1];
  auto Is = [Case](const char *Name) { return std::strcmp(Case, Name) == 0; };
  fill();
  wipe();
  if (Is("call")) {
    inmem_snapshot();
    leak();
    wipe();
    inmem_snapshot();
    // The program's own children are all that it sees.
    if (waitpid(-1, nullptr, WNOHANG) != -1)
      return 1;
  } else if (Is("peak")) {
    for (int I = 0; I < 8; ++I)
      Sessions.push_back(std::make_unique<Session>()),
          Sessions.back()->numbers.reset(new int[250000]);
    for (int I = 0; I < 8; ++I)
      Sessions.pop_back();
  } else if (Is("signal")) {
    raise(SIGUSR1);
  } else if (Is("ctl")) {
    std::string Command = std::string("\"$INMEM\" ctl ") +
                          std::to_string(getpid()) + " snapshot >&2";
    if (std::system(Command.c_str()) != 0)
      return 1;
  }
  delete new int;
  return 0;
}

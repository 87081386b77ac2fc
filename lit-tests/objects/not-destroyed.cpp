// Intent: objects that longjmp and exit skip are shown as never destroyed; leaked heap
// objects are told with their blocks, and each with the places that made them.
// RUN: %count-objects %s %t --exit 3
// RUN: %expect %t-O0.json '[(r.type, r.alive, len(r.blocks)) for r in report.leaked_objects] == [("Skipped", 4, 1)]'
// RUN: %expect %t-O2.json --in %s
// EXPECT: [(r.type, r.alive, len(r.blocks)) for r in report.leaked_objects] == [("Skipped", 4, 1)]
// EXPECT: report.leaked_objects[0].blocks[0].live_allocations == 2
// EXPECT: sum(s.constructed for s in report.leaked_objects[0].sites) == 5
// RUN: %inmem report --full %t-O2.json.inmem | %FileCheck %s
// CHECK: NEVER DESTROYED
// CHECK: {{^ *}}4 {{.*}}Skipped
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <csetjmp>
#include <cstdlib>

struct Skipped { Skipped() {} Skipped(int) {} ~Skipped() {} };
struct Static { Static() {} ~Static() {} };
std::jmp_buf back;
Static global;
Skipped *sink;

void jump() {
  Skipped skipped;
  std::longjmp(back, 1);
}

// OBJECTS Skipped: stack=3 heap=2 defaulted=3 converted=2 destroyed=1 alive=4
// OBJECTS Static: static=1 destroyed=1 alive=0

int main() {
  { Skipped destroyed; }
  if (setjmp(back) == 0)
    jump();
  for (int i = 0; i < 2; ++i)
    sink = new Skipped(i);
  Skipped at_exit;
  std::exit(3);
}

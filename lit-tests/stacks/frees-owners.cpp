// Intent: frees=on knows which thread made a block also after a realloc of it that failed, and where blocks lie so closely
// that two share what is noted, it says so of the one only that has the note: of the other it says nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:frees=on %t.exe
// RUN: %inmem report --by frees --format csv %t.inmem | tr -d '\r' | %FileCheck %s
// CHECK: {{^}}type,allocating_function,{{.*}},allocating_tid,allocating_thread,freeing_tid,freeing_thread,frees,freed_bytes{{$}}
// CHECK-DAG: {{^}}Half,main,{{.*}},0,,[[TID:[1-9][0-9]*]],[[NAME:[^,]+]],10,80{{$}}
// CHECK-DAG: {{^}}Pair,main,{{.*}},[[TID]],[[NAME]],[[TID]],[[NAME]],10,160{{$}}
// CHECK-DAG: {{^}}char,main,{{.*}},[[TID]],[[NAME]],[[TID]],[[NAME]],1,100{{$}}

#include <cstddef>
#include <cstdint>
#include <cstdlib>

// Blocks of 16 bytes, side by side.
alignas(64) static char Pool[4096];
static char *At = Pool;
void *operator new(std::size_t size) {
  char *block = At;
  At += (size + 15) / 16 * 16;
  return block;
}
void operator delete(void *) noexcept {}
void operator delete(void *, std::size_t) noexcept {}

struct Pair {
  long a, b;
};
struct Half {
  long a;
};

int main() {
  Pair *pairs[10];
  Half *beside[10];
  for (int i = 0; i < 10; ++i) {
    pairs[i] = new Pair;
    beside[i] = new Half;
  }
  for (Half *each : beside)
    delete each;
  for (Pair *each : pairs)
    delete each;

  char *volatile block = static_cast<char *>(std::malloc(100));
  if (std::realloc(block, PTRDIFF_MAX / 2))
    return 1;
  std::free(block);
}

// Intent: two stacks whose contexts collide (forced here; the odds are 1 in 2^64) are distinguished as soon as
// one of them is walked again. From then on both are walked, and the report warns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clangxx -O2 -fplugin-arg-inmem-contexts=on -c %s -o %t/main.o
// RUN: %inmem-clangxx -O2 -DOTHER -c %s -o %t/other.o
// RUN: %inmem-clangxx %t/main.o %t/other.o -o %t/program
// RUN: env INMEM_OPTIONS=output=%t/all.inmem:stacks=16:check_stacks=on %t/program 2>%t/said
// RUN: %FileCheck --check-prefix=SAID %s --input-file=%t/said
// RUN: %inmem flame --format folded --metric count %t/all.inmem | %FileCheck --check-prefix=ALL %s
// SAID: stacks= took one stack for another
// SAID: wrong 1{{$}}
// Each of them, where each stack that is found is walked, too.
// ALL-DAG: {{^}}main;usual;make;Item 2000{{$}}
// ALL-DAG: {{^}}main;twin;make;Item 4001{{$}}

// One in 1024 is walked again: no more than these are at the other's place.
// RUN: env INMEM_OPTIONS=output=%t/some.inmem:stacks=16 %t/program
// RUN: %inmem report --by type,stack --format json %t/some.inmem > %t/some.json
// RUN: %inmem flame --format folded --metric count %t/some.inmem >%t/folded
// RUN: awk '/twin;make/ { Twin = $2 } /usual;make/ { Usual = $2 } END { exit !(Twin + Usual == 6001 && Twin > 2950 && Usual >= 2000) }' %t/folded
// RUN: %FileCheck --check-prefix=WARNS %s --input-file=%t/some.json
// WARNS: stacks= took one stack for another
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <inmem/abi.h>

/// What the last call of make() was called with.
struct Caller {
  uint64_t Context; ///< that its own calls have
  uintptr_t Return, Frame;
};
extern Caller Last;
void note(const void *Return, const void *Frame);
void make();
void twin(uint64_t Context, size_t Down);

#if defined(OTHER)
// Compiled without contexts: what it leaves in the word stays there.
#include <alloca.h>

Caller Last;
void note(const void *Return, const void *Frame) {
  Last = {__inmem_context, reinterpret_cast<uintptr_t>(Return), reinterpret_cast<uintptr_t>(Frame)};
}
void twin(uint64_t Context, size_t Down) {
  // make() has its frame as far down as in usual().
  volatile char *Room = static_cast<char *>(alloca(Down + 1));
  Room[0] = 0;
  __inmem_context = Context;
  make();
  asm volatile("" : : "r"(Room) : "memory");
}
#else
struct Item {
  long Values[5];
};
Item *volatile Made;
__attribute__((noinline)) void make() {
  note(__builtin_return_address(0), __builtin_frame_address(0));
  Made = new Item;
  delete Made;
  asm volatile("" : : : "memory");
}
__attribute__((noinline)) static void usual() {
  volatile char Room[512];
  Room[0] = 0;
  make();
  asm volatile("" : : "r"(Room) : "memory");
}
int main() {
  for (int I = 0; I < 2000; ++I)
    usual();
  const Caller Usual = Last;
  twin(0, 0);
  uint64_t Inverse = 1;
  for (int I = 0; I < 6; ++I)
    Inverse *= 2 - INMEM_CONTEXT_FACTOR * Inverse;
  const uint64_t Before = (Usual.Context - Last.Return) * Inverse;
  const size_t Down = Last.Frame - Usual.Frame;
  for (int I = 0; I < 4000; ++I)
    twin(Before, Down);
  if (Last.Context == Usual.Context && Last.Frame == Usual.Frame)
    return 0;
  std::fprintf(stderr, "context %llx of %llx, frame %zx of %zx\n", static_cast<unsigned long long>(Last.Context),
               static_cast<unsigned long long>(Usual.Context), Last.Frame, Usual.Frame);
  return 1;
}
#endif

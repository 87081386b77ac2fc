// Intent: each call carries the hint that the profile predicts: steady, phase, or none; in the program that LLVM links as
// well as in what the pass alone makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: llvm-22, lld
// RUN: %inmem-clangxx -std=c++20 -O2 -g %s -o %t.recorded
// RUN: env INMEM_OPTIONS=stacks=16:clock=events:output=%t.inmem %t.recorded
// RUN: %inmem optimize -o %t.yaml %t.inmem | %FileCheck --check-prefix=SUMMARY %s
// RUN: %inmem optimize -q -o %t.memprofdata %t.inmem
// RUN: %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-optimize=%t.yaml -S -emit-llvm %s -o - | %FileCheck --check-prefix=IR %s
// RUN: %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-optimize=%t.memprofdata %s -o %t.exe
// RUN: %t.exe placed
// RUN: %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-optimize=%t.yaml %s -o %t.pass
// RUN: %t.pass placed
// RUN: objdump -d --no-show-raw-insn %t.exe > %t.code
// RUN: %FileCheck --check-prefix=CODE %s < %t.code
//
// SUMMARY: 7 contexts: 3 steady, 1 phase, 3 short
// IR: define {{.*}} @makeSteady(
// IR: call {{.*}} @_Znwm12__hot_cold_t(i64 {{.*}}100, i8 1)
// IR: define {{.*}} @makePhase(
// IR: call {{.*}} @_Znwm12__hot_cold_t(i64 {{.*}}101, i8 100)
// IR: define {{.*}} @makeShort(
// IR: call {{.*}} @_Znwm(i64 {{.*}}102)
// IR: define {{.*}} @makeBoth(
// IR: call {{.*}} @_Znwm(i64 {{.*}}103)
// IR: define {{.*}} @wrapper(
// IR: call {{.*}} @_Znwm(i64
// IR: define {{.*}} @_ZL4keepi(
// IR-NOT: __inmem_place_expect
// IR: call {{.*}} @makeSteady
// IR: call void @__inmem_place_expect(i32 2)
// IR: call {{.*}} @makeBoth
// IR: call void @__inmem_place_expect(i32 0)
// IR: call void @__inmem_place_expect(i32 2)
// IR: call {{.*}} @wrapper
// IR: call void @__inmem_place_expect(i32 0)
// IR: define {{.*}} @_ZL4dropi(
// IR-NOT: __inmem_place_expect
// IR: {{^}}}
// CODE: <makeSteady>:
// CODE: $0x1,%esi
// CODE-NEXT: {{call|jmp}}{{.*}} <_Znwm12__hot_cold_t>
// CODE: <makePhase>:
// CODE: $0x64,%esi
// CODE-NEXT: {{call|jmp}}{{.*}} <_Znwm12__hot_cold_t>
// CODE: <makeShort>:
// CODE-NOT: hot_cold
// CODE: <_Znwm
// CODE: <makeBoth>:
// CODE-NOT: hot_cold
// CODE: <_Znwm
// CODE: <makeBoth.memprof.1>:
// CODE: $0x1,%esi
// CODE-NEXT: {{call|jmp}}{{.*}} <_Znwm12__hot_cold_t>

#include <cstdio>
#include <new>

struct inmem_place_stats {
  unsigned long blocks, bytes, page_bytes;
};
extern "C" __attribute__((weak)) inmem_place_stats inmem_place_stats(void);

struct Block {
  explicit Block(int i) { text[0] = static_cast<char>(i); }
  char text[96];
};
struct Steady : Block { using Block::Block; char more[4] = {}; };
struct Phase : Block { using Block::Block; char more[5] = {}; };
struct Short : Block { using Block::Block; char more[6] = {}; };
struct Both : Block { using Block::Block; char more[7] = {}; };

#define SITE extern "C" __attribute__((noinline))
SITE Steady *makeSteady(int i) { return new Steady(i); }
SITE Phase *makePhase(int i) { return new Phase(i); }
SITE Short *makeShort(int i) { return new Short(i); }
SITE Both *makeBoth(int i) { return new Both(i); }
// Hands on what it allocates: its callers are the sites.
SITE void *wrapper(unsigned long size) { return operator new(size); }

static void *volatile kept[3][1000], *volatile passing[100];
static long placed;

__attribute__((noinline)) static void keep(int i) {
  kept[0][i] = makeSteady(i);
  kept[1][i] = makeBoth(i);
  kept[2][i] = wrapper(104);
}
__attribute__((noinline)) static void drop(int i) {
  operator delete(passing[i % 100]);
  passing[i % 100] = makePhase(i);
  operator delete(makeBoth(i));
  operator delete(makeShort(i));
  operator delete(wrapper(104));
}

int main(int argc, char **) {
  for (int i = 0; i < 1000; ++i) {
    keep(i);
    drop(i);
  }
  if (inmem_place_stats)
    placed = static_cast<long>(inmem_place_stats().blocks);
  std::printf("placed %ld\n", placed);
  return argc > 1 && placed != 3100;
}

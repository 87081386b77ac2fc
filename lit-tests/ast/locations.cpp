// Intent: source locations that only our passes need are gone when code is generated; those that the
// user asked for stay. What clang says of a function is then what it says without the plugin.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O0 -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=NONE
// RUN: %clangxx -O2 -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=NONE
// RUN: %clangxx -O0 -gline-tables-only -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=KEPT
// RUN: %clangxx -O2 -gline-tables-only -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=KEPT
// NONE-NOT: {{^define .*}}!dbg
// NONE-NOT: {{^ .*}}!dbg
// KEPT: define {{.*}}@_Z7nothingi({{.*}}!dbg
// KEPT: define {{.*}}@_Z4makei({{.*}}!dbg
// KEPT: ret ptr {{.*}}!dbg

// What has nothing of ours is the same code, nearly for the same price.
// RUN: %clangxx -O0 -DNOTHING -S %s -o %t.plain && %clangxx -O0 -DNOTHING -fplugin=%plugin -S %s -o %t.ours && diff %t.plain %t.ours
// RUN: %clangxx -O0 -DNOTHING -Wframe-larger-than=1 -S %s -o %t.s 2> %t.plain && %clangxx -O0 -DNOTHING -Wframe-larger-than=1 -fplugin=%plugin -S %s -o %t.s 2> %t.ours
// RUN: %FileCheck %s --check-prefix=FRAME < %t.plain && diff %t.plain %t.ours
// FRAME: stack frame size

// RUN: %clangxx -O0 -fplugin=%plugin %s -o %t %librt -Wl,-rpath,%libdir && %record %t.json -- %t
// RUN: %expect %t.json 'types["Made"].sites[0].line == 33' 'types["Made"].objects.constructed.heap == 1' 'types["Held"].objects.constructed.stack == 1'
struct Pair { int a, b; };
void take(Pair);
void nothing(int n) {
  for (int i = 0; i < n; ++i)
    take(Pair{i, 2});
}
#ifndef NOTHING
struct Made { int n; Made(int n) : n(n) {} };
struct Held { int n; ~Held() {} };
Made *make(int n) {
  Held held{n};
  return new Made(held.n);
}
void take(Pair) {}
int main() {
  nothing(3);
  delete make(1);
}
#endif

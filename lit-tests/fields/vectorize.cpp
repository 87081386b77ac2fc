// Intent: loops that vectorise without counters of accesses vectorise with them, and accesses of each lane count.
// RUN: %clangxx -O3 -fplugin=%plugin -fplugin-arg-inmem-accesses=on -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %inmem-clangxx -O3 -fplugin-arg-inmem-accesses=on %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json --in %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
struct Point { float x, y, z, w; };
struct Values { int count; int of[64]; };

// CHECK-LABEL: define {{.*}}void @scale(
// CHECK: load <4 x float>
// CHECK: fmul <4 x float>
// CHECK-LABEL: define {{.*}} @sum(
// CHECK: load <4 x i32>
// CHECK: add <4 x i32>
// EXPECT: fields["Point.x"].reads == fields["Point.w"].reads == fields["Point.y"].writes == 1000
// EXPECT: fields["Values.count"].reads == 1 and fields["Values.of"].reads > 0
extern "C" __attribute__((noinline)) void scale(Point *p, int n, float by) {
  for (int i = 0; i < n; ++i) {
    p[i].x *= by;
    p[i].y *= by;
    p[i].z *= by;
    p[i].w *= by;
  }
}
extern "C" __attribute__((noinline)) int sum(const Values *v) {
  int s = 0;
  for (int i = 0; i < v->count; ++i)
    s += v->of[i];
  return s;
}
int main() {
  auto *p = (Point *)calloc(1000, sizeof(Point));
  scale(p, 1000, 2);
  auto *v = (Values *)calloc(1, sizeof(Values));
  v->count = 64;
  return sum(v);
}

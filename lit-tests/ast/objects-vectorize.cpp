// Intent: a loop that vectorises without us vectorises with counters in it, and its
// counts are kept in a register until the loop is done.
// RUN: %clangxx -O3 -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct V3 {
  float x, y, z;
  V3(float a, float b, float c) : x(a), y(b), z(c) {}
};
inline V3 operator*(float s, const V3 &v) { return V3(s * v.x, s * v.y, s * v.z); }

// CHECK-LABEL: define {{.*}}void @_Z5scalePfPKffi(
// CHECK: <4 x float>
void scale(float *__restrict out, const float *__restrict in, float s, int n) {
  for (int i = 0; i < n; ++i) {
    V3 v = s * V3(in[i], 0, 0);
    out[i] = v.x;
  }
}

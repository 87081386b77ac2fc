// Intent: an array that clang could copy from read-only memory still counts its elements, in functions that constant
// evaluation may call as in others; in constant expressions, nobody makes them.
// RUN: %count-objects %s %t
// RUN: %count-objects %s %t.lifetime -fplugin-arg-inmem-objects=lifetime
// RUN: %count-objects %s %t.merged -fmerge-all-constants
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct A { int x = 1, y = 2; };
struct Wide { A a[4]; int n = 3; };
struct Nested { A a[3] = {{1}, {2}, {3}}; constexpr Nested() {} };
struct Listed { A a[3]; constexpr Listed(int n) : a{{n}, {2}, {3}} {} constexpr Listed() : a{{1}, {2}, {3}} {} };
static volatile int one = 1;

// OBJECTS A: stack=25 member=20 aggregate=45 destroyed=none
constexpr int large() { A a[4] = {{1}, {2}, {3}, {4}}; return a[3].x; }              // 4
constexpr int small() { A a[2] = {{1}, {2}}; return a[1].x; }                        // 2
constexpr int filled() { A a[5] = {{1}, {2}, {3}}; return a[4].x; }                  // 5
constexpr int rows() { A a[2][2] = {{{1}, {2}}, {{3}, {4}}}; return a[1][1].x; }     // 4
constexpr int unknown(int n) { A a[3] = {{n}, {2}, {3}}; return a[0].x; }            // 3
constexpr int loop() { int s = 0; for (A a : (A[]){{1}, {2}, {3}}) s += a.y; return s; } // 3, and trivial copies
constexpr int wide() { Wide w{{{1}, {2}, {3}, {4}}}; return w.n; }                   // 4 members
constexpr int nested() { Nested n; return n.a[2].x; }                                // 3 members
constexpr int listed(int n) { Listed l(n); return l.a[0].x; }                        // 3 members
constexpr int listed() { Listed l; return l.a[0].x; }                                // 3 members
int throws(int n) { if (n > 0) throw n; return n; }
constexpr int half(int n) { const A a[3] = {{(throws(n - 1), 1)}, {(throws(n), 2)}, {3}}; return a[0].x; } // 1
int plain() { A a[3] = {{1}, {2}, {3}}; return a[one].x; }                           // 3
int plainWide() { Wide w{{{1}, {2}, {3}, {4}}}; return w.a[one].x; }                 // 4 members
int plainNested() { Nested n; return n.a[one].x; }                                   // 3 members
// OBJECTS Wide: stack=2 aggregate=2 destroyed=none
// OBJECTS Nested: stack=2 defaulted=2 destroyed=none
// OBJECTS Listed: stack=2 converted=1 defaulted=1 destroyed=none

static_assert(large() + small() + filled() + rows() + unknown(5) + loop() + wide() + nested() + listed(6) + listed() == 35);
constexpr A constants[3] = {{1}, {2}, {3}};

int main() {
  int sum = large() + small();
  sum += filled() + rows();
  sum += unknown(one) + loop() + wide() + nested();
  sum += listed(one) + listed();
  try {
    sum += half(one);
  } catch (int) {
  }
  sum += plain() + plainWide() + plainNested();
  return sum == 4 + 2 + 1 + 4 + 1 + 6 + 3 + 3 + 1 + 1 + 6 && constants[one].x == 2 ? 0 : 1;
}

// Intent: each element of an array is an object: locals, globals, members, new T[n].
// RUN: %count-objects %s %t
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>

struct E { E() {} E(int) {} E(const E &) {} ~E() {} };
struct Owner { E fixed[3]; Owner() {} Owner(const Owner &) = default; };
struct OnlyDestructor { ~OnlyDestructor() {} int x; };
struct Guarded { OnlyDestructor one, two[2]; Guarded() {} };

E global[2];
static E table[2][3] = {{1, 2}, {}};
volatile int n = 5;

// heap 5 + 4 + 0; stack 4 + 3 + 2; static 2 + 6; members 2 * 3
// OBJECTS E: heap=9 stack=9 static=8 member=6 defaulted=24 converted=5 copied=3 destroyed=32
// OBJECTS Owner: stack=2 defaulted=1 copied=1 destroyed=2
// new OnlyDestructor: 1 + 5 + 2 * 3 + 0 + 4
// OBJECTS OnlyDestructor: stack=5 heap=16 member=3 placed=2 defaulted=25 copied=1 destroyed=24
// OBJECTS Guarded: stack=1 defaulted=1 destroyed=1

int main() {
  E *variable = new E[n];
  delete[] variable;
  E *listed = new E[4]{1};
  delete[] listed;
  delete[] new E[n - 5];
  E local[4];
  E partly[3] = {1, 2};
  E square[2][1];
  Owner owner;
  Owner copy = owner;
  OnlyDestructor several[3];
  OnlyDestructor another = several[0];
  OnlyDestructor third;
  delete new OnlyDestructor;
  delete[] new OnlyDestructor[n];
  delete[] new OnlyDestructor[2][3];
  delete[] new OnlyDestructor[n - 5];
  delete[] new (std::nothrow) OnlyDestructor[n - 1];
  // There is no room for these.
  volatile long many = 1L << 60;
  OnlyDestructor *volatile none = new (std::nothrow) OnlyDestructor[many];
  alignas(8) char raw[64];
  OnlyDestructor *placed = new (raw) OnlyDestructor[2];
  (void)none; (void)placed;
  Guarded guarded;
  (void)local; (void)partly; (void)square; (void)copy; (void)another; (void)third; (void)guarded;
}

// Intent: a constructor that throws makes no object; what it had made already is destroyed
// and counted so, and the block is freed; operator delete runs when a constructor fails.
// RUN: %count-objects %s %t
// RUN: %expect %t-O2.json 'types["Fails"].live_allocations == 0'
// RUN: %expect %t-O0.json 'types["Fails"].live_allocations == 0' 'types["Fails"].allocations == 3'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <new>

struct Part { Part() {} Part(const Part &) {} ~Part() {} };
struct Base { Base() {} ~Base() {} };
struct Fails : Base { Part a, b; Fails(bool fail) { if (fail) throw 1; } ~Fails() {} };
struct FailsBetween { Part a; Fails f; Part b; FailsBetween() : f(true) {} ~FailsBetween() {} };
struct Countdown { static int left; Part p; Countdown() { if (left-- == 0) throw 2; } ~Countdown() {} };
int Countdown::left = 3;
struct Delegates { Delegates(int) {} Delegates() : Delegates(1) { throw 3; } ~Delegates() {} };
struct Own {
  Own() { throw 4; }
  ~Own() {}
  void *operator new(size_t n) { return std::malloc(n); }
  void operator delete(void *p) { std::free(p); }
};
struct Late { Part first; Fails second; int third; };
struct Last { Part first; Fails second; };
struct Number { Part first; int second; };
#define TWO_NUMBERS(a, b) Number first{{}, fails(a)}, second{{}, fails(b)}
int fails(bool yes) { if (yes) throw 5; return 5; }

template <class F> void attempt(F f) { try { f(); } catch (int) {} }

// OBJECTS Fails: stack=1 heap=1 member=2 converted=4 destroyed=4
// OBJECTS FailsBetween: destroyed=0
// Two in each Fails, of which four are good and five fail; one before the member that
// fails, and one before that in Late; four Countdowns; three in Lasts, four in Numbers.
// OBJECTS Part: member=31 defaulted=31 destroyed=31
// OBJECTS Countdown: heap=3 defaulted=3 destroyed=3
// OBJECTS Delegates: unknown=1 defaulted=1 destroyed=1
// OBJECTS Own: destroyed=0
// OBJECTS Late: destroyed=0
// OBJECTS Last: stack=1 heap=1 aggregate=2 destroyed=2
// OBJECTS Number: stack=2 aggregate=2 destroyed=2

int main() {
  Fails good(false);
  delete new Fails(false);
  attempt([] { delete new Fails(true); });
  attempt([] { new (std::nothrow) Fails(true); });
  attempt([] { FailsBetween x; });
  attempt([] { new Countdown[4]; });
  attempt([] { Delegates d; });
  attempt([] { new Own; });
  attempt([] { Late late{{}, Fails(true), 1}; });
  attempt([] { Last last{{}, Fails(true)}; });
  attempt([] { Last last{{}, Fails(false)}; });
  attempt([] { delete new Last{{}, Fails(false)}; });
  attempt([] { Number number{{}, fails(true)}; });
  attempt([] { Number number{{}, fails(false)}; });
  attempt([] { TWO_NUMBERS(false, true); });
}

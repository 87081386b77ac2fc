// Intent: objects count once also in seldom seen places: a constructor whose second parameter has a default, an
// aggregate that is not trivial to move alone, a constructor that makes another object of its class, one that throws
// with a virtual base behind it, a delegating one that makes its first member anew, and a call through a pointer beside
// a virtual one that returns an object.
// RUN: %count-objects %s %t
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>

struct Defaulted { Defaulted(int, int = 2) {} Defaulted(char, int, int = 3) {} ~Defaulted() {} };

struct Moving { Moving() = default; Moving(const Moving &) = default; Moving(Moving &&) {} };
struct Whole { Moving part; int n; };

struct Recursive {
  __attribute__((noinline)) Recursive(int depth) {
    if (depth > 0)
      Recursive inner(depth - 1);
    asm volatile("");
  }
  ~Recursive() {}
};

struct Behind { Behind() {} ~Behind() {} long n; };
struct AlsoRecursive : virtual Behind {
  __attribute__((noinline)) AlsoRecursive(int depth) {
    if (depth > 0)
      AlsoRecursive inner(depth - 1);
    asm volatile("");
  }
  ~AlsoRecursive() {}
};

struct First { First() {} virtual ~First() {} };
struct Throwing : First, virtual Behind {
  __attribute__((noinline)) Throwing(bool yes) {
    if (yes)
      throw 1;
  }
  ~Throwing() {}
};

struct Inner { Inner() {} ~Inner() {} };
struct Renewing {
  Inner inner;
  Renewing(int) {}
  Renewing() : Renewing(1) {
    inner.~Inner();
    new (&inner) Inner;
  }
  ~Renewing() {}
};

struct Made { Made() {} Made(const Made &) {} ~Made() {} };
struct Maker {
  virtual Made make() { return Made(); }
  virtual ~Maker() {}
};
// Two at one place.
struct Ambiguous { Ambiguous() {} ~Ambiguous() {} };
#define TWO() static Ambiguous kept; Ambiguous local
static void inMacro() { TWO(); }

static int touch(int n) { return n; }
int (*volatile pointer)(int) = touch;
Maker *volatile maker;

__attribute__((noinline)) static Made *onHeap() {
  Made *made = new Made(maker->make());
  pointer(0);
  return made;
}

// OBJECTS Defaulted: stack=2 converted=1 other=1 destroyed=2
// OBJECTS Whole: stack=1 aggregate=1 destroyed=none
// OBJECTS Recursive: stack=4 converted=4 destroyed=4
// OBJECTS AlsoRecursive: stack=3 converted=3 destroyed=3
// OBJECTS Throwing: stack=1 converted=1 destroyed=1
// OBJECTS Inner: member=1 placed=1 defaulted=2 destroyed=2
// OBJECTS Renewing: stack=1 defaulted=1 destroyed=1
// OBJECTS Ambiguous: stack=1 static=1 defaulted=2 destroyed=2
// OBJECTS Made: stack=1 heap=1 defaulted=2 destroyed=2
// OBJECTS Maker: stack=1 defaulted=1 destroyed=1

int main() {
  Defaulted one = 1;
  Defaulted two('c', 2);
  Whole whole{Moving(), 1};
  Recursive recursive(3);
  AlsoRecursive also(2);
  Throwing good(false);
  try {
    Throwing bad(true);
  } catch (int) {
  }
  inMacro();
  Renewing renewing;
  Maker own;
  maker = &own;
  Made made = maker->make();
  delete onHeap();
  return whole.n - 1;
}

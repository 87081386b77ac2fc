// Intent: complete objects count, base subobjects do not, members count as members; a
// delegating constructor counts once; inherited and implicit constructors count.
// RUN: %count-objects %s %t
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Base { Base() {} Base(int) {} Base(const Base &) {} ~Base() {} };
struct Member { Member() {} Member(const Member &) {} ~Member() {} };
struct Derived : Base { Derived() {} Derived(int i) : Base(i) {} Member m; ~Derived() {} };
struct Delegating { Delegating(int) {} Delegating() : Delegating(1) {} Delegating(char) : Delegating() {} ~Delegating() {} Member m; };
struct Inherits : Base { using Base::Base; Member m; };
struct Implicit { Member a, b; };
struct VBase { VBase() {} VBase(int) {} virtual ~VBase() {} };
struct Left : virtual VBase { Left() : VBase(1) {} ~Left() override {} };
struct Right : virtual VBase { Right() {} ~Right() override {} };
struct Diamond : Left, Right { Diamond() : VBase(2) {} Member m; ~Diamond() override {} };

// OBJECTS Base: stack=2 defaulted=1 converted=1 destroyed=2
// OBJECTS Derived: stack=2 heap=1 defaulted=2 converted=1 destroyed=3
// OBJECTS Delegating: stack=3 defaulted=1 converted=2 destroyed=3
// OBJECTS Inherits: stack=2 heap=1 defaulted=1 converted=1 copied=1 destroyed=3
// OBJECTS Implicit: stack=3 defaulted=2 copied=1 destroyed=3
// OBJECTS VBase: stack=1 defaulted=1 destroyed=1
// OBJECTS Left: stack=1 defaulted=1 destroyed=1
// OBJECTS Right: heap=1 defaulted=1 destroyed=1
// OBJECTS Diamond: stack=1 heap=1 defaulted=2 destroyed=2
// Derived 3, Delegating 3, Inherits 3, Implicit 6, Diamond 2:
// OBJECTS Member: member=17 defaulted=14 copied=3 destroyed=17

int main() {
  Base base;
  Base other(4);
  Derived one;
  Derived two(2);
  delete new Derived;
  Delegating d1(1), d2, d3('c');
  Inherits i1(5);
  Inherits i2;
  delete new Inherits(i1);
  Implicit a, b;
  Implicit c = a;
  (void)b; (void)c; (void)i2;
  VBase v;
  Left left;
  VBase *r = new Right;
  delete r;
  Diamond diamond;
  VBase *heap = new Diamond;
  delete heap;
}

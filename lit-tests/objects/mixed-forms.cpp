// Intent: objects of one program whose units use both forms of counters, for executables and
// for -fPIC, are counted once each, and so are those of threads.
// RUN: %inmem-clangxx -O2 -fPIC -DPART -c %s -o %t.pic.o
// RUN: %inmem-clangxx -O2 -fPIE -c %s -o %t.pie.o
// RUN: %inmem-clangxx -pie %t.pic.o %t.pie.o -pthread -o %t && %record %t.json -- %t
// RUN: %expect %t.json 'types["A"].objects.constructed.stack == 3003' 'types["A"].objects.destroyed == 3003' \
// RUN:   'types["B"].objects.constructed.stack == 3000' 'types["B"].objects.destroyed == 3000' \
// RUN:   'types["S"].objects.constructed.static == 2' 'types["S"].objects.destroyed == 2'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct S { S(); ~S(); };
struct A { A() { use(); } ~A() { use(); } void use(); };
struct B { B() { use(); } ~B() { use(); } void use(); };
void in_pic(int n);

#ifdef PART
S::S() {}
S::~S() {}
void A::use() { asm volatile(""); }
void B::use() { asm volatile(""); }
void in_pic(int n) {
  for (int i = 0; i < n; ++i) { B b; }
  A shared;
}
static S in_this;
#else
#include <thread>
static S in_that;
void run() {
  in_pic(1000);
  for (int i = 0; i < 1000; ++i) A a;
}
int main() {
  std::thread one(run), two(run);
  run();
  one.join();
  two.join();
}
#endif

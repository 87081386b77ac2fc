// Intent: a derived class has its base's vptr within the base, and none of its own.
// RUN: %inmem-clangxx -O0 %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem dump %t.inmem | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHECK: type {{.*}}size=24 {{.*}}name="Derived"{{$}}
// CHECK-NEXT: field size=16 kind=base {{.*}}type-name="Poly"
// CHECK-NEXT: field name="more" offset=16 size=8
// CHECK: type {{.*}}size=16 {{.*}}name="Poly"{{$}}
// CHECK-NEXT: field name="(vptr)" size=8 kind=vptr
// CHECK-NEXT: field name="n" offset=8 size=8

struct Poly {
  virtual ~Poly() {}
  long n = 0;
};
struct Derived : Poly {
  long more = 0;
};

int main() {
  delete new Derived;
  delete new Poly;
}

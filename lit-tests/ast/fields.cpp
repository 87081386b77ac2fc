// Intent: a type's record tells bases, virtual bases, the vptr, bit-fields, references,
// arrays, pointers and smart pointers apart, each at its offset; embedded classes are
// described too and hang on the record.
// RUN: %clangxx -O0 -std=c++17 -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
namespace std { template <typename T> struct unique_ptr { T *p; }; }
struct Plain { long l; };
struct Empty {};
struct Virtual { int v; };
struct Poly : Empty, Plain, virtual Virtual {
  virtual ~Poly();
  int bits : 3;
  int more : 5;
  Poly *next;
  Plain &reference = *this;
  std::unique_ptr<Plain> smart;
  Plain array[2];
  union { int i; float f; };
};

// Members: id, offset, size, name, type name, kind, bit.
// CHECK-DAG: @[[TYPE:__inmem_t\.[0-9a-f]+]] = linkonce_odr hidden constant { i64, i64, i32, i32, i32, i16, i16 } { i64 {{-?[0-9]+}}, i64 72, {{.*}} i32 10, i16 8, i16 9 }, section "inmem_types", comdat, align 8
// CHECK-DAG: @{{__inmem_f\.[0-9a-f]+}} = linkonce_odr hidden constant {{.*}} i64 0, i32 0, i32 8, {{.*}} i8 7, i8 0, {{.*}} i32 8, i32 8, i32 0, {{.*}} i8 5, i8 0, {{.*}} i32 68, i32 4, i32 0, {{.*}} i8 6, i8 0, {{.*}} i64 0, i32 16, i32 3, {{.*}} i8 8, i8 0, {{.*}} i64 0, i32 16, i32 5, {{.*}} i8 8, i8 3, {{.*}} i32 24, i32 8, {{.*}} i8 1, i8 0, {{.*}} i32 32, i32 8, {{.*}} i8 2, i8 0, {{.*}} i32 40, i32 8, {{.*}} i8 3, i8 0, {{.*}} i32 48, i32 16, {{.*}} i8 4, i8 0, {{.*}} i32 64, i32 4, i32 0, {{.*}} i8 0, i8 0, {{.*}} section ".rodata.inmem", comdat($[[TYPE]]), align 8
// CHECK-DAG: c"smart\00"
// CHECK-DAG: c"std::unique_ptr<Plain>\00"
// CHECK-DAG: c"Poly *\00"
// CHECK-DAG: c"Plain[2]\00"
void sink(void *);
void test(Plain &p) { sink(new Poly *[1]); sink(static_cast<Poly *>(::operator new(sizeof(Poly)))); }

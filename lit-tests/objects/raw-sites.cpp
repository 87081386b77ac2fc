// Intent: with objects=lifetime the blocks of one site are of the types that are constructed in them, each of its own;
// so are those of a type that is mere storage, and larger ones stay what they are.
// RUN: %inmem-clangxx -O1 -std=c++17 -fplugin-arg-inmem-objects=lifetime %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["First"].allocations == 2' 'types["Second"].allocations == 1' 'types["Third"].allocations == 1' \
// RUN:   'types["First"].allocated_bytes == 48' 'types["Second"].allocated_bytes == 40' 'types["Third"].allocated_bytes == 56'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>
#include <stdlib.h>
#include <type_traits>

struct First { First() {} ~First() {} long n[3]; };
struct Second { Second() {} ~Second() {} long n[5]; };
struct Third { Third() {} ~Third() {} long n[7]; };

static void *volatile Sink;
// Neither a size nor the pointer says what for: that is seen when it is used.
static volatile size_t Wanted;
__attribute__((noinline)) static void raw() { Sink = malloc(Wanted); }
__attribute__((noinline)) static void *storage() {
  Sink = new std::aligned_storage_t<sizeof(Third), alignof(Third)>;
  return Sink;
}

int main() {
  Wanted = sizeof(First);
  raw();
  new (Sink) First;
  Wanted = sizeof(Second);
  raw();
  new (Sink) Second;
  Wanted = sizeof(First);
  raw();
  new (Sink) First;
  new (storage()) Third;
}

// Intent: a profile that places nothing here changes no code: eight bytes that an inlined function puts together are
// still one load, as without it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: llvm-22, lld
// RUN: %llvm-profdata merge %S/Inputs/contexts.yaml -o %t.memprofdata
// RUN: %inmem-clangxx -O2 -fplugin-arg-inmem-optimize=%t.memprofdata -c %s -o %t.o
// RUN: %opt -S %t.o -o - | %FileCheck %s
// CHECK: define {{.*}} @_Z7compare
// CHECK-NOT: load i8
// CHECK-NOT: load i32
// CHECK: load i64
// CHECK-NOT: load i8
// CHECK-NOT: load i32
// CHECK: {{^}}}

#include <cstdint>

struct Order {
  virtual int compare(const char *a, const char *b) const = 0;
};

inline uint64_t decode(const char *from) {
  const uint8_t *const b = reinterpret_cast<const uint8_t *>(from);
  return static_cast<uint64_t>(b[0]) | (static_cast<uint64_t>(b[1]) << 8) | (static_cast<uint64_t>(b[2]) << 16) |
         (static_cast<uint64_t>(b[3]) << 24) | (static_cast<uint64_t>(b[4]) << 32) | (static_cast<uint64_t>(b[5]) << 40) |
         (static_cast<uint64_t>(b[6]) << 48) | (static_cast<uint64_t>(b[7]) << 56);
}

int compare(const Order &order, const char *a, const char *b) {
  int r = order.compare(a, b);
  if (r == 0) {
    const uint64_t x = decode(a + 8), y = decode(b + 8);
    if (x > y)
      r = -1;
    else if (x < y)
      r = +1;
  }
  return r;
}

// Intent: __builtin_operator_new in each of its forms is the operator that its arguments select.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>
struct Plain { int n[1]; };
struct Nothrow { int n[2]; };
struct alignas(64) Aligned { int n[16]; };
struct alignas(64) Both { int n[32]; };
static void *volatile Sink;
template <typename T> void keep(T *p) { Sink = p; }
int main() {
  keep(static_cast<Plain *>(__builtin_operator_new(sizeof(Plain))));
  keep(static_cast<Nothrow *>(__builtin_operator_new(sizeof(Nothrow), std::nothrow)));
  keep(static_cast<Aligned *>(__builtin_operator_new(sizeof(Aligned), std::align_val_t(64))));
  keep(static_cast<Both *>(__builtin_operator_new(sizeof(Both), std::align_val_t(64), std::nothrow)));
}
// EXPECT: types["Plain"].allocations == 1 and types["Nothrow"].allocations == 1
// EXPECT: types["Aligned"].allocations == 1 and types["Both"].allocations == 1
// ALONE: not typed

// Intent: clang's own profiles know functions by hashes and counters that are those of a
// compilation without inmem, at each level of objects=.
// RUN: %clangxx -std=c++20 -O1 %s -fprofile-instr-generate -fcoverage-mapping -o %t.plain
// RUN: env LLVM_PROFILE_FILE=%t.profraw %t.plain
// RUN: %llvm-profdata merge %t.profraw -o %t.profdata
// RUN: %llvm-profdata show --all-functions --counts %t.profdata > %t.plain.txt
// RUN: %llvm-cov show %t.plain -instr-profile=%t.profdata %s > %t.plain.lines
// RUN: sh -c 'for level in off heap count lifetime; do \
// RUN:   %inmem-clangxx -std=c++20 -O1 -fplugin-arg-inmem-objects=$level %s -fprofile-instr-generate -fcoverage-mapping -o %t.$level && \
// RUN:   env INMEM_OPTIONS=mode=off LLVM_PROFILE_FILE=%t.$level.profraw %t.$level && \
// RUN:   %llvm-profdata merge %t.$level.profraw -o %t.$level.profdata && \
// RUN:   %llvm-profdata show --all-functions --counts %t.$level.profdata > %t.$level.txt && \
// RUN:   diff %t.plain.txt %t.$level.txt && \
// RUN:   %llvm-cov show %t.$level -instr-profile=%t.$level.profdata %s > %t.$level.lines && \
// RUN:   diff %t.plain.lines %t.$level.lines && \
// RUN:   %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-objects=$level %s -fprofile-instr-use=%t.profdata -Werror -Wprofile-instr-out-of-date -Wprofile-instr-unprofiled -c -o %t.o || exit 1; \
// RUN: done'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct T { int a; constexpr ~T() {} };
constexpr int f(int n) { T t{n}; T u = t; return u.a; }
struct Inner { T t; int n; };
struct Holds { T t = T{1}; T array[2]{{1}, {2}}; constexpr ~Holds() {} };
constexpr int g(int n) {
  Inner i{{n}, 2}, copy = i;
  T made = T(), again{T{n}};
  if (n > 2 && f(n))
    return f(copy.t.a) + made.a + again.a;
  for (int k = 0; k < n; ++k) {
    T *p = new T{k};
    T &&r = T(*p);
    made.a += r.a ? 1 : 0;
    delete p;
  }
  return [](T t) { return t.a; }(T(i.t));
}
constexpr T returned(int n) { T t{n}; return n > 1 ? T(t) : t; }
int main() {
  Holds holds;
  return f(1) + g(2) + g(3) + returned(2).a + holds.array[1].a > 100;
}

// Intent: functions and classes that say INMEM_IGNORE are left alone, with what is inlined from
// them and with their closures; the macros mean nothing to other compilers.
// RUN: %inmem-clangxx -std=c++17 -Wall -Werror -O0 %s -o %t.0 && %record %t.0.json -- %t.0
// RUN: %inmem-clangxx -std=c++17 -Wall -Werror -O2 %s -o %t.2 && %record %t.2.json -- %t.2
// RUN: %expect %t.0.json 'totals.allocations == 9' 'types["Kept"].allocations == 1' 'types["Kept"].objects.constructed.heap == 1' \
// RUN:   'types[None].allocations == 8' 'types["Kept"].objects.constructed.stack == 1' 'len(report.types) == 2'
// RUN: %expect %t.2.json 'totals.allocations == 9' 'types["Kept"].allocations == 1' 'types["Kept"].objects.constructed.heap == 1' \
// RUN:   'types[None].allocations == 8' 'types["Kept"].objects.constructed.stack == 1' 'len(report.types) == 2'
// RUN: %inmem-clangxx -std=c++17 -O2 -fplugin-arg-inmem-objects=lifetime %s -o %t.l && %record %t.l.json -- %t.l
// RUN: %expect %t.l.json 'len([t for t in report.types if t.type]) == 1' 'types["Kept"].objects.alive == 0'
// RUN: g++ -std=c++17 -Wall -Wextra -Wno-comment -Werror -I%include -fsyntax-only %s
// RUN: %clang -std=c11 -Wall -Wextra -Wno-empty-translation-unit -Werror -pedantic -I%include -fsyntax-only -x c %include/inmem/annotate.h
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <inmem/annotate.h>

struct Kept { Kept() {} ~Kept() {} long n; };
struct INMEM_IGNORE Noise { Noise() {} ~Noise() {} long n; };
template <class T> struct INMEM_IGNORE Wrapped { Wrapped() {} ~Wrapped() {} T n; };
struct Aggregate { Kept *k; Noise noise; };

void *volatile sink;
INMEM_IGNORE static inline long *raw() { long *made = new long(1); sink = made; return made; }
INMEM_IGNORE int *declared();
int *declared() { int *made = new int; sink = made; return made; }
struct Factory {
  INMEM_IGNORE static void member() { auto inside = [] { auto *made = new short; sink = made; delete made; }; inside(); }
  template <class T> INMEM_IGNORE static void of() { T *made = new T; sink = made; delete made; }
};
INMEM_IGNORE_BEGIN
inline void region() { auto *made = new unsigned; sink = made; delete made; }
struct InRegion { InRegion() {} ~InRegion() {} int n; };
INMEM_IGNORE_END

int main() {
  auto *kept = new Kept;
  sink = kept;
  delete kept;
  Kept local;
  Noise noise;
  auto *made = new Noise;
  sink = made;
  delete made;
  auto *wrapped = new Wrapped<int>;
  sink = wrapped;
  delete wrapped;
  delete raw();
  delete declared();
  Factory::member();
  Factory::of<float>();
  region();
  InRegion in;
  (void)local, (void)noise, (void)in;
}

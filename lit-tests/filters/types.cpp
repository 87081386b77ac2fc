// Intent: include= and exclude= choose types by the names of reports, blocks and objects alike;
// what is left out stays in the totals, as memory of unknown type.
// RUN: %inmem-clangxx -O0 '-fplugin-arg-inmem-exclude=app::Pair<int, *>,app::No*' %s -o %t.x && %record %t.x.json -- %t.x
// RUN: %expect %t.x.json 'totals.allocations == 8' 'types["app::Yes"].allocations == 2' 'types["app::Pair<long, int>"].allocations == 1' \
// RUN:   'types["app::Yes"].objects.constructed.heap == 2' 'types[None].allocations == 4' 'types["char"].allocations == 1' \
// RUN:   'not any(t.type and (t.type.startswith("app::No") or t.type.startswith("app::Pair<int")) for t in report.types)'
// RUN: %inmem-clangxx -O2 -fplugin-arg-inmem-include=app::Yes -fplugin-arg-inmem-include=*Nothing %s -o %t.i && %record %t.i.json -- %t.i
// RUN: %expect %t.i.json 'totals.allocations == 8' 'types["app::Yes"].allocations == 2' 'types["app::Nothing"].allocations == 1' \
// RUN:   'types["app::Yes"].objects.constructed.heap == 2' 'types[None].allocations == 5' 'len(report.types) == 3'
// RUN: %inmem-clangxx -O2 -fplugin-arg-inmem-include=app::* -fplugin-arg-inmem-exclude=app::Yes %s -o %t.b && %record %t.b.json -- %t.b
// RUN: %expect %t.b.json 'totals.allocations == 8' 'not any(t.type in ("app::Yes", "char") for t in report.types)' 'types["app::No"].allocations == 1'
// RUN: %clangxx -O2 -fplugin=%plugin -fplugin-arg-inmem-include=none -S -emit-llvm %s -o - | %FileCheck --check-prefix=CODE %s
// CODE-NOT: __inmem__Zn
// CODE-NOT: __inmem_c.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

namespace app {
struct Yes { Yes() {} ~Yes() {} long n; };
struct No { No() {} ~No() {} long n; };
struct Nothing { ~Nothing() {} int n; };
template <class A, class B> struct Pair { Pair() {} A a; B b; };
}
void *volatile kept;
template <class T> void make() { T *made = new T; kept = made; delete made; }

int main() {
  make<app::Yes>();
  make<app::Yes>();
  make<app::No>();
  make<app::Nothing>();
  make<app::Pair<int, long>>();
  make<app::Pair<long, int>>();
  char *text = (char *)malloc(10);
  kept = text;
  free(text);
}

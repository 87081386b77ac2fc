// Intent: the user's own --wrap and --defsym of malloc, as tests that count or fail allocations are linked, keep their meaning, in static programs too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{wrap} = -Wl,--wrap=malloc -Wl,--wrap=free
// RUN: %clang -O2 %s %{wrap} -o %t.plain && %t.plain 2> %t.txt && grep '11 mallocs, 10 frees, failure seen' %t.txt
// RUN: %inmem-clang -O2 %s %{wrap} -o %t && %record %t.json -- %t 2>&1 | diff %t.txt - && %expect %t.json 'types["item"].allocations == 10' 'types["item"].live_allocations == 0'
// RUN: %inmem-clang -O0 %s %{wrap} -o %t && %record %t.json -- %t 2>&1 | diff %t.txt - && %expect %t.json 'types["item"].allocations == 10' 'types["item"].live_allocations == 0'
// RUN: %clang -O2 -static %s %{wrap} -o %t.plain
// RUN: %t.plain 2> %t.static || true
// RUN: %inmem-clang -O2 -static %s %{wrap} -o %t
// RUN: %record %t.json -- %t 2> %t.own || true
// RUN: diff %t.static %t.own && %expect %t.json 'types["item"].allocations == 10' 'types["item"].live_allocations == 0'
// DEFINE: %{defsym} = -DDEFSYM -Wl,--defsym=malloc=my_malloc -Wl,--defsym=free=my_free
// RUN: %clang -O2 %s %{defsym} -o %t.plain && %t.plain 2> %t.txt
// RUN: %inmem-clang -O2 %s %{defsym} -o %t && %record %t.json -- %t 2>&1 | diff %t.txt - && %expect %t.json 'types["item"].allocations == 10' 'types["item"].live_allocations == 0'
// RUN: %inmem-clang -O0 %s %{defsym} -o %t && %record %t.json -- %t 2>&1 | diff %t.txt - && %expect %t.json 'types["item"].allocations == 10'
#include <stdio.h>
#include <stdlib.h>
struct item {
  int V[4];
};
struct item *volatile Keep;
static int Fails;
#ifdef DEFSYM
static char Pool[1 << 16];
static size_t Used;
void *my_malloc(size_t Size) {
  void *P = Pool + Used;
  Used += (Size + 15) & ~(size_t)15;
  return P;
}
void my_free(void *P) { (void)P; }
#else
void *__real_malloc(size_t);
void __real_free(void *);
static int Mallocs, Frees;
void *__wrap_malloc(size_t Size) {
  ++Mallocs;
  return Fails ? NULL : __real_malloc(Size);
}
void __wrap_free(void *P) {
  ++Frees;
  __real_free(P);
}
#endif
__attribute__((noinline)) static int work(void) {
  struct item *P = malloc(sizeof *P);
  if (!P)
    return -1;
  Keep = P;
  free(P);
  return 0;
}
int main(void) {
  for (int I = 0; I < 10; ++I)
    work();
#ifdef DEFSYM
  size_t Pooled = Used;
  fprintf(stderr, "%zu\n", Pooled);
  return Pooled < 160;
#else
  Fails = 1;
  int Result = work();
  Fails = 0;
  int Calls = Mallocs, Freed = Frees; // fprintf of a static program calls them, too
  fprintf(stderr, "%d mallocs, %d frees, failure %s\n", Calls, Freed, Result ? "seen" : "NOT seen");
  return !(Calls == 11 && Freed == 10 && Result == -1);
#endif
}

// Intent: fields that code may access without naming them are opaque; other fields of the class are not.
// RUN: %inmem-clangxx -std=c++17 -O2 -fplugin-arg-inmem-accesses=on %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json --in %s
// RUN: %inmem-clang -x c -O0 -DC -fplugin-arg-inmem-accesses=on %s -o %t.c && %record %t.c.json -- %t.c
// RUN: %expect %t.c.json --in %s --prefix EXPECT-C
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef C
#define MAKE(T) ((T *)calloc(1, sizeof(T)))
#define CAST(T, p) ((T)(p))
#else
#define MAKE(T) new T()
#define CAST(T, p) reinterpret_cast<T>(p)
#endif
typedef struct Written { int a; long b; } Written;
typedef struct Head { int kind; } Head;
typedef struct Tagged { int kind; int x; } Tagged;
typedef struct Assembled { int a; } Assembled;
typedef struct Compared { int a, b; } Compared;
typedef struct Pointed { int taken, kept; char text[8]; } Pointed;
typedef struct Offsets { int a, b; } Offsets;
typedef struct Sound { int a; int b; } Sound;
// EXPECT: fields["Written.a"].opaque and fields["Written.b"].opaque
// EXPECT: fields["Tagged.kind"].opaque and not fields["Tagged.x"].opaque
// EXPECT: fields["Assembled.a"].opaque and fields["Compared.b"].opaque and fields["Offsets.a"].opaque
// EXPECT: fields["Pointed.taken"].opaque and fields["Pointed.text"].opaque and not fields["Pointed.kept"].opaque
// EXPECT: not fields["Sound.a"].opaque and fields["Sound.a"].reads == 0 and fields["Sound.a"].writes == 3
// EXPECT-C: fields["Written.a"].opaque and not fields["Tagged.x"].opaque and fields["Tagged.kind"].opaque
// EXPECT-C: not fields["Sound.a"].opaque and fields["Sound.a"].writes == 3 and fields["Sound.b"].reads == 3
// EXPECT-C: fields["Pointed.taken"].opaque and not fields["Pointed.kept"].opaque

__attribute__((noinline)) static int head(Tagged *t) { return CAST(Head *, t)->kind; }
__attribute__((noinline)) static void take(int *p) { ++*p; }
__attribute__((noinline)) static int sound(Sound *s) { s->a = 1; return s->b; }

static Pointed *volatile keepPointed;
static Offsets *volatile keepOffsets;

int main(void) {
  int result = 0;
  Written *w = MAKE(Written);
  w->a = 1; w->b = 2;
  if (fwrite(w, sizeof *w, 1, stdout) != 1) return 1;
  Tagged *t = MAKE(Tagged);
  t->kind = 1; t->x = 2;
  result += head(t);
  Assembled *m = MAKE(Assembled);
  m->a = 1;
  __asm__ volatile("" ::"r"(m) : "memory");
  Compared *c = MAKE(Compared), *d = MAKE(Compared);
  c->a = d->a = 1; c->b = 2;
  result += memcmp(c, d, sizeof *c);
  Pointed *p = MAKE(Pointed);
  p->taken = p->kept = 1;
  take(&p->taken);
  strcpy(p->text, "abc");
  keepPointed = p;
  Offsets *o = MAKE(Offsets);
  keepOffsets = o;
  o->a = 1; o->b = 2;
  result += (int)offsetof(Offsets, b);
  Sound *s = MAKE(Sound);
  for (int i = 0; i < 3; ++i) result += sound(s);
  memset(s, 0, sizeof *s);
  free(d);
  return result == 1;
}

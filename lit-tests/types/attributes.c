// Intent: functions that nothing calls, which attributes, aliases and resolvers bring into the program, are
// known as any other.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
struct Begin { int n[1]; };
struct End { int n[2]; };
struct Alias { int n[4]; };
struct Resolved { int n[5]; };
struct Cleaned { int n[6]; };
struct Array { int n[8]; };
static void *volatile Sink;
static __attribute__((constructor)) void begin(void) { Sink = malloc(sizeof(struct Begin)); }
static __attribute__((destructor)) void end(void) { Sink = malloc(sizeof(struct End)); }
static void target(void) { Sink = malloc(sizeof(struct Alias)); }
void alias(void) __attribute__((alias("target")));
static void chosen(void) { Sink = malloc(sizeof(struct Resolved)); }
static void (*resolve(void))(void) { return chosen; }
void resolved(void) __attribute__((ifunc("resolve")));
static void clean(int *n) { Sink = malloc(sizeof(struct Cleaned)); }
static void at_start(void) { Sink = malloc(sizeof(struct Array)); }
__attribute__((section(".init_array"), used)) static void (*const in_array)(void) = at_start;
int main(void) {
  int n __attribute__((cleanup(clean))) = 1;
  alias();
  resolved();
  return 0;
}
// EXPECT: types["Begin"].allocations == 1 and types["End"].allocations == 1 and types["Alias"].allocations == 1
// EXPECT: types["Resolved"].allocations == 1 and types["Cleaned"].allocations == 1 and types["Array"].allocations == 1
// EXPECT: None not in types
// ALONE: not typed

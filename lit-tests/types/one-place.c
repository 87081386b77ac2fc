// Intent: two allocations at one place, of a macro or of a function that was inlined, do not lend each other their
// types, also where the optimiser makes a calloc of a malloc.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
#include <string.h>

struct First { int n[5]; };
struct Second { int n[3]; };
struct Part { int n[7]; };
static void *volatile Sink;
volatile size_t N = 4;

#define BOTH()                                                                                                         \
  do {                                                                                                                 \
    struct Second *second = calloc(N, 12);                                                                             \
    const size_t bytes = N * 20;                                                                                       \
    struct First *first = malloc(bytes);                                                                               \
    memset(first, 0, bytes);                                                                                           \
    Sink = second, Sink = first;                                                                                       \
  } while (0)

// What it gets is no Part, but room for many.
static void *Room;
static size_t Left;
static inline __attribute__((always_inline)) void *part(size_t size) {
  if (Left < size) {
    Room = malloc(Left = 4096);
    Sink = Room;
  }
  Left -= size;
  return (void *)((size_t)Room + Left);
}

int main(void) {
  BOTH();
  struct Part *one = part(sizeof(struct Part));
  Sink = one;
  struct Part *two = part(sizeof(struct Part));
  Sink = two;
}
// EXPECT: types["Second"].allocations == 1 and types["Second"].allocated_bytes == 48
// EXPECT: sum(row.allocations for row in typed if row.type == "Part") == 0 and types[None].allocated_bytes >= 4096

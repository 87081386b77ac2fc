/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks of C, a line each, for found_types.py. */
#include <stdlib.h>
#include <string.h>

struct Item {
  struct Item *Next;
  int Key;
};
struct Table {
  struct Item **Slots;
  size_t Size;
};
struct Flexible {
  int Count;
  long Values[];
};
typedef struct {
  double X, Y;
} Point;

struct Table *Global;
volatile int Three = 3;

__attribute__((noinline)) static void *checked(size_t Size) {
  void *Block = malloc(Size);
  if (!Block)
    abort();
  return Block;
}

__attribute__((noinline)) static struct Item *newItem(int Key) {
  struct Item *I = checked(sizeof *I);
  I->Next = NULL;
  I->Key = Key;
  return I;
}

__attribute__((noinline)) static void insert(struct Table *T, int Key) {
  struct Item *I = newItem(Key);
  I->Next = T->Slots[Key % T->Size];
  T->Slots[Key % T->Size] = I;
}

int main(void) {
  struct Table *T = checked(sizeof *T);
  T->Size = 16;
  T->Slots = calloc(T->Size, sizeof *T->Slots);
  for (int I = 0; I < 50; ++I)
    insert(T, I);
  struct Flexible *F = checked(sizeof *F + Three * sizeof(long));
  F->Count = Three;
  F->Values[0] = 1;
  Point *P = malloc(8 * sizeof *P);
  memset(P, 0, 8 * sizeof *P);
  P[Three].X = F->Values[0];
  Global = malloc(sizeof *Global);
  Global->Size = 0;
  double *D = realloc(NULL, 40 * sizeof *D);
  D[Three] = P[Three].X;
  return D[Three] < 0;
}

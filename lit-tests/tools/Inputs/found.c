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

/* Counts what it allocates, as several threads do. */
static size_t Used;
__attribute__((noinline)) static void *checked(size_t Size) {
  void *Block = malloc(Size);
  if (!Block)
    abort();
  __atomic_fetch_add(&Used, Size, __ATOMIC_RELAXED);
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

/* Objects of several types begin with one structure. */
struct Head {
  struct Head *Next;
  char Kind;
};
struct Small {
  struct Head First;
  long Value;
};
struct Large {
  struct Head First;
  double Values[9];
};
struct Head *All;
__attribute__((noinline)) static struct Head *newObject(char Kind, size_t Size) {
  struct Head *H = checked(Size);
  H->Kind = Kind;
  H->Next = All;
  All = H;
  return H;
}
__attribute__((noinline)) static struct Small *newSmall(void) {
  struct Small *S = (struct Small *)newObject('s', sizeof(struct Small));
  S->Value = 1;
  return S;
}
__attribute__((noinline)) static struct Large *newLarge(void) {
  struct Large *L = (struct Large *)newObject('l', sizeof(struct Large));
  L->Values[0] = 1;
  return L;
}
/* The block's only typed pointer is a member of a variable. */
struct State {
  int Count;
  Point *Points;
};
__attribute__((noinline)) static void fill(struct State *S) {
  for (int I = 0; I < S->Count; ++I)
    S->Points[I].X = I;
}
/* A function makes an object of the memory that another one has. */
__attribute__((noinline)) static struct Small *construct(void *Memory) {
  memset(Memory, 0, sizeof(struct Small));
  return (struct Small *)Memory;
}
struct Small *volatile Constructed;
#ifdef PATHS_MEET
/* Paths meet at the end with the block in different places of the frame. */
__attribute__((noinline)) static void *gentle(size_t Size, int Gentle) {
  void *Block = malloc(Size);
  if (!Block && !Size)
    Block = malloc(1);
  if (!Block) {
    if (Gentle)
      return NULL;
    abort();
  }
  return Block;
}
/* Text behind a header of several sizes. */
__attribute__((noinline)) static char *makeText(size_t Header, size_t Bytes) {
  void *Block = checked(Header + Bytes);
  char *Text = (char *)Block + Header;
  Text[0] = (char)Bytes;
  Text[-1] = (char)Header;
  return Text;
}
/* Functions that store the address. */
__attribute__((noinline)) static void *aligned(size_t Size) {
  void *Block;
  if (posix_memalign(&Block, 64, Size) != 0)
    return NULL;
  return Block;
}
__attribute__((noinline)) static int make(void **Out, size_t Size) {
  void *Block = malloc(Size);
  if (!Block)
    return -1;
  *Out = Block;
  return 0;
}
/* Without the text, null is returned: the register that has its address. */
struct Named {
  char *Text;
  size_t Bytes;
  long More[8];
};
__attribute__((noinline)) static struct Named *makeNamed(size_t Bytes) {
  struct Named *N = checked(sizeof *N);
  N->Bytes = Bytes;
  N->Text = malloc(Bytes);
  if (!N->Text)
    return NULL;
  N->Text[0] = (char)Bytes;
  return N;
}
/* Of a union's pointers, one has the block's size. */
struct Value {
  int Kind;
  union {
    struct Item *Item;
    double *Numbers;
    struct Table *Table;
  } As;
};
__attribute__((noinline)) int setNumbers(struct Value *V, int Count) {
  V->Kind = 2;
  V->As.Numbers = malloc(Count * sizeof *V->As.Numbers);
  return Count;
}
#endif

/* Elements of arrays of pointers, which are in a global variable and a member.
   The text is copied by a function for other characters. */
static char **Words;
struct Deck {
  int Count;
  Point *Cards[8];
};
__attribute__((noinline)) unsigned char *copy(unsigned char *To,
                                              const unsigned char *From) {
  while ((*To++ = *From++))
    ;
  return To;
}
__attribute__((noinline)) static int saveWords(int Count, const char *Text) {
  Words = checked(((size_t)Count + 1) * sizeof *Words);
  for (int I = 0; I < Count; ++I) {
    const size_t Length = strlen(Text + I) + 1;
    Words[I] = checked(Length);
    if (!Words[I])
      return -1;
    copy((unsigned char *)Words[I], (const unsigned char *)Text + I);
  }
  Words[Count] = NULL;
  return Count;
}
__attribute__((noinline)) static void deal(struct Deck *D, int Count) {
  for (int I = 0; I < Count; ++I)
    D->Cards[(I + Three) % 8] = checked(sizeof *D->Cards[0]);
  D->Count = Count;
}

int main(void) {
  long Sum = 0;
  for (int I = 0; I < 10; ++I)
    Sum += newSmall()->Value;
  for (int I = 0; I < 7; ++I)
    Sum += (long)newLarge()->Values[0];
  struct State State = {Three};
  State.Points = checked(State.Count * sizeof *State.Points);
  fill(&State);
  void *Memory = checked(sizeof(struct Small));
  Constructed = construct(Memory);
#ifdef PATHS_MEET
  for (int I = 0; I < 20; ++I) {
    struct Large *L = gentle(sizeof *L, Three);
    L->Values[1] = I;
    Sum += (long)L->Values[1];
  }
  for (int I = 0; I < 12; ++I)
    Sum += *makeText(1 + I % 3, 20 + I);
  for (int I = 0; I < 9; ++I) {
    struct Large *L = aligned(sizeof *L);
    L->Values[1] = I;
    Sum += (long)L->Values[1];
  }
  for (int I = 0; I < 14; ++I)
    Sum += (long)makeNamed(100 + I)->Bytes;
  struct Value Numbers;
  for (int I = 0; I < 8; ++I)
    Sum += setNumbers(&Numbers, 4 + Three);
  Numbers.As.Numbers[0] = Numbers.Kind;
  struct Item *Stored = NULL;
  if (make((void **)&Stored, sizeof *Stored) == 0)
    Sum += Stored->Key = Three;
#endif
  struct Deck Deck;
  Sum += saveWords(Three / 3, "of a text that is long enough");
  deal(&Deck, 6);
  Sum += Deck.Cards[5] == NULL;
  Three = Three + (Sum == 0);
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

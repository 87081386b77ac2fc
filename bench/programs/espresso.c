// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* espresso.c - two-level logic minimisation in the manner of espresso (Brayton
 * and others, 1984): EXPAND against the off-set, IRREDUNDANT by tautology,
 * until nothing gets smaller. Covers are lists of cubes, each a malloc'd block.
 *
 *   espresso [FUNCTIONS]    minimises that many random functions, prints how
 * many cubes each needs; exit code 1 if one came out wrong
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kVariables = 14, kCubes = 160 };
static const uint64_t kFull = (1ull << 2 * kVariables) - 1;
static const uint64_t kEven =
    0x5555555555555555ull & ((1ull << 2 * kVariables) - 1);

/* A product term: two bits a variable, 01 = complemented, 10 = plain, 11 =
 * absent. */
typedef struct Cube {
  struct Cube *Next;
  uint64_t Bits;
} Cube;

typedef struct Cover {
  Cube *First;
  unsigned Count;
} Cover;

static Cover *makeCover(void) { return calloc(1, sizeof(Cover)); }

static void push(Cover *F, uint64_t Bits) {
  Cube *C = malloc(sizeof *C);
  C->Bits = Bits;
  C->Next = F->First;
  F->First = C;
  ++F->Count;
}

static void freeCover(Cover *F) {
  for (Cube *C = F->First, *Next; C; C = Next) {
    Next = C->Next;
    free(C);
  }
  free(F);
}

/* A cube is empty where a variable may be neither 0 nor 1. */
static int isEmpty(uint64_t Bits) {
  return ((Bits | Bits >> 1) & kEven) != kEven;
}

static int contains(uint64_t Outer, uint64_t Inner) {
  return (Inner & ~Outer) == 0;
}

/* F where the cube Bits holds: what does not meet it is dropped, its literals
 * go. */
static Cover *cofactor(const Cover *F, uint64_t Bits) {
  Cover *R = makeCover();
  for (const Cube *C = F->First; C; C = C->Next)
    if (!isEmpty(C->Bits & Bits))
      push(R, (C->Bits | ~Bits) & kFull);
  return R;
}

/* The variable that most cubes depend on in both ways; -1 if F is unate. */
static int chooseVariable(const Cover *F, int OnlyBinate) {
  unsigned Plain[kVariables] = {0}, Complemented[kVariables] = {0};
  for (const Cube *C = F->First; C; C = C->Next)
    for (int V = 0; V < kVariables; ++V) {
      unsigned Literal = C->Bits >> 2 * V & 3;
      Plain[V] += Literal == 2;
      Complemented[V] += Literal == 1;
    }
  int Best = -1;
  unsigned Most = 0;
  for (int V = 0; V < kVariables; ++V) {
    unsigned Both = Plain[V] && Complemented[V];
    unsigned Weight = Plain[V] + Complemented[V];
    if ((Both || !OnlyBinate) && Weight > Most) {
      Most = Weight;
      Best = V;
    }
  }
  return Best;
}

static uint64_t literal(int Variable, unsigned Value) {
  return (kFull & ~(3ull << 2 * Variable)) | (uint64_t)Value << 2 * Variable;
}

static int isTautology(const Cover *F) {
  for (const Cube *C = F->First; C; C = C->Next)
    if (C->Bits == kFull)
      return 1;
  int V = chooseVariable(F, 1);
  if (V < 0)
    return 0; /* unate and without the universal cube */
  for (unsigned Value = 1; Value <= 2; ++Value) {
    Cover *Part = cofactor(F, literal(V, Value));
    int Is = isTautology(Part);
    freeCover(Part);
    if (!Is)
      return 0;
  }
  return 1;
}

/* Drops cubes that another one contains. */
static void absorb(Cover *F) {
  for (Cube **At = &F->First; *At;) {
    int Inside = 0;
    for (const Cube *C = F->First; C && !Inside; C = C->Next)
      Inside = C != *At && contains(C->Bits, (*At)->Bits);
    if (Inside) {
      Cube *Gone = *At;
      *At = Gone->Next;
      free(Gone);
      --F->Count;
    } else {
      At = &(*At)->Next;
    }
  }
}

static Cover *complement(const Cover *F) {
  Cover *R = makeCover();
  if (F->Count == 0) {
    push(R, kFull);
    return R;
  }
  for (const Cube *C = F->First; C; C = C->Next)
    if (C->Bits == kFull)
      return R;
  if (F->Count == 1) { /* De Morgan */
    for (int V = 0; V < kVariables; ++V) {
      unsigned Literal = F->First->Bits >> 2 * V & 3;
      if (Literal != 3)
        push(R, literal(V, 3 - Literal));
    }
    return R;
  }
  int V = chooseVariable(F, 0);
  Cover *Low = cofactor(F, literal(V, 1)), *High = cofactor(F, literal(V, 2));
  Cover *NotLow = complement(Low), *NotHigh = complement(High);
  for (const Cube *C = NotLow->First; C; C = C->Next) {
    const Cube *Same = NotHigh->First;
    while (Same && Same->Bits != C->Bits)
      Same = Same->Next;
    push(R, Same ? C->Bits : C->Bits & literal(V, 1));
  }
  for (const Cube *C = NotHigh->First; C; C = C->Next)
    push(R, C->Bits & literal(V, 2));
  freeCover(Low), freeCover(High), freeCover(NotLow), freeCover(NotHigh);
  absorb(R);
  return R;
}

/* Makes each cube as large as the off-set lets it. */
static Cover *expand(const Cover *F, const Cover *Off) {
  Cover *R = makeCover();
  for (const Cube *C = F->First; C; C = C->Next) {
    uint64_t Bits = C->Bits;
    for (int V = 0; V < kVariables; ++V) {
      uint64_t Larger = Bits | 3ull << 2 * V;
      int Free = 1;
      for (const Cube *O = Off->First; O && Free; O = O->Next)
        Free = isEmpty(O->Bits & Larger);
      if (Free)
        Bits = Larger;
    }
    push(R, Bits);
  }
  absorb(R);
  return R;
}

/* Drops each cube that the others cover together. */
static Cover *irredundant(const Cover *F) {
  Cover *Kept = makeCover();
  for (const Cube *C = F->First; C; C = C->Next) {
    Cover *Others = makeCover();
    for (const Cube *O = C->Next; O; O = O->Next)
      push(Others, O->Bits);
    for (const Cube *O = Kept->First; O; O = O->Next)
      push(Others, O->Bits);
    Cover *Within = cofactor(Others, C->Bits);
    if (!isTautology(Within))
      push(Kept, C->Bits);
    freeCover(Others), freeCover(Within);
  }
  return Kept;
}

/* Minimises the function that Seed stands for; 1 if the result is that
 * function. */
static int minimise(uint32_t Seed) {
  uint32_t State = Seed * 2654435761u;
  Cover *F = makeCover();
  for (int I = 0; I < kCubes; ++I) {
    uint64_t Bits = kFull;
    for (int V = 0; V < kVariables; ++V) {
      State = State * 1664525u + 1013904223u;
      unsigned Roll = State >> 24;
      if (Roll < 160)
        Bits &= literal(V, Roll < 80 ? 1 : 2);
    }
    push(F, Bits);
  }
  Cover *Off = complement(F);
  for (unsigned Before = 0; Before != F->Count;) {
    Before = F->Count;
    Cover *Larger = expand(F, Off);
    freeCover(F);
    F = irredundant(Larger);
    freeCover(Larger);
  }
  printf("%u cubes, %u in the off-set\n", F->Count, Off->Count);
  /* Result and off-set together must be everything. */
  for (const Cube *C = Off->First; C; C = C->Next)
    push(F, C->Bits);
  int Right = isTautology(F);
  freeCover(F), freeCover(Off);
  return Right;
}

int main(int Argc, char **Argv) {
  int Functions = Argc > 1 ? atoi(Argv[1]) : 12;
  for (int Seed = 1; Seed <= Functions; ++Seed)
    if (!minimise((uint32_t)Seed))
      return 1;
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* cfrac.c - factors a number by the continued-fraction method (Morrison and
 * Brillhart, 1975). Every intermediate number is a malloc'd block of 8 to 40
 * bytes that lives for one operation: allocation-bound by intent.
 *
 *   cfrac [N [STEPS]]   prints the two factors of N; exit code 1 if none is
 * found. With STEPS, looks at so many convergents only and prints how many
 * relations they gave, and how many divisions came out even: a part of a long
 * search.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimal, as in bc: chosen, with the 44 digits that bench/run passes, to come
 * near the work between two allocations of the cfrac that benchmarks of
 * allocators use. Larger digits make the program denser in allocations. */
typedef uint8_t Digit;
enum { kBase = 10 };

/* A natural number: Length digits to the base kBase, least first, no leading
 * zeros. Never changed once made; whoever gets one frees it. */
typedef struct Big {
  uint32_t Length;
  Digit Digits[];
} Big;

static Big *makeBig(uint32_t Length) {
  Big *R = malloc(sizeof(Big) + Length * sizeof(Digit));
  if (!R)
    abort();
  R->Length = Length;
  return R;
}

static Big *trim(Big *A) {
  while (A->Length && A->Digits[A->Length - 1] == 0)
    --A->Length;
  return A;
}

static Big *fromInt(uint32_t Value) {
  uint32_t Length = 0;
  for (uint32_t Rest = Value; Rest; Rest /= kBase)
    ++Length;
  Big *R = makeBig(Length);
  for (uint32_t I = 0; I < Length; ++I, Value /= kBase)
    R->Digits[I] = (Digit)(Value % kBase);
  return R;
}

/* A as an int; A must be less than 2^32. */
static uint32_t toInt(const Big *A) {
  uint32_t Value = 0;
  for (uint32_t I = A->Length; I-- > 0;)
    Value = Value * kBase + A->Digits[I];
  return Value;
}

static Big *copyOf(const Big *A) {
  Big *R = makeBig(A->Length);
  memcpy(R->Digits, A->Digits, A->Length * sizeof(Digit));
  return R;
}

static int isZero(const Big *A) { return A->Length == 0; }

static int compare(const Big *A, const Big *B) {
  if (A->Length != B->Length)
    return A->Length < B->Length ? -1 : 1;
  for (uint32_t I = A->Length; I-- > 0;)
    if (A->Digits[I] != B->Digits[I])
      return A->Digits[I] < B->Digits[I] ? -1 : 1;
  return 0;
}

static Big *add(const Big *A, const Big *B) {
  uint32_t Length = (A->Length > B->Length ? A->Length : B->Length) + 1;
  Big *R = makeBig(Length);
  uint32_t Carry = 0;
  for (uint32_t I = 0; I < Length; ++I) {
    Carry += (I < A->Length ? A->Digits[I] : 0u) +
             (I < B->Length ? B->Digits[I] : 0u);
    R->Digits[I] = (Digit)(Carry % kBase);
    Carry /= kBase;
  }
  return trim(R);
}

/* A - B, for A >= B. */
static Big *subtract(const Big *A, const Big *B) {
  Big *R = makeBig(A->Length);
  int32_t Borrow = 0;
  for (uint32_t I = 0; I < A->Length; ++I) {
    int32_t D =
        (int32_t)A->Digits[I] - (I < B->Length ? B->Digits[I] : 0) + Borrow;
    Borrow = D < 0 ? -1 : 0;
    R->Digits[I] = (Digit)(D - Borrow * kBase);
  }
  return trim(R);
}

static Big *multiply(const Big *A, const Big *B) {
  Big *R = makeBig(A->Length + B->Length);
  memset(R->Digits, 0, R->Length * sizeof(Digit));
  for (uint32_t I = 0; I < A->Length; ++I) {
    uint32_t Carry = 0;
    for (uint32_t J = 0; J < B->Length; ++J) {
      Carry += (uint32_t)A->Digits[I] * B->Digits[J] + R->Digits[I + J];
      R->Digits[I + J] = (Digit)(Carry % kBase);
      Carry /= kBase;
    }
    R->Digits[I + B->Length] = (Digit)Carry;
  }
  return trim(R);
}

/* A / B for a small divisor; *Rest gets a new number. */
static Big *divideByInt(const Big *A, uint16_t B, Big **Rest) {
  Big *Q = makeBig(A->Length);
  uint32_t Left = 0;
  for (uint32_t I = A->Length; I-- > 0;) {
    Left = Left * kBase + A->Digits[I];
    Q->Digits[I] = (Digit)(Left / B);
    Left %= B;
  }
  *Rest = fromInt(Left);
  return trim(Q);
}

/* A / B, B > 0, doubling B from below; *Rest gets a new number. Shift and
 * subtract: slow for large quotients, which a continued fraction rarely has. */
static Big *divide(const Big *A, const Big *B, Big **Rest) {
  if (B->Length <= 4)
    return divideByInt(A, (uint16_t)toInt(B), Rest);
  Big *Quotient = fromInt(0), *Left = copyOf(A);
  while (compare(Left, B) >= 0) {
    Big *Part = copyOf(B), *Factor = fromInt(1);
    for (;;) {
      Big *Twice = add(Part, Part);
      if (compare(Twice, Left) > 0) {
        free(Twice);
        break;
      }
      free(Part);
      Part = Twice;
      Twice = add(Factor, Factor);
      free(Factor);
      Factor = Twice;
    }
    Big *Less = subtract(Left, Part), *More = add(Quotient, Factor);
    free(Left), free(Quotient), free(Part), free(Factor);
    Left = Less;
    Quotient = More;
  }
  *Rest = Left;
  return Quotient;
}

static Big *modulo(const Big *A, const Big *B) {
  Big *Rest, *Quotient = divide(A, B, &Rest);
  free(Quotient);
  return Rest;
}

static Big *quotient(const Big *A, const Big *B) {
  Big *Rest, *Quotient = divide(A, B, &Rest);
  free(Rest);
  return Quotient;
}

static Big *multiplyModulo(const Big *A, const Big *B, const Big *N) {
  Big *Product = multiply(A, B), *Rest = modulo(Product, N);
  free(Product);
  return Rest;
}

/* The largest R with R * R <= A, by Newton's method from above. */
static Big *squareRoot(const Big *A) {
  Big *R = makeBig(A->Length / 2 + 2), *Two = fromInt(2);
  memset(R->Digits, 0, R->Length);
  R->Digits[R->Length - 1] = 1;
  for (;;) {
    Big *Part = quotient(A, R), *Sum = add(R, Part), *Next = quotient(Sum, Two);
    free(Part), free(Sum);
    if (compare(Next, R) >= 0) {
      free(Next), free(Two);
      return R;
    }
    free(R);
    R = Next;
  }
}

static Big *gcd(const Big *A, const Big *B) {
  Big *X = copyOf(A), *Y = copyOf(B);
  while (!isZero(Y)) {
    Big *Rest = modulo(X, Y);
    free(X);
    X = Y;
    Y = Rest;
  }
  free(Y);
  return X;
}

static Big *fromText(const char *Text) {
  Big *R = fromInt(0), *Ten = fromInt(10);
  for (; *Text; ++Text) {
    Big *Next = fromInt((uint32_t)(*Text - '0')), *Shifted = multiply(R, Ten);
    free(R);
    R = add(Shifted, Next);
    free(Shifted), free(Next);
  }
  free(Ten);
  return R;
}

static void print(const Big *A) {
  char Text[128], *At = Text + sizeof Text;
  *--At = 0;
  Big *Left = copyOf(A);
  do {
    Big *Last, *Tenth = divideByInt(Left, 10, &Last);
    *--At = (char)('0' + toInt(Last));
    free(Last), free(Left);
    Left = Tenth;
  } while (!isZero(Left));
  free(Left);
  printf("%s\n", At);
}

/* --- The method ----------------------------------------------------------- */

enum {
  kPrimes = 160,
  kRelations = kPrimes + 20,
  kWords = (kRelations + kPrimes + 64) / 64
};

static Big *Primes[kPrimes];

static int isPrime(uint32_t N) {
  for (uint32_t D = 2; D * D <= N; ++D)
    if (N % D == 0)
      return 0;
  return 1;
}

static uint32_t powerModulo(uint64_t Base, uint32_t Exponent, uint32_t N) {
  uint64_t R = 1;
  for (Base %= N; Exponent; Exponent >>= 1, Base = Base * Base % N)
    if (Exponent & 1)
      R = R * Base % N;
  return (uint32_t)R;
}

/* 2 and the odd primes modulo which N is a square: no others divide a Q. */
static void findPrimes(const Big *N) {
  int Count = 0;
  for (uint32_t P = 2; Count < kPrimes; ++P) {
    if (!isPrime(P))
      continue;
    Big *Rest;
    free(divideByInt(N, (uint16_t)P, &Rest));
    uint32_t R = toInt(Rest);
    free(Rest);
    if (P == 2 || (R && powerModulo(R, (P - 1) / 2, P) == 1))
      Primes[Count++] = fromInt(P);
  }
}

/* One relation A^2 = +-Q (mod N), with Q a product of our primes. */
typedef struct Relation {
  Big *A;
  uint8_t Exponents[kPrimes + 1]; /* [0]: the sign */
  uint64_t Odd[kWords]; /* parity of the exponents, then who is in it */
} Relation;

static unsigned long EvenDivisions;

static int isSmooth(const Big *Q, uint8_t *Exponents) {
  Big *Left = copyOf(Q);
  for (int I = 0; I < kPrimes; ++I) {
    for (;;) {
      Big *Rest, *Part = divide(Left, Primes[I], &Rest);
      int Divides = isZero(Rest);
      free(Rest);
      if (!Divides) {
        free(Part);
        break;
      }
      free(Left);
      Left = Part;
      ++Exponents[I + 1];
      ++EvenDivisions;
    }
  }
  int Smooth = Left->Length == 1 && Left->Digits[0] == 1;
  free(Left);
  return Smooth;
}

/* Multiplies the relations in Mask to X^2 = Y^2 (mod N); prints the factors
 * and returns 1 if that yields them. */
static int tryProduct(const Big *N, Relation **Relations,
                      const uint64_t *Mask) {
  Big *X = fromInt(1), *Y = fromInt(1);
  unsigned Sum[kPrimes + 1] = {0};
  for (int I = 0; I < kRelations; ++I) {
    int Bit = kPrimes + 1 + I;
    if (!(Mask[Bit / 64] >> Bit % 64 & 1))
      continue;
    Big *Next = multiplyModulo(X, Relations[I]->A, N);
    free(X);
    X = Next;
    for (int P = 0; P <= kPrimes; ++P)
      Sum[P] += Relations[I]->Exponents[P];
  }
  for (int P = 1; P <= kPrimes; ++P)
    for (unsigned E = 0; E < Sum[P] / 2; ++E) {
      Big *Next = multiplyModulo(Y, Primes[P - 1], N);
      free(Y);
      Y = Next;
    }
  Big *Difference = compare(X, Y) >= 0 ? subtract(X, Y) : subtract(Y, X);
  Big *Factor = gcd(N, Difference), *One = fromInt(1);
  int Found = compare(Factor, One) > 0 && compare(Factor, N) < 0;
  if (Found) {
    Big *Other = quotient(N, Factor);
    print(compare(Factor, Other) < 0 ? Factor : Other);
    print(compare(Factor, Other) < 0 ? Other : Factor);
    free(Other);
  }
  free(X), free(Y), free(Difference), free(Factor), free(One);
  return Found;
}

/* Gauss over GF(2): every row that vanishes is a product that is a square. */
static int combine(const Big *N, Relation **Relations) {
  for (int I = 0; I < kRelations; ++I) {
    Relation *R = Relations[I];
    for (int P = 0; P <= kPrimes; ++P)
      R->Odd[P / 64] |= (uint64_t)(R->Exponents[P] & 1) << P % 64;
    int Bit = kPrimes + 1 + I;
    R->Odd[Bit / 64] |= 1ull << Bit % 64;
  }
  char *Used = calloc(kRelations, 1);
  int Found = 0;
  for (int P = 0; P <= kPrimes; ++P) {
    int Pivot = 0;
    while (Pivot < kRelations &&
           (Used[Pivot] || !(Relations[Pivot]->Odd[P / 64] >> P % 64 & 1)))
      ++Pivot;
    if (Pivot == kRelations)
      continue;
    Used[Pivot] = 1;
    for (int I = 0; I < kRelations; ++I)
      if (I != Pivot && Relations[I]->Odd[P / 64] >> P % 64 & 1)
        for (int W = 0; W < kWords; ++W)
          Relations[I]->Odd[W] ^= Relations[Pivot]->Odd[W];
  }
  for (int I = 0; I < kRelations && !Found; ++I)
    if (!Used[I])
      Found = tryProduct(N, Relations, Relations[I]->Odd);
  free(Used);
  return Found;
}

int main(int Argc, char **Argv) {
  Big *N = fromText(Argc > 1 ? Argv[1] : "92300000005640000000081");
  long Most = Argc > 2 ? atol(Argv[2]) : 0, Steps = Most ? Most : LONG_MAX;
  findPrimes(N);
  Relation *Relations[kRelations];
  int Count = 0;

  /* sqrt(N) = [q0; q1, ...] with (P + sqrt N) / Q = q + 1 / next, and
   * A(k)^2 = (-1)^k+1 Q(k+1) (mod N) for the convergents' numerators A. */
  Big *Root = squareRoot(N), *P = fromInt(0), *Q = fromInt(1);
  Big *A = fromInt(1), *Before = fromInt(0);
  for (int Negative = 1; Count < kRelations && Steps-- > 0; Negative ^= 1) {
    Big *Sum = add(Root, P), *Term = quotient(Sum, Q);
    Big *Product = multiply(Term, Q), *NextP = subtract(Product, P);
    Big *Square = multiply(NextP, NextP), *Rest = subtract(N, Square);
    Big *NextQ = quotient(Rest, Q);
    Big *Scaled = multiply(Term, A), *NextSum = add(Scaled, Before);
    Big *NextA = modulo(NextSum, N);
    free(Sum), free(Term), free(Product), free(Square), free(Rest);
    free(Scaled), free(NextSum), free(P), free(Q), free(Before);
    P = NextP;
    Q = NextQ;
    Before = A;
    A = NextA;
    uint8_t Exponents[kPrimes + 1] = {0};
    if (isSmooth(Q, Exponents)) {
      Relation *R = calloc(1, sizeof(Relation));
      memcpy(R->Exponents, Exponents, sizeof Exponents);
      R->Exponents[0] = (uint8_t)Negative;
      R->A = copyOf(A);
      Relations[Count++] = R;
    }
  }
  int Found = 1;
  if (Most)
    printf("%d relations, %lu even divisions\n", Count, EvenDivisions);
  else
    Found = combine(N, Relations);
  for (int I = 0; I < Count; ++I)
    free(Relations[I]->A), free(Relations[I]);
  for (int I = 0; I < kPrimes; ++I)
    free(Primes[I]);
  free(Root), free(P), free(Q), free(A), free(Before), free(N);
  return Found ? 0 : 1;
}

//===- Sampling.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Sampling.h"

#include "state/Runtime.h"
#include "state/ThreadRows.h"

// A note contains: the probe's address, that of .stapsdt.base (from which a
// listener computes how far prelink moved the file), that of a semaphore (not
// used), provider, name and arguments. Version 3 of the format.
#define INMEM_PROBE(Name, Arguments)                                           \
  "990: nop\n"                                                                 \
  ".pushsection .note.stapsdt,\"\",\"note\"\n"                                 \
  ".balign 4\n"                                                                \
  ".4byte 992f-991f, 994f-993f, 3\n"                                           \
  "991: .asciz \"stapsdt\"\n"                                                  \
  "992: .balign 4\n"                                                           \
  "993: .8byte 990b\n"                                                         \
  ".8byte _.stapsdt.base\n"                                                    \
  ".8byte 0\n"                                                                 \
  ".asciz \"otel_memory\"\n"                                                   \
  ".asciz \"" Name "\"\n"                                                      \
  ".asciz \"" Arguments "\"\n"                                                 \
  "994: .balign 4\n"                                                           \
  ".popsection\n"                                                              \
  ".ifndef _.stapsdt.base\n"                                                   \
  ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"      \
  ".weak _.stapsdt.base\n"                                                     \
  ".hidden _.stapsdt.base\n"                                                   \
  "_.stapsdt.base: .space 1\n"                                                 \
  ".size _.stapsdt.base, 1\n"                                                  \
  ".popsection\n"                                                              \
  ".endif\n"

#if defined(__x86_64__)
#define INMEM_FIRST "rdi"
#define INMEM_SECOND "rsi"
#define INMEM_THIRD "rdx"
#define INMEM_REGISTER(Name) "%%" Name
#else
#define INMEM_FIRST "x0"
#define INMEM_SECOND "x1"
#define INMEM_THIRD "x2"
#define INMEM_REGISTER(Name) Name
#endif

namespace inmem::rt {

namespace {

/// ln(x) for 0 < x <= 1: x = m * 2^e with m in [1/sqrt 2, sqrt 2), then 2
/// artanh((m-1)/(m+1)) by its series; error below 1e-12. Not libm's, which must
/// not become a dependency of every instrumented program.
double naturalLog(double X) {
  uint64_t Bits;
  __builtin_memcpy(&Bits, &X, sizeof Bits);
  int Exponent = static_cast<int>(Bits >> 52) - 1023;
  Bits = (Bits & 0xFFFFFFFFFFFFFu) | uint64_t{1023} << 52;
  double M;
  __builtin_memcpy(&M, &Bits, sizeof M);
  if (M > 1.4142135623730951) {
    M /= 2;
    ++Exponent;
  }
  double T = (M - 1) / (M + 1), Square = T * T, Sum = 0, Power = T;
  for (int I = 1; I < 24; I += 2, Power *= Square)
    Sum += Power / I;
  return 2 * Sum + Exponent * 0.6931471805599453;
}

/// 1 - e^-x for x >= 0.
double oneMinusExp(double X) {
  if (X > 40)
    return 1;
  // e^-x = (e^-(x/2^k))^(2^k) would lose digits near 0: use expm1's doubling,
  // f(2y) = f(y) * (2 - f(y)) for f(y) = 1 - e^-y.
  int Halvings = 0;
  while (X > 0.01) {
    X /= 2;
    ++Halvings;
  }
  double F = X * (1 - X / 2 * (1 - X / 3 * (1 - X / 4 * (1 - X / 5))));
  while (Halvings-- > 0)
    F *= 2 - F;
  return F;
}

double nextUniform(ThreadRows &B) { // xorshift64*, Vigna 2016
  B.Random ^= B.Random >> 12;
  B.Random ^= B.Random << 25;
  B.Random ^= B.Random >> 27;
  uint64_t Value = B.Random * 0x2545F4914F6CDD1Du;
  return (static_cast<double>(Value >> 11) + 1) * 0x1.0p-53;
}

/// Poisson sampling of bytes: an allocation of s bytes is sampled with
/// probability 1 - e^(-s/mean), and its weight is the inverse of that. Sizes
/// are integers, so the distance to the next sample may be rounded up.
int64_t bytesToNextSample(ThreadRows &B) {
  constexpr double kMost = 0x1p62;
  double Distance = -static_cast<double>(Process.Config.SampleBytes) *
                    naturalLog(nextUniform(B));
  return Distance < kMost ? static_cast<int64_t>(Distance) + 1
                          : int64_t{1} << 62;
}

bool isSampled(ThreadState &T, uint64_t Size) {
  T.Sampling.BytesToSample -= static_cast<int64_t>(Size);
  if (T.Sampling.BytesToSample > 0)
    return false;
  // The process is memoryless: the rest of this allocation does not shorten the
  // distance to the next sample.
  T.Sampling.BytesToSample = bytesToNextSample(*T.Rows);
  return true;
}

int64_t every() {
  const uint64_t Every = Process.Config.Every;
  return Every < INT64_MAX ? static_cast<int64_t>(Every) : INT64_MAX;
}

bool isNth(ThreadState &T) {
  if (--T.Sampling.BlocksToSample > 0)
    return false;
  T.Sampling.BlocksToSample = every();
  return true;
}

} // namespace

double weightOf(uint64_t Size) {
  return 1 / oneMinusExp(static_cast<double>(Size) /
                         static_cast<double>(Process.Config.SampleBytes));
}

bool passesFilters(ThreadState &T, uint64_t Size) {
  const Options &O = Process.Config;
  return Size - O.MinSize <= O.SizeRange && (O.Every <= 1 || isNth(T)) &&
         (O.SampleBytes == 0 || isSampled(T, Size));
}

void beginSampling(ThreadState &T) {
  const Options &O = Process.Config;
  if (O.SampleBytes)
    T.Sampling.BytesToSample = bytesToNextSample(*T.Rows);
  if (O.Every <= 1)
    return;
  const double Before = nextUniform(*T.Rows) * static_cast<double>(every());
  T.Sampling.BlocksToSample = Before < static_cast<double>(every())
                                  ? static_cast<int64_t>(Before) + 1
                                  : every();
}

// Separate functions: each probe has one address, and a listener's stack walk
// begins in a function with an empty frame.
__attribute__((noinline)) void probeAllocation(const void *P, uint64_t Size,
                                               uint64_t Weight) {
  register const void *First __asm__(INMEM_FIRST) = P;
  register uint64_t Second __asm__(INMEM_SECOND) = Size;
  register uint64_t Third __asm__(INMEM_THIRD) = Weight;
  __asm__ volatile(
      INMEM_PROBE("alloc",
                  "8@" INMEM_REGISTER(INMEM_FIRST) " 8@" INMEM_REGISTER(
                      INMEM_SECOND) " 8@" INMEM_REGISTER(INMEM_THIRD))
      :
      : "r"(First), "r"(Second), "r"(Third)
      : "memory");
}

__attribute__((noinline)) void probeFree(const void *P) {
  register const void *First __asm__(INMEM_FIRST) = P;
  __asm__ volatile(INMEM_PROBE("free", "8@" INMEM_REGISTER(INMEM_FIRST))
                   :
                   : "r"(First)
                   : "memory");
}

} // namespace inmem::rt

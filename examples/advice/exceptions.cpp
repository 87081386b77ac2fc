// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions for what is no exception.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#ifdef ADVICE
static std::optional<int> evenHalf(int Value) {
  if (Value % 2 != 0)
    return std::nullopt;
  return Value / 2;
}
#else
struct Odd {
  int Value;
};
static int evenHalf(int Value) {
  if (Value % 2 != 0)
    throw Odd{Value};
  return Value / 2;
}
#endif

int main() {
  long Sum = 0;
  for (int I = 0; I < 10000; ++I) {
#ifdef ADVICE
    Sum += evenHalf(I).value_or(0);
#else
    try {
      Sum += evenHalf(I);
    } catch (const Odd &) {
    }
#endif
  }
  std::printf("%ld\n", Sum);
}

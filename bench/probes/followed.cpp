// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// followed WHAT N: N pairs of allocation and free by the C++ library, for the
// line of a program that was not compiled with inmem.
#include <cstdlib>
#include <string>

int main(int Count, char **Words) {
  if (Count < 3)
    return 2;
  const long Pairs = std::atol(Words[2]);
  for (long I = 0; I < Pairs; ++I) {
    std::string Text;
    Text.reserve(64); // allocates inside the library
    asm volatile("" ::"r"(Text.data()) : "memory");
  }
}

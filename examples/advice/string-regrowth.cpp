// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A text that grows by a few characters at a time.
#include <cstdio>
#include <string>

static std::string table(int Rows) {
  std::string Out;
#ifdef ADVICE
  Out.reserve(3839);
#endif
  for (int I = 0; I < Rows; ++I)
    Out += "a,b,c,d\n";
  return Out;
}

int main() {
  size_t Sum = 0;
  for (int Round = 0; Round < 300; ++Round)
    Sum += table(450).size();
  std::printf("%zu\n", Sum);
}

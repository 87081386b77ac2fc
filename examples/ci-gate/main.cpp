// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tokens.h"

#include <cstdio>
#include <cstdlib>

int main(int Argc, char **Argv) {
  const int Words = Argc > 1 ? std::atoi(Argv[1]) : 100;
  std::string Text;
  for (int I = 0; I < Words; ++I)
    Text += "a-word-that-needs-a-block-of-its-own ";
  const auto Tokens = gate::tokenize(Text);
  std::printf("%zu of %zu words are long\n", gate::countLonger(Tokens, 20),
              Tokens.size());
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pair_new.cpp - as pair.c, for operator new and delete: `pair_new new PAIRS`.
#include <cstdlib>
#include <cstring>

static void *volatile Kept;

int main(int Argc, char **Argv) {
  if (Argc != 3 || std::strcmp(Argv[1], "new") != 0)
    return 2;
  long Pairs = std::atol(Argv[2]);
  for (long I = 0; I < Pairs; ++I) {
    long *P = new long[6];
    Kept = P;
    delete[] static_cast<long *>(Kept);
  }
  return 0;
}

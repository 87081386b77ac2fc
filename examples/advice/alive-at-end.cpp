// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers that nobody frees.
#include <cstdio>
#include <cstdlib>

struct Record {
  int Key, Values[31];
};

static int sumOf(int Key) {
  auto *R = static_cast<Record *>(std::calloc(1, sizeof(Record)));
  Record *volatile Hidden = R;
  Hidden->Key = Key;
  const int Out = Hidden->Key + Hidden->Values[0];
#ifdef ADVICE
  std::free(R);
#endif
  return Out;
}

int main() {
  long Sum = 0;
  for (int I = 0; I < 1000; ++I)
    Sum += sumOf(I);
  std::printf("%ld\n", Sum);
}

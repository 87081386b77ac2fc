// The program of probes.test: blocks of two sizes, of which one in ten stays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
static void *volatile Sink;

int main() {
  for (int I = 0; I < 2000; ++I) {
    Sink = std::malloc(I % 2 ? 100 : 300);
    if (I % 10)
      std::free(Sink);
  }
  return 7;
}

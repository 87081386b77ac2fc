// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A string stream for each line, with a buffer of its own. (With -DADVICE one
// stream serves all.)
#include <cstdio>
#include <sstream>

int main() {
  size_t Sum = 0;
#ifdef ADVICE
  std::ostringstream Out;
#endif
  for (int I = 0; I < 5000; ++I) {
#ifdef ADVICE
    Out.str("");
#else
    std::ostringstream Out;
#endif
    Out << "item number " << I << " of the many that are counted";
    Sum += static_cast<size_t>(Out.tellp());
  }
  std::printf("%zu\n", Sum);
}

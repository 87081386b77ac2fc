// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys that are a little too long for a string without a block.
#include <cstdio>
#include <string>
#include <vector>

int main() {
  std::vector<std::string> Keys;
  Keys.reserve(5000);
  for (int I = 0; I < 5000; ++I) {
    char Text[32];
#ifdef ADVICE
    std::snprintf(Text, sizeof Text, "s-%08d", I);
#else
    std::snprintf(Text, sizeof Text, "session-%012d", I);
#endif
    Keys.push_back(std::string(Text));
  }
  std::printf("%zu\n", Keys.size());
}

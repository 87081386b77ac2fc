// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaves by _exit: no destructor, no atexit handler runs.
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

int main() {
  std::vector<std::string> all;
  for (int i = 0; i < 100; ++i)
    all.push_back("a string that is never destroyed " + std::to_string(i));
  std::printf("%zu\n", all.size());
  std::fflush(stdout);
  _exit(7);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// small.cpp - a small program: allocates a few thousand nodes, and prints its
// highest resident size in KiB.
#include <cstdio>
#include <map>
#include <string>
#include <sys/resource.h>

int main() {
  std::map<int, std::string> names;
  for (int i = 0; i < 5000; ++i)
    names[i * 7919 % 10007] = "the name of entry number " + std::to_string(i);
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("resident %ld\n", usage.ru_maxrss * (names.empty() ? 0 : 1));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaves by std::exit from deep within, with live objects on stack and heap.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static void descend(int depth, std::vector<std::string> &path) {
  path.push_back("level " + std::to_string(depth) +
                 " of a rather deep recursion");
  if (depth == 50)
    std::exit(42);
  std::string local(path.back());
  descend(depth + 1, path);
  std::puts(local.c_str());
}

int main() {
  std::vector<std::string> path;
  descend(0, path);
}

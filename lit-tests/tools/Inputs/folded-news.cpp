// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several `new` behind one line, in instances that gcc makes one function, for
// found_types.py.
#include <vector>

struct Sub {
  std::vector<int> Values;
};
struct Third {
  long A = 1, B = 2, C = 3;
};
std::vector<Sub *> Subs;
std::vector<std::vector<int> *> Vectors;
std::vector<Third *> Thirds;

template <class T> __attribute__((noinline)) T *make() {
  return new T();
}

__attribute__((noinline)) void chain() {
  for (int I = 0; I < 1000; ++I) {
    // clang-format off
    Subs.push_back(make<Sub>()); Vectors.push_back(make<std::vector<int>>()); Thirds.push_back(make<Third>());
    // clang-format on
  }
}

int main() {
  chain();
  return Subs.size() != Thirds.size();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>
struct Foo {
  int A[8];
};
static std::vector<Foo *> Kept;
int main() {
  for (int I = 0; I < 2000; ++I) {
    Kept.push_back(new Foo());
    delete new Foo();
  }
  return Kept.size() == 2000 ? 0 : 1;
}

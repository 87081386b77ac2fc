// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program replaces operator new and delete by its own.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

static unsigned long Taken, Given;

void *operator new(std::size_t size) {
  ++Taken;
  if (void *pointer = std::malloc(size))
    return pointer;
  throw std::bad_alloc();
}
void operator delete(void *pointer) noexcept {
  Given += pointer != nullptr;
  std::free(pointer);
}
void operator delete(void *pointer, std::size_t) noexcept {
  operator delete(pointer);
}

int main() {
  std::vector<std::string> all;
  for (int i = 0; i < 200; ++i)
    all.push_back(std::string(20 + i, 'r'));
  int *array = new int[10];
  static void *volatile sink = array;
  delete[] static_cast<int *>(sink);
  all.clear();
  all.shrink_to_fit();
  // DHAT puts its own operators in place of these, so no numbers are printed.
  std::puts(Taken == Given ? "balanced" : "not balanced");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that is taken before main and given back after it.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

static std::vector<std::string> Early{"a string made before main, number one",
                                      "and another, number two"};
static std::unique_ptr<int[]> Kept(new int[100]);
static char *Forgotten;

__attribute__((constructor(101))) static void veryEarly() {
  Forgotten = static_cast<char *>(std::malloc(11));
}
__attribute__((destructor)) static void veryLate() {
  auto *late = new std::string(50, 'l');
  std::printf("%zu\n", late->size());
  delete late;
  std::free(Forgotten);
}
struct AtTheEnd {
  ~AtTheEnd() { std::puts(std::string(40, '.').c_str()); }
};
static AtTheEnd End;

int main() {
  static std::string once(100, 'o');
  std::atexit([] { delete new std::vector<int>(10); });
  Early.push_back(once);
  std::printf("%zu %d\n", Early.size(), Kept[0] & 0);
}

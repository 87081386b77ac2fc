// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oracle-flags: -ltcmalloc
// oracle-needs: tcmalloc
// oracle-without: nothing
// The program links tcmalloc instead of using libc's allocator.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

int main(int argc, char **) {
  if (argc >
      1) // the baseline: the library's own start, which valgrind may change
    return 0;
  std::map<int, std::vector<std::string>> all;
  for (int i = 0; i < 2000; ++i)
    all[i % 50].push_back(std::string(i % 200, 'x'));
  char *text = static_cast<char *>(std::malloc(10));
  for (int i = 1; i < 20; ++i)
    text = static_cast<char *>(std::realloc(text, i * 1000));
  std::printf("%zu %d\n", all.size(), text[0] & 0);
  std::free(text);
}

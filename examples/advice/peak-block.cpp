// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table with room for all words that there could be, of which few come.
#include <cstdio>
#include <string>
#include <vector>

static unsigned hashOf(const std::string &Word) {
  unsigned Hash = 0;
  for (const char C : Word)
    Hash = Hash * 31 + static_cast<unsigned char>(C);
  return Hash;
}

int main() {
#ifdef ADVICE
  constexpr unsigned kRoom = 4096;
#else
  constexpr unsigned kRoom = 4000000;
#endif
  std::vector<int> Table(kRoom, -1);
  std::vector<std::string> Words;
  Words.reserve(1000);
  for (int I = 0; I < 1000; ++I) {
    const std::string Word = "a word of the text, number " + std::to_string(I);
    unsigned At = hashOf(Word) % kRoom;
    while (Table[At] >= 0)
      At = (At + 1) % kRoom;
    Table[At] = static_cast<int>(Words.size());
    Words.push_back(Word);
  }
  std::printf("%zu\n", Words.size());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles patterns and searches every word of a text with them.
#include "re2/re2.h"
#include "re2/filtered_re2.h"
#include "re2/set.h"
#include <fstream>
#include <iostream>
#include <sstream>

int main(int Count, char **Arguments) {
  if (Count < 2)
    return 2;
  std::stringstream Text;
  Text << std::ifstream(Arguments[1]).rdbuf();
  std::string Whole = Text.str();
  int Found = 0;
  for (int I = 0; I < 200; ++I) {
    re2::RE2 Pattern("(\\w+" + std::to_string(I % 10) +
                     "|[a-f]{2,5}(x|y|zz)*)\\s+(?i:the|Of)?(\\p{Greek}|\\d+)");
    re2::StringPiece Rest(Whole.data(), 20000);
    std::string Word;
    while (RE2::FindAndConsume(&Rest, Pattern, &Word))
      ++Found;
    std::string Copy = Whole.substr(0, 1000);
    Found += RE2::GlobalReplace(&Copy, Pattern, "<\\1>");
  }
  RE2::Set Set(RE2::Options(), RE2::UNANCHORED);
  re2::FilteredRE2 Filtered;
  for (int I = 0; I < 100; ++I) {
    std::string Error,
        Pattern = "word" + std::to_string(I) + "(alpha|beta)+[0-9]*";
    Set.Add(Pattern, &Error);
    int Id;
    Filtered.Add(Pattern, RE2::Options(), &Id);
  }
  Set.Compile();
  std::vector<std::string> Atoms;
  Filtered.Compile(&Atoms);
  std::vector<int> Matches;
  Set.Match("xx word7alpha12 word42beta", &Matches);
  std::cout << Found << " " << Matches.size() << " " << Atoms.size() << "\n";
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tokens.h"

#include <algorithm>

namespace gate {

std::vector<Token> tokenize(std::string_view Text) {
  std::vector<Token> Tokens;
  Tokens.reserve(
      1 + static_cast<size_t>(std::count(Text.begin(), Text.end(), ' ')));
  while (!Text.empty()) {
    const size_t End = std::min(Text.find(' '), Text.size());
    Tokens.push_back({std::string(Text.substr(0, End)), 1});
    Text.remove_prefix(std::min(End + 1, Text.size()));
  }
  return Tokens;
}

size_t countLonger(const std::vector<Token> &Tokens, size_t Length) {
  size_t Count = 0;
  for (const Token &T : Tokens)
    Count += T.Text.size() > Length;
  return Count;
}

} // namespace gate

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GATE_TOKENS_H
#define GATE_TOKENS_H

#include <string>
#include <string_view>
#include <vector>

namespace gate {

struct Token {
  std::string Text;
  int Line = 1;
};

/// The words of Text, in order.
std::vector<Token> tokenize(std::string_view Text);

/// Words that have more than Length characters.
size_t countLonger(const std::vector<Token> &Tokens, size_t Length);

} // namespace gate

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of equal code that compilers and linkers make one, for
// found_types.py: none may give its type to another's blocks as certain.
#include <memory>
#include <vector>

struct First {
  int Value;
};
struct Second {
  int Value;
};
struct Token {
  int Kind;
};
struct Instruction {
  int Opcode;
};
std::vector<std::unique_ptr<Token>> Tokens;
std::vector<std::unique_ptr<Instruction>> Instructions;
First *volatile A;
Second *volatile B;

__attribute__((noinline)) First *makeFirst(int Value) {
  return new First{Value};
}
__attribute__((noinline)) Second *makeSecond(int Value) {
  return new Second{Value};
}
__attribute__((noinline)) void keepFirst(First *Of) { A = Of; }
__attribute__((noinline)) void keepSecond(Second *Of) { B = Of; }
__attribute__((noinline)) void grow() {
  Tokens.emplace_back(nullptr);
  Tokens.emplace_back(nullptr);
}
__attribute__((noinline)) void growOther() {
  Instructions.emplace_back(nullptr);
  Instructions.emplace_back(nullptr);
}

int main() {
  keepFirst(makeFirst(1));
  keepSecond(makeSecond(2));
  for (int I = 0; I < 10; ++I) {
    grow();
    growOther();
  }
  return Tokens.size() != Instructions.size();
}

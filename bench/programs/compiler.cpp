// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiler.cpp - a compiler's heap: text to tokens to a tree to code. Tokens
// live as long as their function is parsed, its code until it is written, and
// trees and names until the end, when all of them are walked.
//
//   compiler [FUNCTIONS [SEED]]    prints a checksum
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

uint32_t Seed = 1;
uint32_t next() {
  Seed ^= Seed << 13;
  Seed ^= Seed >> 17;
  Seed ^= Seed << 5;
  return Seed;
}

struct Token {
  enum { Name, Number, Sign } Kind;
  std::string Text, Place;
};
using Tokens = std::vector<std::unique_ptr<Token>>;

struct Node {
  char Sign = 0;
  const std::string *Name = nullptr;
  long Value = 0;
  std::unique_ptr<Node> Left, Right;
};

struct Instruction {
  std::string Text;
  std::vector<int> Registers;
};

std::string functionText(uint32_t Number) {
  std::string Text;
  for (uint32_t Line = 4 + next() % 30; Line > 0; --Line) {
    Text += "variable_" + std::to_string(next() % 50) + "_of_" +
            std::to_string(Number) + " = ";
    for (uint32_t Terms = 2 + next() % 8; Terms > 0; --Terms)
      Text += (next() % 2 ? "some_global_name_" + std::to_string(next() % 5000)
                          : std::to_string(next() % 100000)) +
              (next() % 3 ? " + " : " * ");
    Text += "1 ; ";
  }
  return Text;
}

Tokens scan(const std::string &Text) {
  Tokens Out;
  for (size_t At = 0; At < Text.size();) {
    const size_t End = Text.find(' ', At);
    auto T = std::make_unique<Token>();
    T->Text = Text.substr(At, End - At);
    T->Place = "a-source-file.c:" + std::to_string(At);
    T->Kind = T->Text.size() == 1 && T->Text[0] < '0' ? Token::Sign
              : T->Text[0] <= '9'                     ? Token::Number
                                                      : Token::Name;
    Out.push_back(std::move(T));
    At = End + 1;
  }
  return Out;
}

class Parser {
public:
  std::unique_ptr<Node> expression(const Tokens &From, size_t &At) {
    auto Left = leaf(*From[At++]);
    if (At >= From.size() || From[At]->Text == ";" || From[At]->Text == "=")
      return Left;
    auto Out = std::make_unique<Node>();
    Out->Sign = From[At++]->Text[0];
    Out->Left = std::move(Left);
    Out->Right = expression(From, At);
    return Out;
  }

private:
  std::unique_ptr<Node> leaf(const Token &T) {
    auto Out = std::make_unique<Node>();
    if (T.Kind == Token::Number)
      Out->Value = std::atol(T.Text.c_str());
    else
      Out->Name = &Names.try_emplace(T.Text).first->first;
    return Out;
  }
  std::map<std::string, int> Names;
};

int emit(const Node &N, std::vector<std::unique_ptr<Instruction>> &Code) {
  const int Left = N.Left ? emit(*N.Left, Code) : 0;
  const int Right = N.Right ? emit(*N.Right, Code) : 0;
  auto I = std::make_unique<Instruction>();
  I->Text = N.Sign   ? std::string("operate ") + N.Sign + " on two registers"
            : N.Name ? "load " + *N.Name
                     : "constant " + std::to_string(N.Value);
  I->Registers = {static_cast<int>(Code.size()), Left, Right};
  Code.push_back(std::move(I));
  return Code.back()->Registers[0];
}

long valueOf(const Node &N) {
  if (!N.Sign)
    return N.Name ? static_cast<long>(N.Name->size()) : N.Value;
  const long Left = valueOf(*N.Left), Right = valueOf(*N.Right);
  return N.Sign == '*' ? Left * Right % 1000003 : Left + Right;
}

} // namespace

int main(int Argc, char **Argv) {
  const uint32_t Functions =
      Argc > 1 ? static_cast<uint32_t>(std::atoi(Argv[1])) : 4000;
  Seed =
      (Argc > 2 ? static_cast<uint32_t>(std::atoi(Argv[2])) : 1) * 2654435761u |
      1;
  Parser P;
  std::vector<std::unique_ptr<Node>> Trees;
  unsigned long Sum = 0;
  for (uint32_t F = 0; F < Functions; ++F) {
    const Tokens All = scan(functionText(F));
    std::vector<std::unique_ptr<Instruction>> Code;
    for (size_t At = 0; At < All.size(); ++At) {
      Trees.push_back(P.expression(All, At));
      emit(*Trees.back(), Code);
    }
    for (const auto &I : Code)
      Sum += I->Text.size() + I->Registers.size();
  }
  for (int Pass = 0; Pass < 10; ++Pass)
    for (const auto &Tree : Trees)
      Sum += static_cast<unsigned long>(valueOf(*Tree));
  std::printf("%lu\n", Sum);
  return 0;
}

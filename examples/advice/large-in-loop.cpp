// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parser that brings a large buffer, made again for each document.
#include <cstdio>
#include <memory>
#include <string>

class Parser {
public:
  Parser() : Tape(new long[kRoom]) {}
  long parse(const std::string &Document) {
    size_t Used = 0;
    for (const char C : Document)
      Tape[Used++ % kRoom] = C;
    return Tape[Used / 2] + static_cast<long>(Used);
  }

private:
  static constexpr size_t kRoom = 100000;
  std::unique_ptr<long[]> Tape;
};

int main() {
  long Sum = 0;
#ifdef ADVICE
  Parser Of;
#endif
  for (int I = 0; I < 40; ++I) {
#ifndef ADVICE
    Parser Of;
#endif
    Sum += Of.parse("document " + std::to_string(I) +
                    ", which is longer than fifteen characters");
  }
  std::printf("%ld\n", Sum);
}

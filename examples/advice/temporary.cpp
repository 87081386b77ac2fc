// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block for an object that its function could keep on the stack.
#include <cstdio>
#include <memory>

struct Parser {
  int Depth = 0;
  char Buffer[248] = {};
  virtual int parse(int Text) { return Depth += Text; }
  virtual ~Parser() = default;
};

static int depthOf(int Text) {
#ifdef ADVICE
  Parser P;
  Parser *volatile Hidden = &P; // as opaque to the compiler
  return Hidden->parse(Text);
#else
  const auto P = std::make_unique<Parser>();
  Parser *volatile Hidden = P.get();
  return Hidden->parse(Text);
#endif
}

int main() {
  int Sum = 0;
  for (int I = 0; I < 10000; ++I)
    Sum += depthOf(I);
  std::printf("%d\n", Sum);
}

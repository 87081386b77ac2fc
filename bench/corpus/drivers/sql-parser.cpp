// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses files of statements, forty times.
#include "SQLParser.h"
#include <cstdio>
#include <fstream>
#include <sstream>

int main(int Count, char **Arguments) {
  size_t Statements = 0;
  for (int Round = 0; Round < 40; ++Round)
    for (int I = 1; I < Count; ++I) {
      std::ifstream File(Arguments[I]);
      std::stringstream Text;
      Text << File.rdbuf();
      hsql::SQLParserResult Result;
      hsql::SQLParser::parse(Text.str(), &Result);
      Statements += Result.size();
    }
  std::printf("%zu\n", Statements);
  return 0;
}

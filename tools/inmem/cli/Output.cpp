//===- Output.cpp - Results to files and streams --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Output.h"

#include "cli/OutputFile.h"

namespace inmem::tools {

trace::Status writeText(const std::string &Path, std::FILE *Default,
                        std::string_view Text) {
  auto To = OutputFile::open(Path, Default);
  if (!To)
    return To.status();
  To->write(Text);
  return To->commit();
}

std::string shellQuoted(const std::string &Word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"
                                      "OPQRSTUVWXYZ0123456789_-+=.,/:%@";
  if (!Word.empty() && Word.find_first_not_of(kPlain) == Word.npos)
    return Word;
  std::string Out = "'";
  for (const char C : Word)
    Out += C == '\'' ? std::string("'\\''") : std::string(1, C);
  return Out + "'";
}

} // namespace inmem::tools

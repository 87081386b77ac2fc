//===- Template.cpp - A name and its template arguments -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/names/TypeName.h"

namespace inmem::report {

std::string_view trim(std::string_view Text) {
  while (!Text.empty() && Text.front() == ' ')
    Text.remove_prefix(1);
  while (!Text.empty() && Text.back() == ' ')
    Text.remove_suffix(1);
  return Text;
}

std::string join(const Arguments &Args) {
  std::string Out;
  for (const std::string &A : Args)
    Out += (Out.empty() ? "" : ", ") + A;
  return Out;
}

std::optional<TemplateName> splitTemplate(std::string_view Text) {
  const size_t Open = Text.find('<');
  if (Open == std::string_view::npos || Open == 0)
    return std::nullopt;
  TemplateName Out;
  Out.Name = std::string(trim(Text.substr(0, Open)));
  int Depth = 0;
  size_t Start = Open + 1;
  for (size_t I = Open; I < Text.size(); ++I) {
    const char C = Text[I];
    if (C == '<' || C == '(' || C == '[' || C == '{') {
      ++Depth;
    } else if (C == '>' && I > 0 && Text[I - 1] == '-') {
      continue; // ->
    } else if (C == '>' || C == ')' || C == ']' || C == '}') {
      if (--Depth == 0) {
        const auto Last = trim(Text.substr(Start, I - Start));
        if (!Last.empty() || !Out.Args.empty())
          Out.Args.emplace_back(Last);
        Out.Rest = std::string(Text.substr(I + 1));
        return Out;
      }
    } else if (C == ',' && Depth == 1) {
      Out.Args.emplace_back(trim(Text.substr(Start, I - Start)));
      Start = I + 1;
    }
  }
  return std::nullopt;
}

} // namespace inmem::report

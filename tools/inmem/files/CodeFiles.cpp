//===- CodeFiles.cpp - Places in code from the modules' files -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/Symbolizer.h"

namespace inmem::tools {

std::optional<uint32_t> CodeFiles::firstLine(const trace::Module &Of,
                                             std::string_view Function,
                                             uint32_t Line) {
  const auto [Where, New] = Modules.try_emplace(std::string(Of.Path) + '\n' +
                                                std::string(Of.BuildId));
  if (New)
    for (auto &[Name, First] : Symbols.firstLines(Of.Path, Of.BuildId))
      Where->second[std::move(Name)].push_back(First);
  const auto Found = Where->second.find(Function);
  if (Found == Where->second.end())
    return std::nullopt;
  // The nearest function with that name that starts before the line.
  std::optional<uint32_t> Best;
  for (const uint32_t First : Found->second)
    if (!Best || (First <= Line && (*Best > Line || First > *Best)))
      Best = First;
  return Best;
}

std::vector<trace::Frame> CodeFiles::expand(const trace::Module &Of,
                                            uint64_t Offset) {
  std::vector<trace::Frame> Out;
  if (Of.Path.empty())
    return Out;
  Kept.push_back(Symbols.expand(Of.Path, Of.BuildId, Offset));
  for (const report::SourceLocation &P : Kept.back())
    Out.push_back({P.Function, P.File, P.Line, P.Column});
  return Out;
}

} // namespace inmem::tools

//===- CodeFiles.h - Places in code from the modules' files -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `inmem optimize` needs to know of code in addition to a trace: where
// functions begin, and what is at an address.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_CODEFILES_H
#define INMEM_TOOLS_CODEFILES_H

#include "files/Symbolizer.h"
#include "report/optimize/LifetimeProfile.h"

namespace inmem::tools {

class CodeFiles : public report::CodeSource {
public:
  explicit CodeFiles(std::vector<std::string> DebugFolders)
      : Symbols(std::move(DebugFolders)) {}

  std::optional<uint32_t> firstLine(const trace::Module &Of,
                                    std::string_view Function,
                                    uint32_t Line) override;
  std::vector<trace::Frame> expand(const trace::Module &Of,
                                   uint64_t Offset) override;

private:
  using Lines = std::map<std::string, std::vector<uint32_t>, std::less<>>;

  Symbolizer Symbols;
  std::map<std::string, Lines> Modules;
  std::vector<std::vector<report::SourceLocation>>
      Kept; ///< what frames point into
};

} // namespace inmem::tools

#endif

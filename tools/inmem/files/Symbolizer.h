//===- Symbolizer.h - Names of callers from the modules' files --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For code addresses of stacks, and callers in uninstrumented code: symbol
// table and debug information of the module, found by path and checked by
// build id, or found by build id alone.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_SYMBOLIZER_H
#define INMEM_TOOLS_SYMBOLIZER_H

#include "debuginfo/TypeFinder.h"
#include "heap/HeapFile.h"
#include "report/model/Profile.h"
#include "report/optimize/LifetimeProfile.h"

namespace inmem::tools {

class Symbolizer : public report::CallerResolver {
public:
  /// \param DebugFolders trees with .build-id/ab/cdef.debug, looked at before
  /// the system's.
  explicit Symbolizer(std::vector<std::string> DebugFolders = {});

  std::optional<report::SourceLocation> resolve(std::string_view ModulePath,
                                                std::string_view BuildId,
                                                uint64_t Base,
                                                uint64_t Offset) override;

  std::vector<report::SourceLocation> expand(std::string_view ModulePath,
                                             std::string_view BuildId,
                                             uint64_t Offset) override;

  std::vector<report::SourceLocation>
  improve(std::string_view ModulePath, std::string_view BuildId,
          uint64_t Offset, std::span<const trace::Frame> Known) override;

  std::optional<trace::SiteType> typeOf(const trace::Trace &T,
                                        const trace::Entry &E) override;

  /// Functions of the module by linkage name, with the line that each begins
  /// at: from the plugin's notes on those with allocations, and from debug
  /// information on all. Some come more than once.
  std::vector<std::pair<std::string, uint32_t>>
  firstLines(std::string_view ModulePath, std::string_view BuildId);

  /// Address in the file at which its lowest mapping begins: 0 for
  /// position-independent files.
  uint64_t lowestAddress(std::string_view ModulePath, std::string_view BuildId);

private:
  debuginfo::ProgramFiles Files;
  debuginfo::TypeFinder Types{Files};
};

// CodeFiles.cpp: Places in code from the modules' files.
//
// Facts about code that `inmem optimize` needs in addition to a trace: the
// lines where functions begin, and the code at an address.

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
      Kept; ///< the owner of the strings in frames
};

// HeapNames.cpp: Functions and lines of a heap snapshot.

/// As heap::readHeap(). Places that the process knew by their address alone,
/// such as "app+0x1c40", get the function and line of the program's file.
trace::Result<heap::Heap> readNamedHeap(const std::string &Path);

} // namespace inmem::tools

#endif

//===- Symbolizer.h - Names of callers from the modules' files --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names code addresses of stacks, and callers in uninstrumented code. Uses the
// symbol table and debug information of the module, found by path and checked
// by build ID, or found by build ID alone.
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
  /// \param DebugFolders trees with .build-id/ab/cdef.debug, searched before
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

  /// Functions of the module by linkage name, with their first lines: from the
  /// plugin's notes for functions with allocations, and from debug information
  /// for all. Some appear more than once.
  std::vector<std::pair<std::string, uint32_t>>
  firstLines(std::string_view ModulePath, std::string_view BuildId);

  /// The address in the file of its lowest mapping; 0 for position-independent
  /// files.
  uint64_t lowestAddress(std::string_view ModulePath, std::string_view BuildId);

private:
  debuginfo::ProgramFiles Files;
  debuginfo::TypeFinder Types{Files};
};

// CodeFiles.cpp: source locations from the modules' files.
//
// Facts about code that `inmem optimize` needs in addition to a trace: the
// first lines of functions, and the code at an address.

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

/// As heap::readHeap(), but also names code that the process knew only by
/// address, such as "app+0x1c40", with the function and line from the program's
/// file.
trace::Result<heap::Heap> readNamedHeap(const std::string &Path);

} // namespace inmem::tools

#endif

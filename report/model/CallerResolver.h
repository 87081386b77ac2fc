//===- CallerResolver.h - Reader of programs' files for reports -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_CALLERRESOLVER_H
#define INMEM_REPORT_MODEL_CALLERRESOLVER_H

#include "trace/read/Trace.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace inmem::report {

/// A function and the position in it. The name is demangled, the path is the
/// one that the compiler was given. Empty and 0 if unknown.
struct SourceLocation {
  std::string Function, File;
  uint32_t Line = 0, Column = 0;
  bool operator==(const SourceLocation &) const = default;
};

/// Finds the function at an address of a module, for callers in modules that
/// export no symbol there. Implemented in components that may read files.
class CallerResolver {
public:
  virtual ~CallerResolver() = default;
  /// \param BuildId raw bytes, may be empty.
  /// \param Offset of the call within the module at `Base`.
  virtual std::optional<SourceLocation> resolve(std::string_view ModulePath,
                                                std::string_view BuildId,
                                                uint64_t Base,
                                                uint64_t Offset) = 0;
  /// As above, with inlined calls expanded, innermost first. The last one is
  /// the function that the linker knows, by its linkage name. Empty if unknown.
  virtual std::vector<SourceLocation> expand(std::string_view, std::string_view,
                                             uint64_t) {
    return {};
  }
  /// As expand(), if the result is better than \p Known, which the process
  /// itself wrote: there, functions without a linkage name are not qualified,
  /// and split debug information has no inlined calls. Empty otherwise.
  virtual std::vector<SourceLocation> improve(std::string_view,
                                              std::string_view, uint64_t,
                                              std::span<const trace::Frame>) {
    return {};
  }
  /// The type of blocks that \p E's site, which is not instrumented, allocated;
  /// none if unknown.
  virtual std::optional<trace::SiteType> typeOf(const trace::Trace &,
                                                const trace::Entry &) {
    return std::nullopt;
  }
};

} // namespace inmem::report

#endif

//===- RequestFile.h - The request of `inmem fix` ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `inmem fix` passes findings, as in `inmem report --format json`, and its
// options to inmem-fix as one JSON object. The two programs come from separate
// packages and may differ in version. So the object names its schema, kSchema,
// and all keys are required.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FIX_REQUESTFILE_H
#define INMEM_FIX_REQUESTFILE_H

#include "report/findings/RuleTable.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace inmem::fix {

/// A finding of the report. See docs/findings.md.
struct Finding {
  size_t Number = 0; ///< counts from 1, in the report's order
  report::RuleId Rule = {};
  std::string Severity, Type, Function, File, Message, Advice;
  unsigned Line = 0, Column = 0;
  uint64_t Bytes = 0, Allocations = 0, SavesBytes = 0, SavesAllocations = 0;
  /// Number of elements to reserve, as the finding promises; 0 if no single
  /// size fits.
  uint64_t Reserve = 0;
  std::vector<std::string> Fields; ///< members the finding concerns
  /// Blocks by line of the function, if several lines allocate.
  std::map<unsigned, uint64_t> Lines;
  uint64_t AliveAtPeak = 0; ///< bytes of the type; 0 if unknown
  /// Source location of the allocating code, if File and Line name a caller;
  /// otherwise empty.
  std::string InnerFile;
  unsigned InnerLine = 0;

  llvm::StringRef rule() const {
    const std::string_view Name = report::nameOf(Rule);
    return {Name.data(), Name.size()};
  }
  std::string at() const { return File + ":" + std::to_string(Line); }
};

/// The schema of a request. Changes if a required key is added, or if a key
/// changes its meaning.
inline constexpr llvm::StringLiteral kSchema = "inmem-fix/1";

/// The form in which to output the proposals.
enum class Mode : uint8_t {
  List,
  Apply,
  Patches,
  Yaml,
  Sarif,
  Json,
  Github,
  Verify
};

struct Request {
  Mode Does = Mode::List;
  std::string Database, Output, Root, Folder, Tool;
  uint64_t StartUnixSeconds = 0; ///< start of the recorded run; 0 if unknown
  /// Hashes of source files as compiled, by their names in the trace; empty for
  /// old traces.
  std::multimap<std::string, uint64_t> Sources;
  uint64_t TotalAllocations = 0, TotalBytes = 0;
  std::vector<std::string> Rules; ///< empty: all
  std::vector<Finding> Findings;

  // --verify
  std::string Build, Test;
  std::vector<std::string> Command;
  unsigned Runs = 3, TimeoutSeconds = 600;
  bool IgnoreOutput = false;
};

/// \returns the request in the file \p Path. Fails for another schema, a
/// missing key, a key of another type, and an unknown mode or rule.
llvm::Expected<Request> readRequest(llvm::StringRef Path);

/// An error with our own message.
llvm::Error failure(const llvm::Twine &Text);

} // namespace inmem::fix

#endif // INMEM_FIX_REQUESTFILE_H

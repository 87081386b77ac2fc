//===- RequestFile.h - The request of `inmem fix` ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `inmem fix` reads the traces and its command line, and hands both over as one
// JSON object: findings as in `inmem report --format json`, and options. inmem
// and inmem-fix come from separate packages and may be of two versions, so the
// object names its form, kSchema, and all keys are required.
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

/// A finding of the report; see docs/findings.md.
struct Finding {
  size_t Number = 0; ///< from 1, in the report's order
  report::RuleId Rule = {};
  std::string Severity, Type, Function, File, Message, Advice;
  unsigned Line = 0, Column = 0;
  uint64_t Bytes = 0, Allocations = 0, SavesBytes = 0, SavesAllocations = 0;
  /// Elements to reserve, by the finding's own promise; 0: no one size fits.
  uint64_t Reserve = 0;
  std::vector<std::string> Fields; ///< members that it is about
  /// Blocks by line of the function, where there are several.
  std::map<unsigned, uint64_t> Lines;
  uint64_t AliveAtPeak = 0; ///< bytes of the type; 0: not known
  /// Where the code is that allocates, if File and Line are a caller's; empty:
  /// they are not.
  std::string InnerFile;
  unsigned InnerLine = 0;

  llvm::StringRef rule() const {
    const std::string_view Name = report::nameOf(Rule);
    return {Name.data(), Name.size()};
  }
  std::string at() const { return File + ":" + std::to_string(Line); }
};

/// The form of a request. Changes if a key that is required is added, or one
/// means something else.
inline constexpr llvm::StringLiteral kSchema = "inmem-fix/1";

/// The use of the proposals.
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
  uint64_t StartUnixSeconds = 0; ///< of the recorded run; 0: not known
  /// Hashes of source files as they were compiled, by their names in the
  /// trace; old traces have none.
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

/// \returns the request in the file \p Path, or an error: another schema, a key
/// that is missing or of another type, an unknown mode or rule.
llvm::Expected<Request> readRequest(llvm::StringRef Path);

/// An error with a text of ours.
llvm::Error failure(const llvm::Twine &Text);

} // namespace inmem::fix

#endif // INMEM_FIX_REQUESTFILE_H

//===- CompileCheck.h - Do edited units compile? --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses units with edits in memory, each with its own command; nothing is
// written to disk. An edit that does not compile is not offered.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FIX_COMPILECHECK_H
#define INMEM_FIX_COMPILECHECK_H

#include "fix/code/Database.h"
#include "fix/code/Edits.h"

#include <set>

namespace inmem::fix {

/// Not thread-safe: it caches facts about units.
class CompileCheck {
public:
  explicit CompileCheck(const Database &D) : D(D) {}

  /// Units to recompile after an edit of files.
  struct Units {
    std::vector<std::string> Names; ///< absolute, the finding's own first
    size_t Left = 0;                ///< further units, too many to parse
  };
  /// \param Own the unit that the finding's code was read from
  Units unitsOf(const FileEdits &Edits, const std::string &Own);

  /// The compiler's first error in \p Units with these edits, such as
  /// `a.cpp:4:9: error: …`; empty if all compile. A new warning counts as an
  /// error if the unit's command has -Werror and the unit has no warnings
  /// today.
  std::string errorOf(const FileEdits &Edits,
                      llvm::ArrayRef<std::string> Units);

private:
  using Texts = std::map<std::string, std::string>; ///< by canonical path

  std::string errorIn(const Texts &Edited, const std::string &Unit,
                      bool KeepsWarnings) const;
  bool isClean(const std::string &Unit);
  const std::set<std::string> &filesOf(const std::string &Unit);

  const Database &D;
  std::map<std::string, bool> Clean; ///< by unit: no error with -Werror
  std::map<std::string, std::set<std::string>> Files; ///< by unit
};

} // namespace inmem::fix

#endif // INMEM_FIX_COMPILECHECK_H

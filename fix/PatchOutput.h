//===- PatchOutput.h - Proposals as text, patches and other formats -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_PATCHOUTPUT_H
#define INMEM_FIX_PATCHOUTPUT_H

#include "fix/Proposals.h"

namespace inmem::fix {

/// Lists fixes, and reasons why other findings cannot be fixed. Each finding
/// takes three lines.
std::string listText(const Request &R, llvm::ArrayRef<Fix> All);
/// A patch headed by the promised figures, for `git apply` or `patch -p1`.
llvm::Expected<std::string> patchText(const Request &R, const Fix &F);
/// A file name such as 0001-vector-regrowth-parse.cpp-12.patch.
std::string patchName(const Fix &F);
/// A diagnostic with its replacements in clang-tidy's export format, for
/// clang-apply-replacements.
std::string replacementsYaml(const FileEdits &Edits, llvm::StringRef Source,
                             llvm::StringRef Rule, llvm::StringRef Summary);
/// A JSON array with the rule, the source location, and a diff or a reason for
/// each finding.
std::string jsonText(const Request &R, llvm::ArrayRef<Fix> All);
/// SARIF 2.1.0 with `fixes`.
std::string sarifText(const Request &R, llvm::ArrayRef<Fix> All);
/// JSON lines: a Markdown review comment for each finding, with its path and
/// line.
std::string githubText(const Request &R, llvm::ArrayRef<Fix> All);
/// A fix that overlaps an earlier fix, or does not compile with it.
struct Overlap {
  const Fix *One, *With; ///< null With: conflicts only with several together
  std::string Error;     ///< the compiler's; empty if they overlap
};
/// Merges all edits that fit together and compile together. Of edits that
/// conflict, keeps the first and adds the others to \p Left.
FileEdits together(llvm::ArrayRef<Fix> All, CompileCheck &Check,
                   std::vector<Overlap> &Left);
/// The first of \p Earlier that overlaps the edits of \p One.
Overlap overlapped(llvm::ArrayRef<const Fix *> Earlier, const Fix &One);
/// Text such as "overlaps with the edit at parse.cpp:12".
std::string overlapText(const Overlap &Of);
/// Writes the edited files in place.
llvm::Error apply(const FileEdits &Edits);
/// Writes a file atomically: to a temporary name in its folder, then renames
/// it.
llvm::Error writeFile(const std::string &Path, llvm::StringRef Text);
/// \p File with its edits.
llvm::Expected<std::string> edited(const std::string &File,
                                   const clang::tooling::Replacements &Edits);

} // namespace inmem::fix

#endif // INMEM_FIX_PATCHOUTPUT_H

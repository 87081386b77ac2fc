//===- Edits.h - Changes of source files ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_EDITS_H
#define INMEM_FIX_EDITS_H

#include "fix/code/Source.h"

#include "clang/Tooling/Core/Replacement.h"

#include <map>

namespace inmem::fix {

using FileEdits = std::map<std::string, clang::tooling::Replacements>;

/// A rule's result for a finding: edits, or the reason why there are none.
struct Proposal {
  std::string Refusal; ///< empty: there are edits
  std::string Summary; ///< effect of the edits, one line
  FileEdits Edits;
  /// Fraction of the promised saving that the edits achieve.
  double Part = 1;

  bool ok() const { return Refusal.empty(); }
};

inline Proposal refuse(std::string Why) {
  Proposal Out;
  Out.Refusal = std::move(Why);
  return Out;
}

/// Collects the edits of one proposal. An edit outside the repository, or of
/// text from a macro, turns the proposal into a refusal.
class Editor {
public:
  explicit Editor(const Spot &S) : S(S) {}

  void replace(clang::CharSourceRange R, const llvm::Twine &Text);
  void replace(clang::SourceRange Tokens, const llvm::Twine &Text) {
    replace(clang::CharSourceRange::getTokenRange(Tokens), Text);
  }
  /// As replace(), but in any of the user's files.
  void replaceElsewhere(clang::CharSourceRange R, const llvm::Twine &Text);
  void insert(clang::SourceLocation At, const llvm::Twine &Text);
  /// Inserts a statement on separate lines before \p Before, with the same
  /// indentation. If \p Before is not in a block, both statements get braces.
  void insertBefore(const clang::Stmt &Before, llvm::StringRef Text);
  /// Replaces a statement by the lines of \p Text, indented like the statement.
  void replaceStatement(const clang::Stmt &Old, llvm::StringRef Text);
  /// Removes a declaration or an expression's statement, with its line if
  /// nothing else is on it.
  void removeStatement(clang::SourceRange R);
  void addInclude(llvm::StringRef Header);

  Proposal done(std::string Summary);

private:
  void add(clang::CharSourceRange R, const llvm::Twine &Text);

  const Spot &S;
  Proposal Out;
};

/// The edits as a unified diff, with paths relative to \p Root. \returns an
/// error if a file cannot be read, or edits conflict.
llvm::Expected<std::string> unifiedDiff(const FileEdits &Edits,
                                        llvm::StringRef Root);
/// The lines of a text, each with its newline.
std::vector<llvm::StringRef> linesOf(llvm::StringRef Text);
/// Old lines [First, Last), numbered from 0, and their replacement.
struct Change {
  size_t First, Last;
  std::string New;
};
/// The edits of a file, as changes of whole lines.
std::vector<Change> changesOf(llvm::StringRef Code,
                              const clang::tooling::Replacements &All);
/// Formats the changed lines with the project's .clang-format; without one they
/// stay unchanged.
void layOut(FileEdits &Edits);
/// Adds \p More to \p All. \returns false, and adds nothing, if they overlap.
bool merge(FileEdits &All, const FileEdits &More);
/// \p Path relative to \p Root.
std::string relativeTo(llvm::StringRef Root, llvm::StringRef Path);

} // namespace inmem::fix

#endif // INMEM_FIX_EDITS_H

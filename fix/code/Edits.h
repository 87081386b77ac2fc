//===- Edits.h - Changes of source files ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_EDITS_H
#define INMEM_FIX_EDITS_H

#include "fix/code/Source.h"

#include "clang/Tooling/Core/Replacement.h"

#include <map>

namespace inmem::fix {

using FileEdits = std::map<std::string, clang::tooling::Replacements>;

/// A rule's answer to a finding: edits, or the reason for none.
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

/// Collects the edits of one proposal. Edits outside the repository, or of
/// text that a macro makes, turn it into a refusal.
class Editor {
public:
  explicit Editor(const Spot &S) : S(S) {}

  void replace(clang::CharSourceRange R, const llvm::Twine &Text);
  void replace(clang::SourceRange Tokens, const llvm::Twine &Text) {
    replace(clang::CharSourceRange::getTokenRange(Tokens), Text);
  }
  /// As replace(), in any file of the user's.
  void replaceElsewhere(clang::CharSourceRange R, const llvm::Twine &Text);
  void insert(clang::SourceLocation At, const llvm::Twine &Text);
  /// A separate statement before \p Before, on separate lines. The lines
  /// of \p Text are indented as that is. Where \p Before is not in a block, it
  /// and the new one are put into braces.
  void insertBefore(const clang::Stmt &Before, llvm::StringRef Text);
  /// Puts the lines of \p Text, indented as it is, in place of a statement.
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

/// The edits as lines of a unified diff, with paths relative to \p Root.
/// \returns an error if a file cannot be read, or edits do not fit together.
llvm::Expected<std::string> unifiedDiff(const FileEdits &Edits,
                                        llvm::StringRef Root);
/// Lines of a text, each with its newline.
std::vector<llvm::StringRef> linesOf(llvm::StringRef Text);
/// Old lines [First, Last), from 0, and their replacement.
struct Change {
  size_t First, Last;
  std::string New;
};
/// The edits of a file as changes of whole lines.
std::vector<Change> changesOf(llvm::StringRef Code,
                              const clang::tooling::Replacements &All);
/// Lays out the changed lines as the project's .clang-format says; without one
/// they stay as they are.
void layOut(FileEdits &Edits);
/// Adds \p More to \p All: false, and nothing is added, if they overlap.
bool merge(FileEdits &All, const FileEdits &More);
/// \p Path as seen from \p Root.
std::string relativeTo(llvm::StringRef Root, llvm::StringRef Path);

} // namespace inmem::fix

#endif // INMEM_FIX_EDITS_H

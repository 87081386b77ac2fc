//===- Tree.h - A copy of the repository to try patches in ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_TREE_H
#define INMEM_FIX_TREE_H

#include "fix/RequestFile.h"
#include "fix/code/Edits.h"

namespace inmem::fix {

/// A git worktree with the current contents of the user's tree, including
/// changed and untracked files but not ignored ones. Without git, a copy.
/// Deleted with the object. The user's files, index and branches stay
/// unchanged.
class Tree {
public:
  /// \param Name the name of its folder below \p Parent
  static llvm::Expected<Tree> make(const std::string &Root,
                                   const std::string &Parent,
                                   const std::string &Name);
  ~Tree();
  Tree(Tree &&) noexcept;

  const std::string &path() const { return Path; }
  /// \p Text with paths of the user's repository replaced by paths of this
  /// tree.
  std::string here(llvm::StringRef Text) const;
  /// Writes the edited files; restore() reverts them.
  llvm::Error write(const FileEdits &Edits);
  llvm::Error restore();

private:
  Tree() = default;
  std::string Root, Path;
  bool IsGit = false;
  std::map<std::string, std::string> Changed; ///< old text by file in this tree
};

} // namespace inmem::fix

#endif // INMEM_FIX_TREE_H

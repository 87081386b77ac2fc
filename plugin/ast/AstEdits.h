//===- AstEdits.h - changes of the AST that can be taken back ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang may write a module interface's AST to a file and generate code from it
// in the same run. The file must contain the program as written.
#ifndef INMEM_PLUGIN_AST_ASTEDITS_H
#define INMEM_PLUGIN_AST_ASTEDITS_H

#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>
#include <vector>

namespace inmem {

class AstEdits {
public:
  /// From now on, records edits so that revert() can undo them.
  void keep() { Kept = true; }

  void replace(clang::Stmt *&Where, clang::Stmt *New) {
    clang::Stmt *Old = std::exchange(Where, New);
    if (Kept)
      Edits.push_back(
          [&Where, Old, New](bool Edited) { Where = Edited ? New : Old; });
  }
  /// \p Set stores the new value if its argument is true, else the old one.
  template <typename Setter> void apply(Setter Set) {
    Set(/*Edited=*/true);
    if (Kept)
      Edits.push_back(std::move(Set));
  }

  void revert() {
    for (const Edit &E : llvm::reverse(Edits))
      E(/*Edited=*/false);
  }
  void reapply() {
    for (const Edit &E : Edits)
      E(/*Edited=*/true);
  }

private:
  using Edit = std::function<void(bool Edited)>;
  bool Kept = false;
  std::vector<Edit> Edits;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_ASTEDITS_H

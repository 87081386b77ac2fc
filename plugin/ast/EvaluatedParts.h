//===- EvaluatedParts.h - parts that a statement evaluates ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The traversal shared by marking and collecting. These are two passes: clang
// needs the markers when it emits a function, often before the rest of the unit
// is parsed, while facts need the whole unit.
#ifndef INMEM_PLUGIN_AST_EVALUATEDPARTS_H
#define INMEM_PLUGIN_AST_EVALUATEDPARTS_H

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

namespace inmem {

/// True if no code in \p S runs: its value is known, or only its type is
/// needed.
bool isNotEvaluated(const clang::Stmt &S);

/// Where the pointer to a part is stored.
enum class PartSlot {
  Child,  ///< in the parent, where it may be replaced
  Filler, ///< in a list: InitListExpr::setArrayFiller() replaces it
  Fixed   ///< it cannot be replaced
};

/// Calls \p Visit(Stmt *&Part, PartSlot) for each part that runs when \p S
/// does, in source order; a part may be null. A closure's captures are parts,
/// but its body is a separate function. Bodies of blocks and of OpenMP regions
/// are parts.
template <typename Visitor>
void forEachEvaluatedPart(clang::Stmt &S, Visitor Visit) {
  using namespace clang;
  if (auto *Lambda = dyn_cast<LambdaExpr>(&S)) {
    for (Expr *&Capture : Lambda->capture_inits())
      Visit(reinterpret_cast<Stmt *&>(Capture), PartSlot::Child);
    return;
  }
  auto *Captured = dyn_cast<CapturedStmt>(&S);
  auto *Block = dyn_cast<BlockExpr>(&S);
  if (Captured || Block) {
    Stmt *Body = Captured ? Captured->getCapturedStmt() : Block->getBody();
    return Visit(Body, PartSlot::Fixed);
  }
  for (Stmt *&Child : S.children())
    Visit(Child, PartSlot::Child);
  if (auto *List = dyn_cast<InitListExpr>(&S); List && List->hasArrayFiller()) {
    Stmt *Filler = List->getArrayFiller();
    Visit(Filler, PartSlot::Filler);
  }
}

} // namespace inmem

#endif // INMEM_PLUGIN_AST_EVALUATEDPARTS_H

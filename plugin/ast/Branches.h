//===- Branches.h - the statements that the walk is within ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_BRANCHES_H
#define INMEM_PLUGIN_AST_BRANCHES_H

#include "ast/SizeFlow.h"
#include <memory>
#include <vector>

namespace inmem {

struct Branches {
  /// A loop or switch, which `break` leaves.
  struct Breakable {
    const clang::Stmt *Statement;
    SizeFlow::Position Begin;
    unsigned Depth;
    std::vector<SizeFlow::Path> Left; ///< by break
    std::vector<SizeFlow::Path> Continued;
    bool HasDefault = false;
  };

  bool Live = true; ///< the current point is reachable
  unsigned Depth = 0;
  std::vector<Breakable> Breakables;
  /// Scan of the outermost enclosing loop.
  std::unique_ptr<AssignmentScan> Scan;
  /// Scan of the whole function, once it is needed.
  std::unique_ptr<AssignmentScan> WholeScan;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_BRANCHES_H

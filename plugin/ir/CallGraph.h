//===- CallGraph.h - functions that a function may contain ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_CALLGRAPH_H
#define INMEM_PLUGIN_IR_CALLGRAPH_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace llvm {
class GlobalObject;
class Module;
} // namespace llvm

namespace inmem {

/// The functions and variables that each function of a module refers to before
/// anything is inlined: what it calls, and what its pointers may call.
class CallGraph {
public:
  /// Reads \p M again.
  void read(const llvm::Module &M);

  struct Reach {
    llvm::SmallVector<llvm::StringRef, 8> Functions; ///< linkage names
    bool CallsPointers = false; ///< not all targets are known
  };
  /// The function \p Name and all that it leads to; nothing if it is unknown.
  Reach from(llvm::StringRef Name) const;

private:
  struct Node {
    llvm::StringRef Name; ///< empty for a variable
    llvm::SmallVector<unsigned, 4> To;
    bool CallsPointers = false;
  };
  unsigned idOf(const llvm::GlobalObject &Object);

  llvm::DenseMap<const llvm::GlobalObject *, unsigned> Ids; ///< while reading
  llvm::StringMap<unsigned> Names;
  std::vector<Node> Nodes;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_CALLGRAPH_H

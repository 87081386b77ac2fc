//===- FunctionLines.h - Where functions with sites begin -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile for the compiler counts lines from a function's first, so that it
// survives edits above. Sites have absolute lines; the first ones go into a
// section that is not loaded, where `inmem optimize` finds them without -g.
#ifndef INMEM_PLUGIN_IR_FUNCTIONLINES_H
#define INMEM_PLUGIN_IR_FUNCTIONLINES_H

#include "llvm/ADT/StringMap.h"

namespace llvm {
class DILocation;
class Module;
} // namespace llvm

namespace inmem {

class FunctionLines {
public:
  /// \p Loc is in the function of that linkage \p Name.
  void note(llvm::StringRef Name, const llvm::DILocation &Loc);
  /// Adds the section to \p M, if anything was noted.
  void emit(llvm::Module &M) const;

private:
  llvm::StringMap<unsigned> Lines;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_FUNCTIONLINES_H

//===- Instrumentable.h - into which functions code may be put --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_INSTRUMENTABLE_H
#define INMEM_PLUGIN_IR_INSTRUMENTABLE_H

#include "llvm/IR/Function.h"

namespace inmem {

/// True if a function has a body that may be instrumented.
inline bool isInstrumentable(const llvm::Function &F) {
  return !F.isDeclaration() && !F.hasFnAttribute(llvm::Attribute::Naked) &&
         !F.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation);
}

} // namespace inmem

#endif // INMEM_PLUGIN_IR_INSTRUMENTABLE_H

//===- Instrumentable.h - Functions that code may be put into ---*- C++ -*-===//
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

/// Has \p F inlined at every call, even without optimisation.
inline void inlineAlways(llvm::Function &F) {
  F.removeFnAttr(llvm::Attribute::OptimizeNone);
  F.removeFnAttr(llvm::Attribute::NoInline);
  F.addFnAttr(llvm::Attribute::AlwaysInline);
}

} // namespace inmem

#endif // INMEM_PLUGIN_IR_INSTRUMENTABLE_H

//===- ValueContext.h - surroundings of an expression -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_VALUECONTEXT_H
#define INMEM_PLUGIN_AST_VALUECONTEXT_H

#include "inmem/abi.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Type.h"
#include "clang/Basic/SourceLocation.h"

namespace inmem {

/// The part of an expression's surroundings that determines its type.
struct ValueContext {
  /// Pointee of the pointer that the value becomes.
  clang::QualType Destination;
  /// The void * variable or member that the value is stored in.
  const clang::ValueDecl *Holder = nullptr;
  /// As above, for a pointer to any raw storage.
  const clang::ValueDecl *RawHolder = nullptr;
  /// The local pointer variable that the value is stored in.
  const clang::VarDecl *Variable = nullptr;
  /// Type of the object constructed where the value, a pointer, points to.
  clang::QualType Object;
  /// Where the object that the expression constructs lives.
  uint8_t Storage = INMEM_STORAGE_STACK;
  /// Elements of a new array: their constructor's call is located at the new.
  clang::SourceLocation NewArray;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_VALUECONTEXT_H

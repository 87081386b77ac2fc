//===- ValueContext.h - what surrounds an expression ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_VALUECONTEXT_H
#define INMEM_PLUGIN_AST_VALUECONTEXT_H

#include "inmem/abi.h"
#include "clang/AST/Type.h"
#include "clang/Basic/SourceLocation.h"

namespace inmem {

/// What the surroundings of an expression say about its value.
struct ValueContext {
  /// What the pointer that the value becomes points to.
  clang::QualType Destination;
  /// The void * variable or member that the value is stored in.
  const clang::ValueDecl *Holder = nullptr;
  /// The same of one that points to any raw storage.
  const clang::ValueDecl *RawHolder = nullptr;
  /// What is constructed where the value, a pointer, points to.
  clang::QualType Object;
  /// Where the object that the expression constructs lives.
  uint8_t Storage = INMEM_STORAGE_STACK;
  /// Elements of a new array: their constructor's call is located at the new.
  clang::SourceLocation NewArray;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_VALUECONTEXT_H

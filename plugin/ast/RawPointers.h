//===- RawPointers.h - where void * pointers go -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the uses of void * in one translation unit, in any order: casts of
// variables, parameters and members, and copies between them. Finds the type of
// a block that is not cast where it is allocated.
#ifndef INMEM_PLUGIN_AST_RAWPOINTERS_H
#define INMEM_PLUGIN_AST_RAWPOINTERS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace inmem {

class RawPointers {
public:
  /// The void * variable, parameter or member that \p E names; null if none.
  static const clang::ValueDecl *holder(const clang::Expr &E);
  /// \p D if it is a void * variable, parameter or member; else null.
  static const clang::ValueDecl *holder(const clang::ValueDecl &D);

  /// Records a cast of \p Holder to a pointer to \p To.
  void addCast(const clang::ValueDecl &Holder, clang::QualType To);
  /// Records a copy of \p From, which may be any expression, to \p To.
  void addCopy(const clang::Expr &From, const clang::ValueDecl &To);

  /// The variable, parameter or member that \p E reads a void or raw storage
  /// pointer from; else null.
  static const clang::ValueDecl *storage(const clang::Expr &E);
  static const clang::ValueDecl *storage(const clang::ValueDecl &D);
  /// Records that an object of type \p Type is constructed where \p Storage
  /// points to.
  void addPlacement(const clang::ValueDecl &Storage, clang::QualType Type);
  /// Type of the objects that are constructed there; null if there are none, or
  /// several types.
  clang::QualType placedIn(const clang::ValueDecl &Storage) const {
    auto Found = Placed.find(&Storage);
    return Found == Placed.end() ? clang::QualType() : Found->second;
  }

  struct Use {
    clang::QualType Type;  ///< null: unknown
    bool Disagree = false; ///< casts name types that differ
    unsigned Copies = 0;   ///< between the block's holder and the cast
  };
  /// The types that \p Holder is cast to. If there are none, the types that the
  /// nearest holders it is copied to are cast to. A cast to bytes is ignored
  /// next to a cast to a type, because bytes may hold anything.
  Use useOf(const clang::ValueDecl &Holder) const;

private:
  struct Node {
    clang::QualType Type; ///< null once two casts disagree
    bool Cast = false;
    llvm::SmallVector<const clang::ValueDecl *, 2> CopiedTo;
  };
  static void join(Node &Into, clang::QualType Type);

  llvm::DenseMap<const clang::ValueDecl *, Node> Nodes;
  llvm::DenseMap<const clang::ValueDecl *, clang::QualType> Placed;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_RAWPOINTERS_H

//===- AstBuilder.h - makes AST nodes ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creates all of our AST nodes. Its declarations are invisible to the program:
// they are in no scope, have no location and belong to no module.
#ifndef INMEM_PLUGIN_AST_ASTBUILDER_H
#define INMEM_PLUGIN_AST_ASTBUILDER_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/OperationKinds.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace inmem {

/// When constant evaluation may evaluate a call of one of our functions.
enum class Evaluated {
  Never,
  InConstantExpressions, ///< only where the language requires a constant
  Always                 ///< also where clang folds code
};

class AstBuilder {
public:
  explicit AstBuilder(clang::ASTContext &Context) : Context(Context) {}

  clang::Expr *number(unsigned Value, clang::SourceLocation Loc);
  clang::Expr *reference(clang::ValueDecl &D, clang::SourceLocation Loc);
  /// `this->Member`, in \p Constructor.
  clang::Expr *member(clang::CXXConstructorDecl &Constructor,
                      clang::FieldDecl &Member, clang::SourceLocation Loc);
  clang::Expr *comma(clang::Expr &First, clang::Expr &Second);
  /// `__builtin_is_constant_evaluated() ? Constant : Else`.
  clang::Expr *unlessConstant(clang::Expr &Constant, clang::Expr &Else);
  clang::Expr *converted(clang::Expr &E, clang::QualType Type,
                         clang::CastKind Kind);
  /// The address of \p Object, or of an array's first element, as a
  /// `const void *`.
  clang::Expr *addressOf(clang::Expr &Object, clang::SourceLocation Loc);
  clang::Expr *call(clang::FunctionDecl &F,
                    llvm::ArrayRef<clang::Expr *> Arguments,
                    clang::SourceLocation Loc);
  clang::Expr *callBuiltin(unsigned Builtin, llvm::StringRef Name,
                           clang::QualType Result,
                           llvm::ArrayRef<clang::Expr *> Arguments,
                           clang::SourceLocation Loc);
  /// Calls \p Make with a pointer to the object being initialised, and wraps
  /// the result in the initialiser of a dummy member.
  template <typename MakeExpr>
  clang::Expr *withObjectBeingInitialised(clang::SourceLocation Loc,
                                          MakeExpr Make) {
    return initialiserOfDummy(*Make(*thisOfEmptyRecord(Loc)), Loc);
  }
  clang::Expr *list(llvm::ArrayRef<clang::Expr *> Inits,
                    const clang::CXXRecordDecl &Class,
                    clang::SourceLocation Loc);
  clang::Stmt *block(llvm::ArrayRef<clang::Stmt *> Body,
                     clang::SourceRange Braces);
  /// A copy of \p Init with the value \p Value.
  clang::CXXCtorInitializer *withValue(const clang::CXXCtorInitializer &Init,
                                       clang::Expr &Value);
  /// \p All as an array owned by the AST.
  clang::CXXCtorInitializer **
  initialisers(llvm::ArrayRef<clang::CXXCtorInitializer *> All);

  /// Declares a noexcept function that the linker finds no definition of. If \p
  /// When allows it, constant evaluation returns its last argument, if any.
  clang::FunctionDecl &function(llvm::StringRef Name, clang::QualType Result,
                                llvm::ArrayRef<clang::QualType> Parameters,
                                Evaluated When);
  const clang::CXXRecordDecl &emptyRecord();
  /// A class derived from \p Class, of the same size: its only member is empty.
  const clang::CXXRecordDecl &
  getOrCreateInitWrapper(const clang::CXXRecordDecl &Class);

  clang::QualType rawPointer() const;

private:
  clang::Expr *isConstantEvaluated(clang::SourceLocation Loc);
  clang::Expr *thisOfEmptyRecord(clang::SourceLocation Loc);
  clang::Expr *initialiserOfDummy(clang::Expr &E, clang::SourceLocation Loc);
  clang::Stmt *bodyOf(clang::FunctionDecl &F, Evaluated When);
  clang::CXXRecordDecl *record(llvm::StringRef Name,
                               const clang::CXXRecordDecl *Base,
                               clang::QualType Member);

  clang::ASTContext &Context;
  llvm::StringMap<clang::FunctionDecl *> Functions[3]; ///< by Evaluated
  clang::FieldDecl *DummyField = nullptr;
  clang::CXXRecordDecl *EmptyRecord = nullptr;
  llvm::DenseMap<const clang::CXXRecordDecl *, clang::CXXRecordDecl *>
      InitWrappers;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_ASTBUILDER_H

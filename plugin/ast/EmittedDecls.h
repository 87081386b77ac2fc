//===- EmittedDecls.h - declarations that a unit emits code for -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the functions and variables that this unit may emit and walks each
// once.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLUGIN_AST_EMITTEDDECLS_H
#define INMEM_PLUGIN_AST_EMITTEDDECLS_H

#include "ast/BodyWalker.h"
#include "ast/CollectorContext.h"
#include "ast/FieldUses.h"
#include "ast/ObjectFacts.h"
#include "ast/StringCopies.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace inmem {

// Variables.cpp: types of variables that hold memory.

class Variables {
public:
  explicit Variables(CollectorContext &C) : C(C) {}

  /// Adds a variable with static or thread storage to the table, if its class,
  /// or the class of its elements, may hold memory.
  void note(const clang::VarDecl &Variable);

private:
  bool mayHoldMemory(clang::QualType Type);
  std::string nameOf(const clang::VarDecl &Variable);

  CollectorContext &C;
  llvm::DenseSet<const clang::VarDecl *> Seen;
  llvm::DenseMap<const clang::RecordDecl *, bool> Holders;
};

// EmittedDecls.cpp: declarations that a unit emits code for.

/// True if another unit of its module emits \p D. Visiting it would load it
/// from the module file, and clang emits every variable that it loads.
bool isLeftToModule(const clang::Decl &D);

class EmittedDecls {
public:
  explicit EmittedDecls(CollectorContext &C);

  void visitUnit();
  void visitRecord(const clang::CXXRecordDecl &Record);
  void notePassed(const clang::FunctionDecl &F);
  void visitFunction(const clang::FunctionDecl &F);
  void visitReduction(const clang::OMPDeclareReductionDecl &Reduction);
  void noteDescription(const clang::FunctionDecl &F);

  /// Functions and templates of a precompiled header are found through their
  /// uses.
  void noteUse(const clang::Decl *D);
  /// Records an object of \p Class: it uses the virtual functions.
  void noteDynamic(const clang::CXXRecordDecl &Class);
  void noteDestruction(clang::QualType Type);
  void noteVariable(const clang::VarDecl &Variable) { Held.note(Variable); }

private:
  void visitContext(const clang::DeclContext &DC);
  void visitDecl(const clang::Decl &D);
  void visitGlobal(const clang::VarDecl &Variable);
  void visitMethod(const clang::ObjCMethodDecl &Method,
                   const clang::ObjCImplDecl &Implementation);
  bool mayBeEmitted(const clang::FunctionDecl &F);
  void noteMembersDestruction(const clang::CXXRecordDecl &Class);
  void noteSource(clang::SourceLocation Loc);

  CollectorContext &C;
  bool FollowUses;
  unsigned Descriptions = 0; ///< of unit-local types
  ObjectFacts Objects;
  BodyWalker Walker;
  StringCopies Strings;
  Variables Held;
  FieldUses Fields;
  FunctionBody Globals;
  llvm::DenseSet<const clang::Decl *> Records, Functions, Variables, Dynamic,
      Seen;
  llvm::DenseSet<clang::FileID> Sources; ///< already examined
  llvm::SmallVector<const clang::Decl *, 8> Pending;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_EMITTEDDECLS_H

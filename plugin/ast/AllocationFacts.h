//===- AllocationFacts.h - the calls that allocate, and their types -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_ALLOCATIONFACTS_H
#define INMEM_PLUGIN_AST_ALLOCATIONFACTS_H

#include "ast/CollectorContext.h"
#include "inmem/abi.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Type.h"
#include "clang/Basic/SourceLocation.h"

namespace inmem {

/// The part of an expression's surroundings that determines its type.
struct ValueContext {
  /// Pointee type of the pointer that the value is converted to.
  clang::QualType Destination;
  /// The void * variable or member that the value is stored in.
  const clang::ValueDecl *Holder = nullptr;
  /// As Holder, for a pointer to any raw storage.
  const clang::ValueDecl *RawHolder = nullptr;
  /// The local pointer variable that the value is stored in.
  const clang::VarDecl *Variable = nullptr;
  /// Type of the object constructed at the address that is the value.
  clang::QualType Object;
  /// Storage of the object that the expression constructs.
  uint8_t Storage = INMEM_STORAGE_STACK;
  /// Location of the array new whose elements are constructed: their
  /// constructor's call has this location.
  clang::SourceLocation NewArray;
};

// AllocationFacts.cpp: the calls that allocate, and their types.

/// Bytes before the first element that hold the count (Itanium C++ ABI).
uint8_t cookieSize(const clang::CXXNewExpr &E,
                   const clang::ASTContext &Context);

class AllocationFacts {
public:
  explicit AllocationFacts(CollectorContext &C)
      : C(C), Context(C.Context), Table(C.Table), Layouts(C.Layouts) {}

  /// Each adds facts about the block that an expression allocates, if any, to
  /// the function being walked.
  void noteNew(const clang::CXXNewExpr &E, const ValueContext &In);
  void noteThrow(const clang::CXXThrowExpr &E);
  void noteCall(const clang::CallExpr &E, const ValueContext &In);

private:
  /// A call that may allocate.
  struct Allocator {
    std::string Callee;
    uint8_t Kind = INMEM_SITE_UNKNOWN;
    AllocRole Role = AllocRole::Known;
    /// Positions of the arguments that make up the size.
    llvm::SmallVector<unsigned, 4> Sizes;
  };

  static bool classifyByName(llvm::StringRef Name, Allocator &A);
  bool classify(const clang::CallExpr &E, const clang::FunctionDecl &F,
                Allocator &A);
  bool classifyByDeclaration(const clang::CallExpr &E,
                             const clang::FunctionDecl &F, Allocator &A);
  bool classifyIndirect(const clang::CallExpr &E, Allocator &A);
  bool takesClassSize(const clang::CallExpr &E);
  void noteNumbers(const clang::CallExpr &E, clang::QualType Type,
                   AllocFact &Fact);
  void noteStored(const clang::CallExpr &E, const clang::FunctionDecl *F);
  SizeTypes sizesOf(const clang::CallExpr &E, const Allocator &A);
  void addAlloc(AllocFact Fact, const UntypedBlock &Waits = {});
  void addRawBlock(const ValueContext &In, const clang::Expr *Count,
                   uint64_t BytesEach);

  CollectorContext &C;
  clang::ASTContext &Context;
  SiteTable &Table;
  TypeLayouts &Layouts;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_ALLOCATIONFACTS_H

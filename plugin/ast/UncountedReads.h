//===- UncountedReads.h - reads of objects without counters -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_UNCOUNTEDREADS_H
#define INMEM_PLUGIN_AST_UNCOUNTEDREADS_H

#include "ast/FieldPaths.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace inmem {

/// accesses=on does not count accesses to variables and temporaries, which are
/// mostly in registers. A field read only there is still needed, even if no
/// counter shows a read. Finds such fields from the reads and calls of all
/// functions of a unit.
class UncountedReads {
public:
  using Path = FieldPaths::Path;

  UncountedReads(CollectorContext &C, FieldPaths &Paths) : C(C), Paths(Paths) {}

  /// Attributes the following reads and calls to \p F; null for initialisers of
  /// globals.
  void enter(const clang::FunctionDecl *F, bool OnlyCopies);
  /// The function reads \p Of in any object.
  void addRead(const Path &Of, clang::SourceLocation Loc);
  /// The function reads \p Of in an object without counters.
  void addUncounted(const Path &Of, clang::SourceLocation Loc);
  /// The function has an object of \p Type without counters.
  void addObject(clang::QualType Type);
  /// The function calls \p Callee.
  void addCall(const clang::FunctionDecl &Callee);
  /// The function passes the address of an object of \p Type without counters.
  void addCallOn(const clang::FunctionDecl &Callee, clang::QualType Type);

  /// Adds the fields to the table, each with a source location that reads it.
  void finish();

private:
  struct Read {
    Path Of;
    SourceLoc Where;
  };
  struct Body {
    bool OnlyCopies = false;
    std::vector<Read> Reads;
    llvm::SmallSetVector<const TypeInfo *, 4> Objects;
    llvm::SmallSetVector<const clang::FunctionDecl *, 8> Calls;
  };
  using Classes = llvm::DenseSet<const TypeInfo *>;

  const TypeInfo *classOf(clang::QualType Type);
  /// \p Of, its bases, and the classes of its members.
  const Classes &partsOf(const TypeInfo *Of);
  void addReadsIn(const Body &In, const Classes &Of);

  CollectorContext &C;
  FieldPaths &Paths;
  llvm::MapVector<const clang::FunctionDecl *, Body> Bodies;
  Body *Current = nullptr;
  llvm::MapVector<const TypeInfo *,
                  llvm::SmallSetVector<const clang::FunctionDecl *, 4>>
      Passed;
  llvm::DenseMap<const TypeInfo *, Classes> Parts;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_UNCOUNTEDREADS_H

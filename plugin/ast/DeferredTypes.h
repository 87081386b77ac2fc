//===- DeferredTypes.h - types that need the whole unit ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A void * has no type at its allocation. Once every function has been walked,
// objects constructed in it, or casts elsewhere, determine its type.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLUGIN_AST_DEFERREDTYPES_H
#define INMEM_PLUGIN_AST_DEFERREDTYPES_H

#include "SiteTable.h"
#include "ast/AllocTypeInference.h"
#include "ast/RawPointers.h"
#include "ast/SizeFlow.h"
#include "ast/TypeLayout.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>
#include <vector>

namespace inmem {

struct Branches {
  /// A loop or switch, which `break` leaves.
  struct Breakable {
    const clang::Stmt *Statement;
    SizeFlow::Position Begin;
    unsigned Depth;
    std::vector<SizeFlow::Path> Left; ///< paths that left by break
    std::vector<SizeFlow::Path> Continued;
    bool HasDefault = false;
  };

  bool Live = true; ///< the current point is reachable
  unsigned Depth = 0;
  std::vector<Breakable> Breakables;
  /// Scan of the outermost enclosing loop.
  std::unique_ptr<AssignmentScan> Scan;
  /// Scan of the whole function, once it is needed.
  std::unique_ptr<AssignmentScan> WholeScan;
};

// DeferredTypes.cpp: types that need the whole unit.

/// Raw storage of a certain size. An object placed at its start may give it a
/// type.
struct RawBlock {
  const clang::ValueDecl *Holder;
  uint64_t Bytes; ///< 0: not a constant
  SizeTypes Sizes;
};

/// A block of unknown type at the allocation.
struct UntypedBlock {
  const clang::ValueDecl *Holder = nullptr; ///< the pointer's holder, or null
  std::optional<uint64_t> Bytes;            ///< as in SizeTypes
  /// The local variable whose uses may determine the class of the block's head.
  const clang::VarDecl *Variable = nullptr;
};

/// Facts collected while walking one function.
struct FunctionBody {
  const clang::FunctionDecl *Function = nullptr;
  FunctionFacts Facts;
  /// Facts (by index) that wait for uses of the variables that hold their
  /// pointer.
  llvm::SmallVector<std::pair<size_t, UntypedBlock>, 2> Waiting;
  /// Facts (by index) about raw storage, which may hold an object.
  llvm::SmallVector<std::pair<size_t, RawBlock>, 2> RawBlocks;
  /// Facts (by index) about blocks whose head is stored through a variable.
  llvm::SmallVector<std::pair<size_t, const clang::VarDecl *>, 2> Headed;
  /// Sizes that integer variables hold at the current point.
  SizeFlow Sizes;
  Branches Open;
  /// void * variables that the function returns: callers decide their type,
  /// even if the function stores a head.
  llvm::DenseSet<const clang::ValueDecl *> Returned;
  bool MakesStrings = false; ///< std::basic_string of any character type
};

class DeferredTypes {
public:
  DeferredTypes(clang::ASTContext &Context, SiteTable &Table,
                TypeLayouts &Layouts)
      : Context(Context), Table(Table), Layouts(Layouts) {}

  /// Destinations of void * pointers in the functions walked so far.
  RawPointers &pointers() { return Raw; }

  /// Adds the facts of a walked function to the table, under each of \p Names.
  void finish(FunctionBody &Finished,
              const llvm::SmallVectorImpl<std::string> &Names);
  /// Call after walking all functions. Types blocks by the objects placed in
  /// them, or by casts of the variables that hold their pointers.
  void decide();

  void setPlaced(AllocFact &Fact, clang::QualType Type);
  /// True if the block has room for one aligned object of \p Type, but no more.
  bool isFilledBy(const RawBlock &Block, clang::QualType Type) const;

private:
  void decideHeads(FunctionBody &Of);

  /// Facts of finished functions that wait for the end of the unit.
  struct WaitingBlock {
    std::string Function;
    size_t Index;
    RawBlock Block;
  };
  struct WaitingFact {
    std::string Function;
    size_t Index;
    UntypedBlock Block;
  };

  clang::ASTContext &Context;
  SiteTable &Table;
  TypeLayouts &Layouts;
  RawPointers Raw;
  llvm::SmallVector<WaitingFact, 16> Waiting;
  llvm::SmallVector<WaitingBlock, 4> WaitingBlocks;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_DEFERREDTYPES_H

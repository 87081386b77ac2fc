//===- DeferredTypes.h - types that need the whole unit ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A void * says nothing where the block is made; what is constructed in it, or
// what it is cast to elsewhere, is known once every function has been walked.
#ifndef INMEM_PLUGIN_AST_DEFERREDTYPES_H
#define INMEM_PLUGIN_AST_DEFERREDTYPES_H

#include "SiteTable.h"
#include "ast/AllocTypeInference.h"
#include "ast/Branches.h"
#include "ast/RawPointers.h"
#include "ast/SizeFlow.h"
#include "ast/TypeLayout.h"
#include "llvm/ADT/DenseSet.h"

namespace inmem {

/// Raw storage of a size: that of an object which is placed at its start?
struct RawBlock {
  const clang::ValueDecl *Holder;
  uint64_t Bytes; ///< 0: not a constant
  SizeTypes Sizes;
};

/// A block whose type is not known at the allocation.
struct UntypedBlock {
  const clang::ValueDecl *Holder = nullptr; ///< of the pointer; null: none
  std::optional<uint64_t> Bytes;            ///< of SizeTypes
  /// The local variable whose uses may say of what class the block's head is.
  const clang::VarDecl *Variable = nullptr;
};

/// Facts collected while walking one function.
struct FunctionBody {
  const clang::FunctionDecl *Function = nullptr;
  FunctionFacts Facts;
  /// Facts (by index) that wait for the uses of what holds their pointer.
  llvm::SmallVector<std::pair<size_t, UntypedBlock>, 2> Waiting;
  /// Facts (by index) of raw storage, which an object may be placed in.
  llvm::SmallVector<std::pair<size_t, RawBlock>, 2> RawBlocks;
  /// Facts (by index) of blocks that begin with what is stored through a
  /// variable.
  llvm::SmallVector<std::pair<size_t, const clang::VarDecl *>, 2> Headed;
  /// Sizes that integer variables hold at the current point.
  SizeFlow Sizes;
  Branches Open;
  /// void * variables that the function returns: callers decide about their
  /// type, whatever the function stores in front.
  llvm::DenseSet<const clang::ValueDecl *> Returned;
  bool MakesStrings = false; ///< std::basic_string, of whatever
};

class DeferredTypes {
public:
  DeferredTypes(clang::ASTContext &Context, SiteTable &Table,
                TypeLayouts &Layouts)
      : Context(Context), Table(Table), Layouts(Layouts) {}

  /// Destinations of void * pointers in what was walked of the unit.
  RawPointers &pointers() { return Raw; }

  /// Adds the facts of a walked function to the table, under each of \p Names.
  void finish(FunctionBody &Finished,
              const llvm::SmallVectorImpl<std::string> &Names);
  /// After all functions have been walked: decides blocks by what is placed in
  /// them, or by what the holders of their pointers are cast to.
  void decide();

  void setPlaced(AllocFact &Fact, clang::QualType Type);
  /// True if the block has room for one object of \p Type and its alignment,
  /// but no more.
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

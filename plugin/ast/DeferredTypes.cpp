//===- DeferredTypes.cpp - types that need the whole unit -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/DeferredTypes.h"
#include "ast/BlockHeads.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using llvm::DenseSet;

namespace inmem {

/// Gives blocks the type of the class that the function stores at their start.
/// The bytes after this head may be anything.
void DeferredTypes::decideHeads(FunctionBody &Of) {
  const Stmt *Body = Of.Function ? Of.Function->getBody() : nullptr;
  if (!Body || Of.Headed.empty())
    return;
  const BlockHeads Heads(*Body);
  for (const auto &[Index, Variable] : Of.Headed) {
    const QualType Head = Heads.of(*Variable);
    if (Head.isNull())
      continue;
    AllocFact &Fact = Of.Facts.Allocs[Index];
    Fact.TypeKey = Layouts.add(Head);
    Fact.Rule = INMEM_RULE_VARIABLE;
    Fact.Flags |= INMEM_SITE_ONE;
    Fact.AnySize = true;
  }
}

void DeferredTypes::finish(FunctionBody &Finished,
                           const llvm::SmallVectorImpl<std::string> &Names) {
  decideHeads(Finished);
  for (const std::string &Name : Names) {
    FunctionFacts &Facts = Table.function(Name);
    for (const auto &[Index, Block] : Finished.Waiting)
      if (!Finished.Returned.contains(Block.Holder))
        Waiting.push_back({Name, Facts.Allocs.size() + Index, Block});
    for (const auto &[Index, Block] : Finished.RawBlocks)
      WaitingBlocks.push_back({Name, Facts.Allocs.size() + Index, Block});
    Facts.System =
        Finished.Function && Context.getSourceManager().isInSystemHeader(
                                 Finished.Function->getLocation());
    bool Numbered = llvm::StringRef(Name).contains("$_");
    for (const AllocFact &Fact : Finished.Facts.Allocs) {
      Facts.Allocs.push_back(Fact);
      if (Numbered)
        Facts.Allocs.back().Numbered = Name;
    }
    llvm::append_range(Facts.Objects, Finished.Facts.Objects);
    llvm::append_range(Facts.Returns, Finished.Facts.Returns);
    llvm::append_range(Facts.Members, Finished.Facts.Members);
    Facts.Role = Finished.Facts.Role;
  }
}
void DeferredTypes::decide() {
  DenseSet<const AllocFact *> Arenas;
  for (const WaitingBlock &Waits : WaitingBlocks) {
    QualType Type = Raw.placedIn(*Waits.Block.Holder);
    AllocFact &Fact = Table.function(Waits.Function).Allocs[Waits.Index];
    if (Type.isNull())
      continue;
    if (isFilledBy(Waits.Block, Type))
      setPlaced(Fact, Type);
    else if (Waits.Block.Bytes)
      Arenas.insert(&Fact); // the first of many objects
  }
  for (const WaitingFact &Waits : Waiting) {
    RawPointers::Use Use = Raw.useOf(*Waits.Block.Holder);
    AllocFact &Fact = Table.function(Waits.Function).Allocs[Waits.Index];
    bool Nearby = Use.Copies == 0 && isa<VarDecl>(Waits.Block.Holder);
    // A use far from the allocation is weaker evidence than the size.
    if (Fact.Rule == INMEM_RULE_PLACED || Arenas.count(&Fact) ||
        (!Nearby && Fact.Rule != INMEM_RULE_NONE))
      continue;
    bool Fits =
        Use.Type.isNull() || hasRoom(Waits.Block.Bytes, Use.Type, Context);
    if (Use.Disagree || !Fits) {
      Fact.Flags |= INMEM_SITE_DISAGREE;
    } else if (!Use.Type.isNull()) {
      Fact.TypeKey = Layouts.add(Use.Type);
      Fact.Rule = Nearby ? INMEM_RULE_VARIABLE : INMEM_RULE_FLOW;
      if (endsInFlexibleArray(Use.Type))
        Fact.Flags |= INMEM_SITE_ONE;
    }
  }
}

void DeferredTypes::setPlaced(AllocFact &Fact, QualType Type) {
  Fact.TypeKey = Layouts.add(Type);
  Fact.Rule = INMEM_RULE_PLACED;
}

bool DeferredTypes::isFilledBy(const RawBlock &Block, QualType Type) const {
  constexpr uint64_t kMostForAlignment = 15;
  uint64_t Size = Context.getTypeSizeInChars(Type).getQuantity();
  return Block.Sizes.names(Type) ||
         (Block.Bytes >= Size && Block.Bytes <= Size + kMostForAlignment);
}

} // namespace inmem

//===- UnitSections.cpp - few sections for the linker to place ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inmem/abi.h"
#include "ir/DescriptorEmitter.h"
#include "ir/Passes.h"
#include "ir/Pipeline.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace inmem {

namespace {

/// A unit with fewer types keeps them in groups, which linkers merge across
/// units: five units of 46 types each would otherwise load 6 % more.
constexpr size_t kManyTypes = 256;

void makeLocal(GlobalVariable &Variable, Comdat *Group) {
  // A private variable's visibility is the default one.
  Variable.setVisibility(GlobalValue::DefaultVisibility);
  Variable.setLinkage(GlobalValue::PrivateLinkage);
  Variable.setComdat(Group);
}

/// Collects the functions with code that uses \p Of. \returns false if
/// variables of other groups than \p Group use it, too.
bool collectFunctions(const Constant &Of, const Comdat &Group,
                      SmallPtrSetImpl<const Function *> &Functions) {
  for (const User *U : Of.users()) {
    if (const auto *I = dyn_cast<Instruction>(U))
      Functions.insert(I->getFunction());
    else if (const auto *Variable = dyn_cast<GlobalVariable>(U)) {
      if (Variable->getComdat() != &Group)
        return false;
    } else if (!isa<Constant>(U) || isa<GlobalValue>(U) ||
               !collectFunctions(*cast<Constant>(U), Group, Functions)) {
      return false;
    }
  }
  return true;
}

class UnitSections {
public:
  explicit UnitSections(Module &M) : M(M) {}

  bool run() {
    const bool Moved = moveCounters();
    return moveTypes() || Moved;
  }

private:
  /// Counters, each of which has a group with its description, join the group
  /// of the one function that counts, or that of the unit.
  bool moveCounters() {
    bool Changed = false;
    for (GlobalVariable &Cell : M.globals()) {
      Comdat *Old = Cell.getComdat();
      if (!Old || Cell.getSection() != INMEM_SECTION_COUNTERS ||
          Cell.getName() != Old->getName())
        continue;
      SmallVector<GlobalVariable *, 2> Members;
      SmallPtrSet<const Function *, 4> Functions;
      if (!collectGroup(*Old, Members, Functions) || Functions.empty())
        continue;
      Comdat *Home = homeOf(Functions);
      if (!Home)
        continue;
      for (GlobalVariable *Member : Members)
        makeLocal(*Member, Home);
      Changed = true;
    }
    return Changed;
  }

  static bool collectGroup(Comdat &Group,
                           SmallVectorImpl<GlobalVariable *> &Members,
                           SmallPtrSetImpl<const Function *> &Functions) {
    for (GlobalObject *Object : Group.getUsers()) {
      auto *Member = dyn_cast<GlobalVariable>(Object);
      if (!Member || !collectFunctions(*Member, Group, Functions))
        return false;
      Members.push_back(Member);
    }
    return true;
  }

  /// Null if the linker may keep some of \p Functions and drop others.
  Comdat *homeOf(const SmallPtrSetImpl<const Function *> &Functions) {
    const Function *First = *Functions.begin();
    for (const Function *F : Functions)
      if (F->isDeclarationForLinker() || F->getComdat() != First->getComdat())
        return nullptr;
    if (const Comdat *Group = First->getComdat())
      return M.getOrInsertComdat(Group->getName());
    return unitGroup();
  }

  /// A group keeps descriptions as long as the counters. No other unit's
  /// replaces it.
  Comdat *unitGroup() {
    Comdat *Group = M.getOrInsertComdat("__inmem_unit");
    Group->setSelectionKind(Comdat::NoDeduplicate);
    return Group;
  }

  bool moveTypes() {
    SmallVector<GlobalVariable *, 0> Records;
    size_t Types = 0;
    for (GlobalVariable &G : M.globals()) {
      const bool IsType = G.getSection() == INMEM_SECTION_TYPES;
      if ((IsType || G.getSection() == kRecordSection) && G.getComdat() &&
          G.hasLinkOnceODRLinkage())
        Records.push_back(&G);
      Types += IsType;
    }
    if (Types < kManyTypes)
      return false;
    SmallVector<GlobalValue *, 0> All;
    for (GlobalVariable *Record : Records) {
      Record = withoutTail(Record);
      makeLocal(*Record, nullptr);
      All.push_back(Record);
    }
    appendToCompilerUsed(M, All); // no record leads to embedded classes
    // Distances within a section are known without a relocation.
    for (GlobalVariable &G : M.globals())
      if (G.hasPrivateLinkage() && !G.hasSection() &&
          (G.getName().starts_with(kTextPrefix) ||
           G.getName().starts_with(kPackedPrefix))) {
        G.setUnnamedAddr(GlobalValue::UnnamedAddr::None); // or it gets another
        G.setSection(kRecordSection);
      }
    return true;
  }

  /// Fields without the distances to embedded classes, which keep these in the
  /// program if each is in a section of its own.
  GlobalVariable *withoutTail(GlobalVariable *Fields) {
    auto *Whole = dyn_cast<ConstantStruct>(Fields->getInitializer());
    if (Fields->getSection() != kRecordSection || !Whole ||
        Whole->getNumOperands() != 2)
      return Fields;
    Constant *Array = Whole->getOperand(0);
    auto *Short =
        new GlobalVariable(M, Array->getType(), /*isConstant=*/true,
                           GlobalValue::PrivateLinkage, Array, "", Fields);
    Short->setSection(kRecordSection);
    Short->setAlignment(Fields->getAlign());
    Short->takeName(Fields);
    Fields->replaceAllUsesWith(Short);
    Fields->eraseFromParent();
    return Short;
  }

  Module &M;
};

} // namespace

PreservedAnalyses UnitSectionsPass::run(Module &M, ModuleAnalysisManager &) {
  // A link-time optimiser would keep a copy of each unit, and imports no
  // function that uses local variables of named sections.
  if (isBeforeLink(M, LTOPreLink))
    return PreservedAnalyses::all();
  return UnitSections(M).run() ? PreservedAnalyses::none()
                               : PreservedAnalyses::all();
}

} // namespace inmem

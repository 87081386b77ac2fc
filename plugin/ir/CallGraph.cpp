//===- CallGraph.cpp - functions that a function may contain --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/CallGraph.h"
#include "PluginOptions.h"
#include "SiteTable.h"
#include "ir/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

/// Calls \p Add with each function and variable that \p Of refers to.
static void forEachObject(const Value *Of, SmallPtrSetImpl<const Value *> &Seen,
                          function_ref<void(const GlobalObject &)> Add) {
  SmallVector<const Value *, 8> Next{Of};
  while (!Next.empty()) {
    const Value *V = Next.pop_back_val();
    const auto *Part = dyn_cast<Constant>(V);
    if (!Part || !Seen.insert(Part).second)
      continue;
    if (const auto *Object = dyn_cast<GlobalObject>(Part))
      Add(*Object);
    else
      Next.append(Part->op_begin(), Part->op_end());
  }
}

unsigned CallGraph::idOf(const GlobalObject &Object) {
  const auto [It, New] = Ids.try_emplace(&Object, Nodes.size());
  if (!New)
    return It->second;
  Nodes.emplace_back();
  if (isa<Function>(Object)) {
    const auto Entry =
        Names.try_emplace(withoutUniqueSuffix(Object.getName()), It->second);
    Nodes.back().Name = Entry.first->first();
  }
  return It->second;
}

void CallGraph::read(const Module &M) {
  Nodes.clear();
  Names.clear();
  const auto Link = [this](const GlobalObject &From, const Value *To,
                           SmallPtrSetImpl<const Value *> &Seen) {
    forEachObject(To, Seen, [&](const GlobalObject &Object) {
      const unsigned Id = idOf(Object);
      Nodes[idOf(From)].To.push_back(Id);
    });
  };
  SmallPtrSet<const Value *, 32> Seen;
  for (const GlobalVariable &Variable : M.globals()) {
    Seen.clear();
    if (Variable.hasInitializer())
      Link(Variable, Variable.getInitializer(), Seen);
  }
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    Seen.clear();
    const unsigned Id = idOf(F);
    for (const Instruction &I : instructions(F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      Nodes[Id].CallsPointers |= Call && Call->isIndirectCall();
      for (const Value *Operand : I.operands())
        Link(F, Operand, Seen);
      // A variable may hold a function that is stored elsewhere.
      if (const auto *Store = dyn_cast<StoreInst>(&I))
        if (const auto *Into = dyn_cast<GlobalVariable>(
                Store->getPointerOperand()->stripInBoundsOffsets())) {
          SmallPtrSet<const Value *, 4> Stored;
          Link(*Into, Store->getValueOperand(), Stored);
        }
    }
  }
  Ids.clear();
}

CallGraph::Reach CallGraph::from(StringRef Name) const {
  Reach Out;
  const auto Begin = Names.find(withoutUniqueSuffix(Name));
  if (Begin == Names.end())
    return Out;
  DenseSet<unsigned> Seen;
  SmallVector<unsigned, 16> Next{Begin->second};
  while (!Next.empty()) {
    const unsigned Id = Next.pop_back_val();
    if (!Seen.insert(Id).second)
      continue;
    const Node &At = Nodes[Id];
    if (!At.Name.empty())
      Out.Functions.push_back(At.Name);
    Out.CallsPointers |= At.CallsPointers;
    Next.append(At.To);
  }
  return Out;
}

PreservedAnalyses ReadCallsPass::run(Module &M, ModuleAnalysisManager &) {
  if (Options::current().Accesses)
    State->Calls.read(M);
  return PreservedAnalyses::all();
}

} // namespace inmem

//===- HandlerFates.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/HandlerFates.h"
#include "Compat.h"
#include "inmem/abi.h"
#include "ir/Pipeline.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

namespace {

/// The fate of a budget's exception at a landing pad, worst last.
/// MayBeThrownOn: the code around the handler is unknown before an LTO link.
/// TerminatesAtEnd: as Terminates, but only at the end of a handler.
enum class Fate {
  Caught,
  ThrownOn,
  MayBeThrownOn,
  TerminatesAtEnd,
  Terminates
};

// inmem::handler::swallows and so on: runtime/scopes/Refusal.cpp matches these
// names.
StringRef fateName(Fate F) {
  switch (F) {
  case Fate::Caught:
    return "N5inmem7handler8swallowsE";
  case Fate::ThrownOn:
    return "N5inmem7handler8rethrowsE";
  case Fate::MayBeThrownOn:
    return "N5inmem7handler11may_rethrowE";
  case Fate::TerminatesAtEnd:
    return "N5inmem7handler17terminates_at_endE";
  case Fate::Terminates:
    return "N5inmem7handler10terminatesE";
  }
  return {};
}

StringRef symbolOf(const Value *V) {
  const auto *Global = dyn_cast<GlobalValue>(V->stripPointerCasts());
  return Global ? Global->getName() : StringRef();
}

bool isFateType(const Value *Type) {
  return symbolOf(Type).starts_with("_ZTIN5inmem7handler");
}

/// True if a handler of \p Type (null: of all types) catches
/// inmem::budget_exceeded.
bool takesRefusal(const Value *Type) {
  return isa<ConstantPointerNull>(Type->stripPointerCasts()) ||
         StringSwitch<bool>(symbolOf(Type))
             .Case("_ZTIN5inmem15budget_exceededE", true)
             .Case("_ZTISt9bad_alloc", true)
             .Case("_ZTISt9exception", true)
             .Default(false);
}

/// The index of the clause of \p Pad that catches the exception; the number of
/// clauses if none does.
unsigned takingClause(const LandingPadInst &Pad) {
  unsigned I = 0;
  while (I < Pad.getNumClauses() &&
         !(Pad.isCatch(I) && takesRefusal(Pad.getClause(I))))
    ++I;
  return I;
}

bool hasFate(const LandingPadInst &Pad, unsigned Clause) {
  return Clause > 0 && isFateType(Pad.getClause(Clause - 1));
}

/// Follows the code of a landing pad from its start, after a given clause has
/// caught an exception.
class PadCode {
public:
  PadCode(const LandingPadInst &Pad, unsigned Clause)
      : Pad(Pad), Type(Pad.getClause(Clause)->stripPointerCasts()) {}

  Fate fate(SmallPtrSetImpl<const LandingPadInst *> &Seen) {
    Seen.insert(&Pad);
    follow(Pad.getParent(), /*Handling=*/false);
    while (!Pending.empty()) {
      Step S = Pending.pop_back_val();
      walk(*S.getPointer(), S.getInt(), Seen);
    }
    return Worst;
  }

private:
  using Step = PointerIntPair<const BasicBlock *, 1, bool>; ///< block, Handling

  void walk(const BasicBlock &Block, bool Handling,
            SmallPtrSetImpl<const LandingPadInst *> &Seen) {
    for (const Instruction &I : Block) {
      const auto *Call = dyn_cast<CallBase>(&I);
      StringRef Callee =
          Call ? symbolOf(Call->getCalledOperand()) : StringRef();
      if (Callee == "__cxa_begin_catch")
        Handling = true;
      else if (Callee == "__cxa_end_catch" && Handling)
        return; // the handler is left
      else if (!Handling && (Callee == "__clang_call_terminate" ||
                             Callee == "_ZSt9terminatev"))
        return note(Fate::Terminates);
      else if (Callee == "__cxa_rethrow")
        return note(afterRethrow(*Call, Seen));
    }
    followTerminator(*Block.getTerminator(), Handling);
  }

  void followTerminator(const Instruction &Last, bool Handling) {
    if (isa<ResumeInst>(Last))
      return note(Fate::ThrownOn);
    // An exception thrown on this path is a different one.
    if (const auto *Invoke = dyn_cast<InvokeInst>(&Last))
      return follow(Invoke->getNormalDest(), Handling);
    if (const BasicBlock *Chosen = Handling ? nullptr : chosen(Last))
      return follow(Chosen, Handling);
    for (unsigned I = 0; I < Last.getNumSuccessors(); ++I)
      follow(Last.getSuccessor(I), Handling);
  }

  /// The successor for the case that the exception matches the clause's type
  /// id.
  const BasicBlock *chosen(const Instruction &Last) const {
    const auto *Compare =
        dyn_cast_or_null<ICmpInst>(compat::branchCondition(Last));
    if (!Compare || !Compare->isEquality())
      return nullptr;
    for (const Value *Side : Compare->operands()) {
      const auto *Id = dyn_cast<IntrinsicInst>(Side);
      if (!Id || Id->getIntrinsicID() != Intrinsic::eh_typeid_for)
        continue;
      bool Equal = Id->getArgOperand(0)->stripPointerCasts() == Type;
      bool Taken = Equal == (Compare->getPredicate() == ICmpInst::ICMP_EQ);
      return Last.getSuccessor(Taken ? 0 : 1);
    }
    return nullptr;
  }

  /// Fate of the same exception when \p Call rethrows it.
  Fate afterRethrow(const CallBase &Call,
                    SmallPtrSetImpl<const LandingPadInst *> &Seen) {
    const auto *Invoke = dyn_cast<InvokeInst>(&Call);
    if (!Invoke)
      return Fate::ThrownOn;
    const LandingPadInst &Next = *Invoke->getLandingPadInst();
    unsigned Clause = takingClause(Next);
    if (Clause == Next.getNumClauses())
      return Fate::ThrownOn;
    if (hasFate(Next, Clause))
      return symbolOf(Next.getClause(Clause - 1)).contains("terminates")
                 ? Fate::Terminates
                 : Fate::ThrownOn;
    if (!Seen.insert(&Next).second)
      return Fate::Caught; // the caller takes it into account
    return PadCode(Next, Clause).fate(Seen);
  }

  void follow(const BasicBlock *Block, bool Handling) {
    if (Visited.insert({Block, Handling}).second)
      Pending.emplace_back(Block, Handling);
  }
  void note(Fate F) { Worst = std::max(Worst, F); }

  const LandingPadInst &Pad;
  const Value *Type;
  SmallDenseSet<Step> Visited;
  SmallVector<Step> Pending;
  Fate Worst = Fate::Caught;
};

/// A std::type_info of a class that does not exist, shared by all object files.
Constant *fateType(Module &M, Fate F) {
  StringRef Name = fateName(F);
  std::string Symbol = ("_ZTI" + Name).str();
  if (GlobalVariable *Made = M.getNamedGlobal(Symbol))
    return Made;
  auto Shared = [&](Constant *Value, const Twine &Symbol) {
    auto *G =
        new GlobalVariable(M, Value->getType(), /*isConstant=*/true,
                           GlobalValue::LinkOnceODRLinkage, Value, Symbol);
    G->setVisibility(GlobalValue::HiddenVisibility);
    G->setComdat(M.getOrInsertComdat(G->getName()));
    return G;
  };
  LLVMContext &Context = M.getContext();
  auto *Text =
      Shared(ConstantDataArray::getString(Context, Name), "_ZTS" + Name);
  Type *Pointer = Text->getType();
  Constant *Table =
      M.getOrInsertGlobal("_ZTVN10__cxxabiv117__class_type_infoE", Pointer);
  // The vtable pointer skips the two words of the vtable's header.
  Constant *Functions = ConstantExpr::getInBoundsGetElementPtr(
      Pointer, Table,
      ArrayRef<Constant *>(ConstantInt::get(Type::getInt64Ty(Context), 2)));
  return Shared(ConstantStruct::getAnon({Functions, Text}), Symbol);
}

/// Inserts the type of \p F before the clause.
void recordFate(LandingPadInst &Pad, unsigned Clause, Fate F) {
  IRBuilder<> Builder(&Pad);
  LandingPadInst *Extended =
      Builder.CreateLandingPad(Pad.getType(), Pad.getNumClauses() + 1);
  Extended->setCleanup(Pad.isCleanup());
  for (unsigned I = 0; I < Pad.getNumClauses(); ++I) {
    if (I == Clause)
      Extended->addClause(fateType(*Pad.getModule(), F));
    Extended->addClause(Pad.getClause(I));
  }
  Extended->takeName(&Pad);
  Pad.replaceAllUsesWith(Extended);
  Pad.eraseFromParent();
}

std::vector<LandingPadInst *> padsOf(Function &F) {
  std::vector<LandingPadInst *> Pads;
  if (F.hasPersonalityFn() &&
      symbolOf(F.getPersonalityFn()) == "__gxx_personality_v0")
    for (BasicBlock &Block : F)
      if (Block.isLandingPad())
        Pads.push_back(Block.getLandingPadInst());
  return Pads;
}

bool recordTerminating(Function &F) {
  bool Any = false;
  for (LandingPadInst *Pad : padsOf(F)) {
    unsigned Last = Pad->getNumClauses();
    if (Last == 0)
      continue;
    --Last;
    if (!Pad->isCatch(Last) ||
        !isa<ConstantPointerNull>(Pad->getClause(Last)) || hasFate(*Pad, Last))
      continue;
    SmallPtrSet<const LandingPadInst *, 8> Seen;
    if (PadCode(*Pad, Last).fate(Seen) != Fate::Terminates)
      continue;
    bool AtEnd = all_of(predecessors(Pad->getParent()), [](BasicBlock *Block) {
      const auto *Invoke = dyn_cast<InvokeInst>(Block->getTerminator());
      return Invoke &&
             symbolOf(Invoke->getCalledOperand()) == "__cxa_end_catch";
    });
    recordFate(*Pad, Last, AtEnd ? Fate::TerminatesAtEnd : Fate::Terminates);
    Any = true;
  }
  return Any;
}

bool recordHandlers(Function &F, bool BeforeLink) {
  // Classify all of them before inserting types: classification reads the types
  // that the early pass inserted.
  std::vector<std::tuple<LandingPadInst *, unsigned, Fate>> Found;
  for (LandingPadInst *Pad : padsOf(F)) {
    unsigned Clause = takingClause(*Pad);
    if (Clause == Pad->getNumClauses() || hasFate(*Pad, Clause))
      continue;
    SmallPtrSet<const LandingPadInst *, 8> Seen;
    Fate Is = PadCode(*Pad, Clause).fate(Seen);
    if (BeforeLink && Is == Fate::ThrownOn)
      Is = Fate::MayBeThrownOn;
    Found.push_back({Pad, Clause, Is});
  }
  for (auto [Pad, Clause, Is] : Found)
    recordFate(*Pad, Clause, Is);
  return !Found.empty();
}

} // namespace

PreservedAnalyses HandlerFatesPass::run(Module &M, ModuleAnalysisManager &) {
  if (!claimStage(M, When == Early ? "handlers" : "handlers-late"))
    return PreservedAnalyses::all();
  bool BeforeLink = isBeforeLink(M, When == LateBeforeLink);
  bool Any = false;
  for (Function &F : M)
    Any |= When == Early ? recordTerminating(F) : recordHandlers(F, BeforeLink);
  return Any ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace inmem

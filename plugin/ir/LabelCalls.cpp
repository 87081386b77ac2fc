//===- LabelCalls.cpp - names for calls in the user's code ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compat.h"
#include "ir/AllocationFunctions.h"
#include "ir/Calls.h"
#include "ir/FunctionFacts.h"
#include "ir/ModuleRecords.h"
#include "ir/PassedFunctions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <map>

using namespace llvm;

namespace inmem {

bool followsCallers(const Module &M) {
  const Triple Target = compat::target(M);
  return (Target.getArch() == Triple::x86_64 ||
          Target.getArch() == Triple::aarch64) &&
         Target.isOSBinFormatELF() && !Target.isX32() &&
         Target.getEnvironment() != Triple::GNUILP32;
}

namespace {

struct Label {
  Instruction *Before;
  unsigned Frame; ///< index into the unit's table
};

/// The distinct frames that a unit's labels refer to.
class FrameTable {
public:
  /// Function, line, column and flags of inmem_frame. A null function means
  /// that the line is unknown.
  using Key = std::tuple<const DISubprogram *, unsigned, unsigned, unsigned>;

  unsigned numberOf(const Key &Of, function_ref<FrameInfo()> Make) {
    auto [It, New] = Known.try_emplace(Of, unsigned(Infos.size()));
    if (New)
      Infos.push_back(Make());
    return It->second;
  }
  unsigned withoutLine(unsigned Flags) {
    return numberOf(Key(nullptr, 0, 0, Flags), [&] {
      FrameInfo Info;
      Info.Flags = uint16_t(Flags);
      return Info;
    });
  }
  ArrayRef<FrameInfo> all() const { return Infos; }

private:
  std::vector<FrameInfo> Infos;
  std::map<Key, unsigned> Known;
};

/// True if the call may lead to allocations by other code. The user's own
/// functions have their own labels.
bool mayLeadToAllocation(const CallBase &Call, const PipelineState &State) {
  const Function *Callee = directCallee(Call);
  if (Callee && (Callee->getName().starts_with("__inmem_") ||
                 Callee->getName().starts_with("__cxa_")))
    return false;
  if (hookedCallee(Call)) // the user's own allocation, or a free
    return false;
  if (Call.doesNotReturn())
    return true; // it may throw an object that it allocated
  const CallTarget Target = targetOf(Call);
  return Target.Body ? isPassedCallee(*Target.Body, State) ||
                           !isInstrumentable(*Target.Body)
                     : Target.MayAllocate;
}

bool isLabelled(const CallBase &Call, const PipelineState &State) {
  if (mayCallByAssembly(Call))
    return true;
  return !isa<IntrinsicInst>(Call) && !isa<CallBrInst>(Call) &&
         !Call.isInlineAsm() && !Call.hasFnAttr(kSkipAttribute) &&
         mayLeadToAllocation(Call, State);
}

/// True if the code generator may turn a labelled call into a jump. Only
/// optimisation marks such calls.
bool mayJump(const CallBase &Call, const PipelineState &State) {
  const auto *Plain = dyn_cast<CallInst>(&Call);
  if (!Plain || !Plain->isTailCall())
    return false;
  if (Plain->isMustTailCall())
    return true;
  const Function *Callee = directCallee(Call);
  return !(Callee && isPassedCallee(*Callee, State)) && // see preserve()
         !Call.getFunction()
              ->getFnAttribute("disable-tail-calls")
              .getValueAsBool();
}

/// True if only the function's end follows \p Call.
bool isAtEnd(const CallBase &Call) {
  const Instruction *I = Call.getNextNode();
  for (unsigned Jumps = 0; I && Jumps < 8;) {
    if (isa<ReturnInst>(I))
      return true;
    if (I->isTerminator()) {
      if (I->getNumSuccessors() != 1)
        return false;
      I = &*I->getSuccessor(0)->getFirstNonPHIOrDbgOrLifetime();
      ++Jumps;
    } else if (isa<IntrinsicInst>(I) || isa<CastInst>(I)) {
      I = I->getNextNode();
    } else {
      return false;
    }
  }
  return false;
}

/// True if calls in \p F may have labels.
bool isLabelable(const Function &F) {
  // Code that may lack a C library must not need the runtime for labels.
  return (isInstrumentable(F) || F.hasFnAttribute(Attribute::Naked)) &&
         !F.hasAvailableExternallyLinkage() &&
         !F.getName().starts_with("__inmem_") &&
         !F.hasFnAttribute("no-builtins");
}

/// Calls of the user's own functions that need labels because both the call and
/// the last call of its callee may be jumps. Neither function then has a frame,
/// and the label shows that one is missing.
SmallPtrSet<const CallBase *, 8> callsOfJumping(const Module &M,
                                                const PipelineState &State) {
  std::vector<const Function *> Jumping;
  DenseMap<const Function *, std::vector<const CallBase *>> LastCalls;
  for (const Function &F : M) {
    if (!isLabelable(F))
      continue;
    bool Jumps = false;
    for (const Instruction &I : instructions(F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !mayJump(*Call, State) || !isAtEnd(*Call))
        continue;
      if (isLabelled(*Call, State))
        Jumps = true;
      else if (const Function *Body = targetOf(*Call).Body)
        LastCalls[Body].push_back(Call);
    }
    if (Jumps)
      Jumping.push_back(&F);
  }
  SmallPtrSet<const CallBase *, 8> Found;
  SmallPtrSet<const Function *, 8> Seen(Jumping.begin(), Jumping.end());
  while (!Jumping.empty()) {
    const Function *F = Jumping.back();
    Jumping.pop_back();
    for (const CallBase *Call : LastCalls.lookup(F)) {
      Found.insert(Call);
      if (Seen.insert(Call->getFunction()).second)
        Jumping.push_back(Call->getFunction());
    }
  }
  return Found;
}

/// Preserves the frame and the location of a labelled call.
void preserve(CallBase &Call, const PipelineState &State, bool BeforeLink) {
  // Do not merge calls of two lines into one instruction.
  Call.addFnAttr(Attribute::NoMerge);
  Function *Callee = directCallee(Call);
  if (!Callee)
    return;
  // The instruction must name the function. With this attribute, which -fno-plt
  // and rustc set, a loop may call it through a register.
  Callee->removeFnAttr(Attribute::NonLazyBind);
  if (!isPassedCallee(*Callee, State))
    return;
  if (auto *Plain = dyn_cast<CallInst>(&Call))
    Plain->setTailCallKind(CallInst::TCK_NoTail);
  // The label would not cover code that is inlined after it. Callees that the
  // compile step did not inline are large anyway.
  if (BeforeLink && !Call.hasFnAttr(Attribute::AlwaysInline) &&
      !Callee->hasFnAttribute(Attribute::AlwaysInline))
    Call.setIsNoInline();
}

/// The symbol whose section the linker associates with the label: the
/// function's, so that all labels of a function are in one section. Before a
/// link, the function may become part of another one, so the label's own symbol
/// is used.
std::string boundSymbol(const Function &F, bool BeforeLink) {
  constexpr StringLiteral kOwn = ".Linmem_call${:uid}";
  StringRef Name = F.getName();
  const bool Plain =
      all_of(Name, [](char C) { return isAlnum(C) || C == '_' || C == '.'; });
  return BeforeLink || !Plain || Name.empty() || F.hasPrivateLinkage()
             ? kOwn.str()
             : Name.str();
}

/// Uses assembler text, since only the assembler has labels without code. The
/// label section is linked to the code's section, so that the linker keeps or
/// drops both.
void emit(const Label &L, GlobalVariable &Table, bool BeforeLink) {
  LLVMContext &Context = Table.getContext();
  Type *Ptr = PointerType::getUnqual(Context);
  const std::string Text =
      ".Linmem_call${:uid}:\n"
      ".pushsection " INMEM_SECTION_CALLS ",\"ao?\",@progbits," +
      boundSymbol(*L.Before->getFunction(), BeforeLink) +
      "\n.long .Linmem_call${:uid}-.,${0:c}-.\n.popsection";
  InlineAsm *Asm =
      InlineAsm::get(FunctionType::get(Type::getVoidTy(Context), {Ptr}, false),
                     Text, "i", /*hasSideEffects=*/true);
  Constant *Frame = ConstantExpr::getInBoundsGetElementPtr(
      Type::getInt8Ty(Context), &Table,
      ConstantInt::get(Type::getInt64Ty(Context),
                       uint64_t(L.Frame) * sizeof(inmem_frame)));
  IRBuilder<> Builder(L.Before);
  // No location: the assembler would assign it to the bytes that it emits next.
  // These are in the section of labels, and the call would lose its line.
  Builder.SetCurrentDebugLocation(DebugLoc());
  CallInst *Label = Builder.CreateCall(Asm, {Frame});
  Label->setDoesNotThrow();
  // Keep labels of one line from merging above a branch, away from the calls.
  Label->addFnAttr(Attribute::NoMerge);
}

} // namespace

bool labelCalls(
    Module &M, const PipelineState &State, bool BeforeLink,
    DescriptorEmitter &Emitter,
    function_ref<FrameInfo(const DILocation &, const Function &)> Describe) {
  std::vector<Label> Labels;
  FrameTable Frames;
  bool Needed = false;
  const auto CallsOfJumping = callsOfJumping(M, State);
  for (Function &F : M) {
    if (!isLabelable(F))
      continue;
    const bool Naked = F.hasFnAttribute(Attribute::Naked);
    const bool Unlocated =
        !F.getSubprogram() && SiteTable::current().isUnlocated(F.getName());
    const size_t LabelsBefore = Labels.size();
    std::vector<CallBase *> OfLibrary;
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !(isLabelled(*Call, State) || CallsOfJumping.contains(Call)))
        continue;
      Needed |= !Unlocated;
      if (Unlocated || Naked) {
        // Emit a label without a line, so that no caller's line is used
        // instead. The return address of a naked function is at an unknown
        // position.
        Labels.push_back({&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca(),
                          Frames.withoutLine(0)});
        break;
      }
      const DILocation *Loc = Call->getDebugLoc();
      const DILocation *User = userLocation(Loc, State);
      if (!User &&
          (Loc || !F.getSubprogram() ||
           State.Passed.contains(State.asWritten(F.getSubprogram())))) {
        OfLibrary.push_back(Call);
        continue;
      }
      const unsigned Flags = mayJump(*Call, State) ? INMEM_FRAME_MAY_JUMP : 0;
      // Two calls may have been merged into one without a line, which the label
      // records.
      if (!User || !User->getLine()) {
        Labels.push_back({Call, Frames.withoutLine(Flags)});
        continue;
      }
      const FrameTable::Key Of(User->getScope()->getSubprogram(),
                               User->getLine(), User->getColumn(), Flags);
      Labels.push_back({Call, Frames.numberOf(Of, [&] {
                          FrameInfo Info = Describe(*User, F);
                          Info.Flags |= uint16_t(Flags);
                          return Info;
                        })});
    }
    // If program code is inlined in a library function, calls without a label
    // would be attributed to the program.
    if (Labels.size() > LabelsBefore)
      for (CallBase *Call : OfLibrary)
        Labels.push_back({Call, Frames.withoutLine(INMEM_FRAME_PASSED)});
  }
  // Leave a file unchanged if it contains nothing else of ours: all calls may
  // be in library functions, or without a location.
  if (!Needed || Labels.empty())
    return false;
  GlobalVariable *Table = Emitter.sharedFrames(Frames.all(), "__inmem_places");
  for (const Label &L : Labels) {
    // Do not change a musttail call: its label only marks it, since its
    // function is the user's.
    if (auto *Call = dyn_cast<CallBase>(L.Before);
        Call && !Call->isMustTailCall() && !Call->isInlineAsm())
      preserve(*Call, State, BeforeLink);
    emit(L, *Table, BeforeLink);
  }
  return true;
}

} // namespace inmem

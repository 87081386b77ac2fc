//===- InstrumentAllocations.cpp - the late pass --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PluginOptions.h"
#include "ir/AllocationFunctions.h"
#include "ir/DescriptorEmitter.h"
#include "ir/FunctionFacts.h"
#include "ir/LibrarySignatures.h"
#include "ir/ModuleRecords.h"
#include "ir/PassedFunctions.h"
#include "ir/Passes.h"
#include "ir/ReturnedBlocks.h"
#include "ir/RuntimeHooks.h"
#include "ir/RustCalls.h"
#include "ir/SiteDescriber.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace inmem {

namespace {

/// available_externally bodies exist only for inlining.
bool mayRecord(const Function &F) {
  return isInstrumentable(F) && !F.hasAvailableExternallyLinkage() &&
         !F.getName().starts_with("__inmem_");
}

/// The std::string function that allocates buffers in libstdc++.
constexpr StringLiteral kMakesBuffer =
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm";

class Instrumenter {
public:
  Instrumenter(Module &M, PipelineState &State, FunctionAnalysisManager &FAM,
               bool LTOPreLink)
      : M(M), State(State), FAM(FAM), BeforeLink(LTOPreLink),
        FollowsCallers(followsCallers(M)), HasFrameRecords(hasFrameRecords(M)),
        Emitter(M, LTOPreLink), Hooks(M), Returned(M), Sites(State, Lines),
        Rust(isRust(M)) {}

  bool run() {
    for (Function &F : M)
      if (mayRecord(F) && !(Rust && isRustAllocator(F)))
        collect(F);
    for (CallBase *Call : Frees)
      replaceFree(*Call);
    for (CallBase *Call : Owning)
      retagOwned(*Call, *owningCallee(*Call));
    for (CallBase *Call : Retagged)
      retagTyped(*Call);
    for (CallBase *Call : RustBlocks)
      recordRust(*Call);
    for (CallBase *Call : Generic)
      retagGeneric(*Call);
    for (CallBase *Call : MayAllocate)
      completeConditionalRetag(*Call);
    for (CallBase *Call : Strings)
      retagString(*Call);
    guardByNewestBlock();
    for (CallBase *Call : Exceptions)
      announce(*Call, Sites.describe(*Call, INMEM_SITE_EXCEPTION));
    for (CallBase *Call : Allocations)
      replaceAllocation(*Call);
    Returned.emit();
    revealOwnAllocators(M);
    bool Changed =
        !(Frees.empty() && Owning.empty() && Retagged.empty() &&
          MayAllocate.empty() && Exceptions.empty() && Allocations.empty() &&
          Generic.empty() && RustBlocks.empty() && Strings.empty());
    for (const GlobalVariable &Variable : M.globals())
      Changed |= Variable.getSection() == INMEM_SECTION_COUNTERS;
    if (FollowsCallers)
      Changed |= labelCalls(M, State, BeforeLink, Emitter,
                            [this](const DILocation &Loc, const Function &F) {
                              return FrameInfo{Sites.functionName(Loc, F),
                                               locationOf(Loc)};
                            });
    if (Changed) {
      addDefinitions(M);
      Emitter.addRegistration();
    }
    Changed |= Emitter.addEarlyRegistration();
    forgetPassedFunctions(M);
    Lines.emit(M);
    return Changed;
  }

private:
  // Collect calls first: rewriting invalidates iterators.
  void collect(Function &F) {
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || isa<IntrinsicInst>(Call) || Call->hasFnAttr(kSkipAttribute))
        continue;
      if (const HookedFunction *Hooked = hookedCallee(*Call)) {
        (Hooked->Frees ? Frees : Allocations).push_back(Call);
        continue;
      }
      const Function *Callee = directCallee(*Call);
      if (Callee && Callee->getName() == RuntimeHooks::kRetagSized) {
        if (isa<ConstantPointerNull>(Call->getArgOperand(1)))
          MayAllocate.push_back(Call);
      } else if (Callee && Callee->getName() == "__cxa_allocate_exception" &&
                 Callee->isDeclaration())
        Exceptions.push_back(Call);
      else if (owningCallee(*Call))
        Owning.push_back(Call);
      else if (Rust && makesRustBlock(*Call))
        RustBlocks.push_back(Call);
      else if (isRetagged(*Call, Callee))
        Retagged.push_back(Call);
      else if (Rust && allocatesForGeneric(*Call))
        Generic.push_back(Call);
      else if (Call->hasFnAttr(kConditionalRetagAttribute))
        MayAllocate.push_back(Call);
      else if (Callee && returnsLibraryString(*Call, *Callee))
        Strings.push_back(Call);
    }
  }

  /// True for a call of code that is not instrumented. User code knows its
  /// strings.
  static bool returnsLibraryString(const CallBase &Call,
                                   const Function &Callee) {
    return Callee.isDeclaration() && Callee.hasFnAttribute(kStringAttribute) &&
           Call.hasStructRetAttr() && !Call.isMustTailCall() &&
           !isa<CallBrInst>(Call);
  }

  static bool isRetagged(const CallBase &Call, const Function *Callee) {
    if (!Call.getType()->isPointerTy() || isa<CallBrInst>(Call))
      return false;
    // -fsanitize=alloc-token has renamed the callee, so a malloc block that it
    // returns is recorded there.
    if (Call.hasFnAttr(kRetagAttribute) ||
        (Callee && Callee->getName().starts_with("__alloc_token_") &&
         Call.hasFnAttr(kSiteAttribute)))
      return true;
    // Without an AST half, an alloc_size attribute identifies an allocation.
    // The malloc attribute alone (fopen has it) does not.
    return Callee && Call.hasFnAttr(Attribute::AllocSize) &&
           !Callee->getName().starts_with("__inmem_") &&
           SiteTable::current().empty();
  }

  /// True if the function that contains \p Call allocates the block for its own
  /// caller. This includes a coroutine's frame, wherever the coroutine is
  /// defined.
  bool isForCallers(const CallBase &Call, const SiteInfo &Site) const {
    const DILocation *Loc = Call.getDebugLoc();
    if (!FollowsCallers || !Loc ||
        Call.getFunction()->hasFnAttribute(Attribute::Naked))
      return false;
    if (Site.Kind == INMEM_SITE_COROUTINE &&
        coroutineOf(*Loc) == Call.getFunction()->getSubprogram())
      return true;
    return !userLocation(Loc, State);
  }

  /// The innermost coroutine among the functions inlined around a location, or
  /// null.
  const DISubprogram *coroutineOf(const DILocation &Loc) const {
    for (const DILocation *At = &Loc; At; At = At->getInlinedAt())
      if (State.isCoroutine(State.functionOf(*At)))
        return At->getScope()->getSubprogram();
    return nullptr;
  }

  /// True if a tail call would remove the frame that contains the slot, as it
  /// always would on AArch64. With frame pointers, the runtime finds the
  /// callers' frames through them, so the function's own frame must exist.
  bool needsOwnFrame(const CallBase &Call) const {
    StringRef Kind =
        Call.getFunction()->getFnAttribute("frame-pointer").getValueAsString();
    return Kind == "all" || Kind == "non-leaf" || HasFrameRecords;
  }

  GlobalVariable *addSite(CallBase &Call, const SiteInfo &Site) {
    auto &Remarks =
        FAM.getResult<OptimizationRemarkEmitterAnalysis>(*Call.getFunction());
    if (Site.TypeKey.empty())
      Remarks.emit([&] {
        return describeSite(
            OptimizationRemarkMissed("inmem", "UnknownType", &Call), Site, "");
      });
    else
      Remarks.emit([&] {
        return describeSite(OptimizationRemark("inmem", "Allocation", &Call),
                            Site, Emitter.typeName(Site.TypeKey));
      });
    return Emitter.addSite(Site, *Call.getFunction());
  }

  void replaceFree(CallBase &Call) {
    const HookedFunction &Hooked = *hookedCallee(Call);
    auto &TLI = FAM.getResult<TargetLibraryAnalysis>(*Call.getFunction());
    bool KnownFree = getFreedOperand(&Call, &TLI);
    if (Function *Own = ownAllocator(Call))
      return freeBy(Hooked, Call, *Own);
    Call.setCalledFunction(Hooks.replacement(Hooked, Call));
    if (KnownFree)
      addAllocationAttributes(Hooked, Call);
  }

  void freeBy(const HookedFunction &Hooked, CallBase &Written, Function &Own) {
    CallBase &Call =
        Written.isMustTailCall() ? callThroughJump(Written) : Written;
    SmallVector<Value *, 4> Arguments(Call.args());
    Arguments.push_back(&Own);
    insertCall(Call, Hooks.replacement(Hooked, Call), Arguments);
    Call.eraseFromParent();
  }

  /// True if the user excludes blocks of this type. The call stays unchanged,
  /// and the runtime treats the block as allocated by uninstrumented code.
  bool isIgnored(const SiteInfo &Site) {
    const Options &Chosen = Options::current();
    const TypeInfo *Type = SiteTable::current().findType(Site.TypeKey);
    return (Type && Type->Ignored) ||
           (Chosen.filtersTypes() &&
            Chosen.ignoresType(Site.TypeKey.empty()
                                   ? std::string()
                                   : Emitter.typeName(Site.TypeKey)));
  }

  /// True if an exception may leave the call and its function. The runtime
  /// finds noexcept functions further out.
  static bool mayThrow(const CallBase &Call, const HookedFunction &Hooked) {
    return Hooked.Name.starts_with("_Zn") && !Call.doesNotThrow() &&
           !Hooked.Name.contains("nothrow") &&
           // In such a function, a handler may catch the exception.
           (isa<InvokeInst>(Call) || !Call.getFunction()->doesNotThrow());
  }

  void replaceAllocation(CallBase &Written) {
    const HookedFunction &Hooked = *hookedCallee(Written);
    SiteInfo Site = Sites.describe(Written, Hooked.Kind);
    if (isIgnored(Site))
      return stripTransportAttributes(Written);
    if (mayThrow(Written, Hooked))
      Site.Flags |= INMEM_SITE_THROWS;
    if (Written.isMustTailCall() && Written.getFunctionType()->isVarArg())
      return announce(Written, Site);
    Sites.completeCoroutine(Written, Site);
    const bool From = isForCallers(Written, Site);
    const bool OwnFrame = From && needsOwnFrame(Written);
    GlobalVariable *Record = addSite(Written, Site);
    CallBase &Call =
        Written.isMustTailCall() ? callThroughJump(Written) : Written;
    stripTransportAttributes(Written);

    auto &TLI = FAM.getResult<TargetLibraryAnalysis>(*Call.getFunction());
    bool KnownAllocation = isAllocationFn(&Call, &TLI);
    IRBuilder<> Builder(&Call);
    SmallVector<Value *, 4> Arguments;
    for (auto [Argument, Wanted] : zip(Call.args(), calledType(Call)->params()))
      Arguments.push_back(Argument->getType() == Wanted
                              ? Argument.get()
                              : Builder.CreateZExt(Argument, Wanted));
    Arguments.push_back(Record);
    if (From)
      Arguments.push_back(Hooks.returnSlot(Builder));
    const FunctionCallee Hook = Hooks.replacement(Hooked, Call, From);
    if (Function *Own = ownAllocator(Call))
      Arguments.push_back(Own);
    CallBase &New = insertCall(Call, Hook, Arguments);
    if (OwnFrame && isa<CallInst>(New))
      cast<CallInst>(New).setTailCallKind(CallInst::TCK_NoTail);
    if (KnownAllocation)
      addAllocationAttributes(Hooked, New);
    stripTransportAttributes(New);
    New.takeName(&Call);
    Call.replaceAllUsesWith(&New);
    Call.eraseFromParent();
    if (saysNothing(Site))
      Returned.note(New);
  }

  /// True if \p Site gives no real type, so that a caller may still determine
  /// it.
  static bool saysNothing(const SiteInfo &Site) {
    if (Site.TypeKey.empty())
      return true;
    const TypeInfo *Type = SiteTable::current().findType(Site.TypeKey);
    return Type && Type->Size == 1 && Site.Kind != INMEM_SITE_NEW &&
           Site.Kind != INMEM_SITE_NEW_ARRAY &&
           Site.Kind != INMEM_SITE_ALLOCATOR;
  }

  /// Announces the site of the next allocation to the runtime if the call
  /// itself cannot pass it.
  void announce(CallBase &Call, const SiteInfo &Site) {
    if (isIgnored(Site))
      return stripTransportAttributes(Call);
    // A musttail call removes the frame before the block is allocated.
    const bool From = !Call.isMustTailCall() && isForCallers(Call, Site);
    const bool OwnFrame = From && needsOwnFrame(Call);
    GlobalVariable *Record = addSite(Call, Site);
    IRBuilder<> Builder(&Call);
    if (From)
      Builder.CreateCall(Hooks.expectFrom(),
                         {Record, Hooks.returnSlot(Builder)});
    else
      Builder.CreateCall(Hooks.expect(), {Record});
    if (OwnFrame && isa<CallInst>(Call))
      cast<CallInst>(Call).setTailCallKind(CallInst::TCK_NoTail);
    stripTransportAttributes(Call);
  }

  void retagOwned(CallBase &Call, const OwningFunction &Owner) {
    if (Call.isMustTailCall())
      return;
    // Only the AST half knows the type of a directory entry.
    const SiteTable &Table = SiteTable::current();
    if (!Owner.ArrayKey.empty() &&
        !(Table.findType(Owner.TypeKey) && Table.findType(Owner.ArrayKey)))
      return;
    SiteInfo Site = Sites.describe(Call, INMEM_SITE_STRING);
    Site.Kind = INMEM_SITE_STRING;
    Site.TypeKey = Owner.TypeKey.str();
    Site.Rule = INMEM_RULE_LIBRARY;
    if (isIgnored(Site))
      return stripTransportAttributes(Call);
    IRBuilder<> Builder(pointAfter(Call));
    Builder.SetCurrentDebugLocation(Call.getDebugLoc());
    Value *Block = &Call;
    if (Owner.ResultArgument >= 0) {
      PointerType *Ptr = PointerType::getUnqual(M.getContext());
      Block = Builder.CreateLoad(Ptr, Call.getArgOperand(Owner.ResultArgument));
      if (!Owner.ArrayKey.empty()) {
        SiteInfo Array = Site;
        Array.TypeKey = Owner.ArrayKey.str();
        Builder.CreateCall(
            Hooks.retagEntries(),
            {Block, &Call, addSite(Call, Array), addSite(Call, Site)});
        return stripTransportAttributes(Call);
      }
      if (Owner.ByStatus)
        Block = Builder.CreateSelect(
            Builder.CreateICmpSGE(&Call, ConstantInt::get(Call.getType(), 0)),
            Block, ConstantPointerNull::get(Ptr));
    }
    Builder.CreateCall(Hooks.retagOwned(), {Block, addSite(Call, Site)});
    stripTransportAttributes(Call);
  }

  void retagTyped(CallBase &Call) {
    if (Call.isMustTailCall())
      return;
    SiteInfo Site = Sites.describe(Call, INMEM_SITE_CUSTOM);
    if (Rust && Site.TypeKey.empty())
      adoptRustType(Call, Site);
    if (isIgnored(Site))
      return stripTransportAttributes(Call);
    Sites.completeCoroutine(Call, Site);
    IRBuilder<> Builder(pointAfter(Call));
    Builder.SetCurrentDebugLocation(Call.getDebugLoc());
    Builder.CreateCall(Hooks.retag(), {&Call, addSite(Call, Site)});
    stripTransportAttributes(Call);
  }

  static void adoptRustType(const CallBase &Call, SiteInfo &Site) {
    Site.TypeKey = rustTypeOf(Call);
    Site.Rule = INMEM_RULE_IR;
  }

  void recordRust(CallBase &Call) {
    SiteInfo Site = Sites.describe(Call, INMEM_SITE_CUSTOM);
    if (Site.TypeKey.empty())
      adoptRustType(Call, Site);
    if (isIgnored(Site))
      return stripTransportAttributes(Call);
    IRBuilder<> Builder(&Call);
    Value *Slot =
        isForCallers(Call, Site) ? Hooks.returnSlot(Builder) : nullptr;
    if (auto *Plain = dyn_cast<CallInst>(&Call))
      Plain->setTailCallKind(CallInst::TCK_NoTail);
    recordRustBlock(Call, Hooks, addSite(Call, Site), Slot);
    stripTransportAttributes(Call);
  }

  /// No remark: the call may grow a block in place.
  void retagGeneric(CallBase &Call) {
    SiteInfo Site = Sites.describe(Call, INMEM_SITE_CUSTOM);
    adoptRustType(Call, Site);
    if (!Site.TypeKey.empty() && !isIgnored(Site))
      retagNewest(Call, Hooks, Emitter.addSite(Site, *Call.getFunction()));
  }

  /// Completes a conditional retag of the early pass, or adds one to a call
  /// that needs it. No remark: the call may not allocate at all.
  void completeConditionalRetag(CallBase &Call) {
    SiteInfo Site = Sites.describe(Call, INMEM_SITE_CUSTOM);
    bool IsRetag = !Call.hasFnAttr(kConditionalRetagAttribute);
    if (Site.TypeKey.empty() || isIgnored(Site) || Call.isMustTailCall()) {
      stripTransportAttributes(Call);
      if (IsRetag)
        Call.eraseFromParent();
      return;
    }
    SmallVector<CallInst *, 2> Completed;
    if (IsRetag)
      Completed = {cast<CallInst>(&Call)};
    else
      Completed = emitConditionalRetags(M, Call, Call, pointAfter(Call));
    stripTransportAttributes(Call);
    GlobalVariable *Record = Emitter.addSite(Site, *Call.getFunction());
    Type *I64 = Type::getInt64Ty(M.getContext());
    // A class named only by the pointer may be the head of a longer object, so
    // accept only a block of exactly its size, not an array.
    const TypeInfo *Info = SiteTable::current().findType(Site.TypeKey);
    const bool MayBeHead =
        Site.Unit != 1 && Info && Info->Flags & INMEM_TYPE_CLASS;
    for (CallInst *Retag : Completed) {
      Retag->setArgOperand(1, Record);
      Retag->setArgOperand(2, ConstantInt::get(I64, Site.Unit));
      for (unsigned Index : {3, 4})
        if (MayBeHead)
          Retag->setArgOperand(Index, ConstantInt::get(I64, 0));
      Retags.push_back(Retag);
      if (Site.Rule == INMEM_RULE_SIZEOF || Site.Rule == INMEM_RULE_VARIABLE)
        NamedBySize.insert(Retag);
    }
  }

  /// Retags the buffer of a std::string that a library returns, as if this code
  /// had inlined the function that allocated it.
  void retagString(CallBase &Call) {
    SiteInfo Site = Sites.describe(Call, INMEM_SITE_ALLOCATOR);
    const unsigned Passed = Site.Flags & INMEM_SITE_PASSED;
    Site.Inlined.insert(
        Site.Inlined.begin(),
        {Site.Function, Site.Where, uint16_t(Passed ? INMEM_FRAME_PASSED : 0)});
    Site.Function = kMakesBuffer.str();
    Site.Where = {};
    Site.TypeKey = "_ZTSc";
    Site.Rule = INMEM_RULE_LIBRARY;
    Site.Flags = INMEM_SITE_PASSED;
    if (isIgnored(Site))
      return;
    IRBuilder<> Builder(pointAfter(Call));
    Builder.SetCurrentDebugLocation(Call.getDebugLoc());
    Value *String = Call.getArgOperand(0);
    Type *I64 = Builder.getInt64Ty();
    Value *Block = Builder.CreateLoad(Builder.getPtrTy(), String);
    // A string without a buffer stores characters in place of the capacity.
    Value *Capacity = Builder.CreateLoad(
        I64, Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), String,
                                                2 * sizeof(uint64_t)));
    Retags.push_back(Builder.CreateCall(
        Hooks.retagSized(),
        {Block, Emitter.addSite(Site, *Call.getFunction()), Builder.getInt64(1),
         Builder.CreateAdd(Capacity, Builder.getInt64(1)),
         Builder.getInt64(1)}));
  }

  /// Most calls that may allocate do not. So the retag is guarded: the pointer
  /// must be the thread's newest block, or the last block that a function
  /// returned. The guard takes three instructions. With a full check after each
  /// call, sqlite took 4 % longer (docs/design/measurements.md).
  void guardByNewestBlock() {
    SmallPtrSet<CallBase *, 16> Done;
    std::vector<SmallVector<CallBase *, 4>> Groups;
    for (CallBase *Retag : Retags)
      if (!Done.contains(Retag)) {
        Groups.push_back(sameRetags(*Retag));
        Done.insert(Groups.back().begin(), Groups.back().end());
      }
    // Iterate in reverse: a split moves all following instructions to another
    // block.
    for (ArrayRef<CallBase *> Same : reverse(Groups))
      guardByNewestBlock(Same);
  }

  void guardByNewestBlock(ArrayRef<CallBase *> Same) {
    CallBase &Last = *Same.back();
    IRBuilder<> Builder(&Last);
    Value *Block = Last.getArgOperand(0);
    Value *IsNew = Builder.CreateICmpEQ(Block, Hooks.newestBlock(Builder));
    // A call with a known type may reach a function that also allocates other
    // types.
    if (any_of(Same,
               [&](CallBase *Retag) { return NamedBySize.contains(Retag); }))
      IsNew = Builder.CreateOr(
          IsNew, Builder.CreateICmpEQ(Block, Hooks.returnedBlock(Builder)));
    Instruction *End = SplitBlockAndInsertIfThen(
        IsNew, &Last, /*Unreachable=*/false,
        MDBuilder(M.getContext()).createBranchWeights(1, 2000));
    for (CallBase *Retag : Same)
      Retag->moveBefore(*End->getParent(), End->getIterator());
  }

  Module &M;
  PipelineState &State;
  FunctionAnalysisManager &FAM;
  bool BeforeLink;      ///< the pass runs before an LTO link
  bool FollowsCallers;  ///< callers=
  bool HasFrameRecords; ///< the return address follows the saved frame pointer
  DescriptorEmitter Emitter;
  RuntimeHooks Hooks;
  ReturnedBlocks Returned;
  FunctionLines Lines;
  SiteDescriber Sites;
  bool Rust; ///< compiled by rustc
  std::vector<CallBase *> Frees, Allocations, Owning, Retagged, MayAllocate,
      Retags, Exceptions, Generic, RustBlocks, Strings;
  /// The retags of calls that name the type in a size.
  SmallPtrSet<const CallBase *, 16> NamedBySize;
};

} // namespace

PreservedAnalyses
InstrumentAllocationsPass::run(Module &M, ModuleAnalysisManager &Analyses) {
  if (!claimStage(M, "late"))
    return PreservedAnalyses::all();
  bool LTO = isBeforeLink(M, LTOPreLink);
  auto &FAM =
      Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  bool Changed = Instrumenter(M, *State, FAM, LTO).run();
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace inmem

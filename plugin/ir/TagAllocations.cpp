//===- TagAllocations.cpp - the early pass --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PluginOptions.h"
#include "ir/AllocationFunctions.h"
#include "ir/Calls.h"
#include "ir/DescriptorEmitter.h"
#include "ir/FunctionFacts.h"
#include "ir/LibrarySignatures.h"
#include "ir/MarkerCalls.h"
#include "ir/ModuleRecords.h"
#include "ir/PassedFunctions.h"
#include "ir/Passes.h"
#include "ir/ReachesAllocation.h"
#include "ir/RuntimeHooks.h"
#include "ir/RustCalls.h"
#include "ir/SavedFacts.h"
#include "ir/TypeTable.h"
#include "ir/Wrappers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

namespace {

//===----------------------------------------------------------------------===//
// Types that can be inferred from the IR alone (no AST half). Names that clang
// would spell differently are omitted: no type is better than a second name.
//===----------------------------------------------------------------------===//

bool isPlainName(StringRef Name) {
  return !Name.empty() && !Name.contains('<') && !Name.contains('(') &&
         !Name.contains('{') && !Name.contains('[') && !Name.contains('&') &&
         !Name.contains("const");
}

std::string typeFromAllocator(const Function &F) {
  StringRef Mangled = F.getName();
  if (!Mangled.contains("8allocate"))
    return {};
  std::string Demangled = demangle(Mangled.str());
  StringRef Text = Demangled;
  if (!Text.consume_front("std::__new_allocator<") &&
      !Text.consume_front("__gnu_cxx::new_allocator<") &&
      !Text.consume_front("std::allocator<") &&
      !Text.consume_front("std::__1::allocator<"))
    return {};
  size_t End = Text.find(">::allocate(");
  if (End == StringRef::npos)
    return {};
  StringRef Name = Text.take_front(End).rtrim();
  bool Pointer = Name.consume_back("*"); // clang writes "Foo *"
  if (!isPlainName(Name) || Name.ends_with("*"))
    return {};
  return Pointer ? (Name + " *").str() : Name.str();
}

std::string nameFromDebugInfo(const DIType *Type) {
  if (auto *Basic = dyn_cast_or_null<DIBasicType>(Type))
    return Basic->getName().str();
  auto *Class = dyn_cast_or_null<DICompositeType>(Type);
  if (!Class || !isPlainName(Class->getName()))
    return {};
  std::string Name = Class->getName().str();
  for (const DIScope *Scope = Class->getScope(); Scope;
       Scope = Scope->getScope()) {
    if (isa<DIFile>(Scope) || isa<DICompileUnit>(Scope))
      return Name;
    auto *Namespace = dyn_cast<DINamespace>(Scope);
    if (Namespace && Namespace->getExportSymbols() &&
        !Namespace->getName().empty())
      continue; // inline, and not anonymous
    if ((!Namespace && !isa<DICompositeType>(Scope)) ||
        !isPlainName(Scope->getName()))
      return {};
    Name = (Scope->getName() + "::" + Name).str();
  }
  return Name;
}

std::string typeFromIR(const CallBase &Call) {
  if (MDNode *Node = Call.getMetadata("heapallocsite"))
    return nameFromDebugInfo(dyn_cast<DIType>(Node));
  const HookedFunction *Hooked = hookedCallee(Call);
  if (Hooked && Hooked->Kind == INMEM_SITE_NEW)
    return typeFromAllocator(*Call.getFunction());
  return {};
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class Tagger {
public:
  Tagger(Module &M, PipelineState &State)
      : M(M), State(State), Table(SiteTable::current()) {}

  void run() {
    if (Options::current().TypeTable)
      return tagAlone();
    for (const auto &Name : Table.Foreign)
      if (Function *F = M.getFunction(Name.first()))
        F->addFnAttr(kForeignAttribute);
    for (const auto &Name : Table.ReturningString)
      if (Function *F = M.getFunction(Name.first()))
        F->addFnAttr(kStringAttribute);
    // In unoptimised code, a block would be attributed to std::allocator;
    // inlining shows the container.
    for (Function &F : M)
      if ((F.hasOptNone() || hooksComeFirst()) &&
          isStandardAllocate(F.getName()))
        inlineAlways(F);
    for (Function &F : M)
      if (DISubprogram *Subprogram = F.getSubprogram()) {
        noteName(F, *Subprogram);
        if (F.getName().contains("$_"))
          matchCallOperator(F, *Subprogram);
      }
    findPassedFunctions(M, State);
    passRustLibrary(M, State);
    inlineRustAllocators(M);
    for (Function &F : M)
      if (!F.isDeclaration())
        tagFunction(F);
    findWrappers(Wrappers);
    SmallPtrSet<const Function *, 8> Recycling = Wrappers;
    findWrappers(Recycling, /*MayReuse=*/true);
    for (auto &[Call, Fact] : Possible) {
      const Function *Callee = directCallee(*Call);
      if (Fact->StoredBy)
        retagStored(*Call, *Fact);
      else if (Wrappers.contains(Callee) ||
               (Fact->Role == AllocRole::Declared &&
                Recycling.contains(Callee)))
        tag(*Call, *Fact, /*Retag=*/true);
      else
        retagConditionally(*Call, *Fact, !Callee || !Callee->isDeclaration());
    }
    // Repeat, including calls that only may return a new block.
    SmallPtrSet<const Function *, 8> Likely = Wrappers;
    findWrappers(Likely);
    findWrappers(Likely, /*MayReuse=*/true);
    findTypedAllocators();
    for (CallBase *Call : CallsWithRetag)
      for (StringRef Name : {kConditionalRetagAttribute, kNumbersAttribute})
        Call->removeAttributeAtIndex(AttributeList::FunctionIndex, Name);
  }

  /// As run(), but without changes to code: types=table.
  void tagAlone() {
    for (Function &F : M)
      if (DISubprogram *Subprogram = F.getSubprogram()) {
        noteName(F, *Subprogram);
        if (F.getName().contains("$_"))
          matchCallOperator(F, *Subprogram);
      }
    findPassedFunctions(M, State);
    for (Function &F : M)
      if (!F.isDeclaration())
        tagFunction(F);
    findWrappers(Wrappers);
    for (auto &[Call, Fact] : Possible)
      if (!Fact->StoredBy && Call->getType()->isPointerTy() &&
          !Call->hasFnAttr(kTypeAttribute)) {
        const bool Certain = Wrappers.contains(directCallee(*Call));
        if (!Certain)
          Call->addFnAttr(
              Attribute::get(M.getContext(), kConditionalRetagAttribute));
        tag(*Call, *Fact, /*Retag=*/Certain, /*Conditional=*/!Certain);
      }
    SmallPtrSet<const Function *, 8> Likely = Wrappers;
    findWrappers(Likely, /*MayReuse=*/true);
    findTypedAllocators();
    forgetPassedFunctions(M);
    keepTagsAsMetadata(M);
  }

  /// Restores the facts that run() attached to calls in another process.
  void recall() {
    restoreFacts(M);
    findPassedFunctions(M, State);
    passRustLibrary(M, State);
    for (Function &F : M)
      if (const DISubprogram *Subprogram = F.getSubprogram())
        noteName(F, *Subprogram);
    for (Function &F : M)
      for (Instruction &I : instructions(F))
        if (auto *Call = dyn_cast<CallBase>(&I);
            Call && Call->hasFnAttr(kSiteAttribute) && Call->getDebugLoc())
          remember(*Call, readCall(*Call), mayBeWrapper(*Call));
    SmallPtrSet<const Function *, 8> Likely;
    findWrappers(Likely);
    findWrappers(Likely, /*MayReuse=*/true);
    findTypedAllocators();
  }

private:
  void noteName(const Function &F, const DISubprogram &Subprogram) {
    const StringRef Name = withoutUniqueSuffix(F.getName());
    State.FunctionNames.try_emplace(&Subprogram, Name.str());
    if (F.isPresplitCoroutine())
      State.Coroutines.try_emplace(Name, &Subprogram);
  }

  static void matchCallOperator(const Function &F,
                                const DISubprogram &Subprogram) {
    for (const Instruction &I : instructions(F))
      if (const DebugLoc &Loc = I.getDebugLoc())
        if (!Loc.getInlinedAt() && Loc.getLine() && Loc.getCol() &&
            Loc->getScope()->getSubprogram() == &Subprogram)
          SiteTable::current().matchCallOperator(F.getName(), Loc.getLine(),
                                                 Loc.getCol());
  }

  /// True for functions between a standard container and operator new.
  static bool isStandardAllocate(StringRef Name) {
    return any_of(
               ArrayRef<StringRef>{"_ZNSt15__new_allocatorI", "_ZNSaI",
                                   "_ZNSt16allocator_traitsISaI",
                                   "_ZNSt3pmr21polymorphic_allocatorI",
                                   "_ZNSt16allocator_traitsINSt3pmr21",
                                   "_ZNSt3__13pmr21polymorphic_allocatorI",
                                   "_ZNSt3__116allocator_traitsINS_3pmr21",
                                   "_ZNSt3__19allocatorI",
                                   "_ZNSt3__116allocator_traitsINS_9allocatorI",
                                   "_ZNSt3__119__allocate_at_least",
                                   "_ZNSt3__117__libcpp_allocate",
                                   "_ZNSt3__121__libcpp_operator_new"},
               [Name](StringRef Prefix) { return Name.starts_with(Prefix); }) &&
           (Name.contains("8allocate") || Name.contains("allocate_at_least") ||
            Name.contains("__libcpp_"));
  }

  /// True if allocations are instrumented before any optimisation.
  bool hooksComeFirst() const {
    const CompilationInfo &Info = CompilationInfo::current();
    return Info.PassesApart && !Info.PassesHaveLibrary;
  }

  void tagFunction(Function &F) {
    bool IsExcluded = Excluded.contains(F);
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || isa<IntrinsicInst>(Call) || Call->isInlineAsm())
        continue;
      // The attribute stays with the call wherever it is inlined.
      if (IsExcluded) {
        Call->addFnAttr(Attribute::get(M.getContext(), kSkipAttribute));
        continue;
      }
      const Function *Callee = directCallee(*Call);
      if (!Callee)
        tagIndirect(F, *Call);
      else if (mayAllocate(*Call, *Callee))
        tagCall(F, *Call, *Callee);
    }
  }

  void tagIndirect(Function &F, CallBase &Call) {
    const DebugLoc &Loc = Call.getDebugLoc();
    if (!Loc || !Table.isCallee(kIndirect))
      return;
    const AllocFact *Fact = Table.findAlloc(
        F.getName(), kIndirect, Loc.getLine(), Loc.getCol(), Loc->getFilename(),
        /*Bytes=*/0, [&] { return Orders.of(Call); });
    if (Fact && Fact->Role == AllocRole::Possible)
      Possible.push_back({&Call, Fact});
  }

  /// Most calls have nothing to do with memory, so the result is cached for
  /// each callee. A callee that does not return a block of its own returns an
  /// existing one, as std::map's node accessors do.
  bool mayAllocate(const CallBase &Call, const Function &Callee) {
    if (isCoroutineFrame(Call))
      return true; // also by the promise's own operator new
    if (mayReturnBlock(Callee))
      return true;
    // It may also return its argument: checked(malloc(n)).
    return Table.isCallee(Callee.getName()) && Reaches.returnsGivenBlock(Call);
  }

  bool mayReturnBlock(const Function &Callee) {
    auto [It, New] = MayAllocate.try_emplace(&Callee, true);
    if (New) {
      StringRef Name = Callee.getName();
      Name.consume_front("\01");
      It->second =
          findHookedFunction(Name) || // also an operator with its own pool
          ((Table.isCallee(Name) || findOwningFunction(Name)) &&
           (Callee.getReturnType()->isPointerTy()
                ? Reaches.returnsBlock(Callee)
                : Reaches.mayAllocate(Callee)));
    }
    return It->second;
  }

  static bool isCoroutineFrame(const CallBase &Call) {
    auto *Size = Call.arg_size()
                     ? dyn_cast<IntrinsicInst>(Call.getArgOperand(0))
                     : nullptr;
    return Size && Size->getIntrinsicID() == Intrinsic::coro_size;
  }

  void tagCall(Function &F, CallBase &Call, const Function &Callee) {
    if (Call.hasFnAttr(kTypeAttribute))
      return; // tagged by an earlier run of this pass
    if (isCoroutineFrame(Call))
      return tagCoroutine(F, Call);

    StringRef Name = Callee.getName();
    Name.consume_front("\01");
    const AllocFact *Fact = nullptr;
    if (!Table.empty()) {
      const DebugLoc &Loc = Call.getDebugLoc();
      auto *Size = Call.arg_size()
                       ? dyn_cast<ConstantInt>(Call.getArgOperand(0))
                       : nullptr;
      uint64_t Bytes = Size ? Size->getZExtValue() : 0;
      Fact = Loc ? Table.findAlloc(F.getName(), Name, Loc.getLine(),
                                   Loc.getCol(), Loc->getFilename(), Bytes,
                                   [&] { return Orders.of(Call); })
                 : Table.findAlloc(F.getName(), Name, 0, 0, "", Bytes);
    }
    if (Fact) {
      // The body of an operator new that is defined here decides: if it hands
      // out parts of a pool, it does not allocate.
      bool OwnOperator = Fact->Role == AllocRole::Declared &&
                         Fact->Kind != INMEM_SITE_CUSTOM &&
                         !Callee.isDeclaration() && !Callee.isInterposable();
      if (Fact->Role == AllocRole::Possible || OwnOperator)
        Possible.push_back({&Call, Fact});
      else
        tag(Call, *Fact, Fact->Role == AllocRole::Declared);
      return;
    }
    if (!hookedCallee(Call))
      return;
    std::string TypeName = typeFromIR(Call);
    if (TypeName.empty())
      return;
    AllocFact FromIR;
    FromIR.TypeKey = TypeName;
    FromIR.Rule = INMEM_RULE_IR;
    FromIR.Kind = hookedCallee(Call)->Kind;
    if (FromIR.Kind == INMEM_SITE_NEW && !Call.getMetadata("heapallocsite"))
      FromIR.Kind = INMEM_SITE_ALLOCATOR;
    tag(Call, FromIR, /*Retag=*/false);
  }

  void tagCoroutine(Function &F, CallBase &Call) {
    const std::string *Known = Table.findCoroutine(F.getName());
    AllocFact Fact;
    Fact.Kind = INMEM_SITE_COROUTINE;
    Fact.Rule = INMEM_RULE_LANGUAGE;
    // The size is known only after the coroutine is split. The late pass then
    // completes a record whose key has this prefix.
    std::string Name = Known ? *Known : demangle(F.getName().str());
    // Without the AST half, use only names that clang would spell the same way.
    if (Known || StringRef(Name).find_first_of("<{[&*'") == StringRef::npos)
      Fact.TypeKey = "coroutine frame of " + Name;
    tag(Call, Fact, !hookedCallee(Call));
  }

  /// A number that divides the size of each block of this type.
  uint64_t unitOf(const AllocFact &Fact) const {
    const TypeInfo *Type = Table.findType(Fact.TypeKey);
    return Type && Type->Size && !Fact.AnySize ? Type->Size : 1;
  }

  void tag(CallBase &Call, const AllocFact &Fact, bool Retag,
           bool Conditional = false) {
    LLVMContext &Context = M.getContext();
    if (!Fact.TypeKey.empty())
      Call.addFnAttr(Attribute::get(Context, kTypeAttribute, Fact.TypeKey));
    Call.addFnAttr(
        Attribute::get(Context, kSiteAttribute,
                       utostr(Fact.Kind) + "," + utostr(Fact.Cookie) + "," +
                           utostr(Fact.Rule) + "," + utostr(Fact.Flags) + "," +
                           utostr(unitOf(Fact))));
    if (Retag)
      Call.addFnAttr(Attribute::get(Context, kRetagAttribute));
    if (!Call.getDebugLoc()) {
      if (Fact.Where.Line)
        Call.addFnAttr(Attribute::get(
            Context, kPlaceAttribute,
            (Call.getFunction()->getName() + "|" + Twine(Fact.Where.Line) +
             "|" + Twine(Fact.Where.Column) + "|" + Fact.Where.File)
                .str()));
      return;
    }
    if (Conditional && Fact.TypeKey.empty())
      return;
    remember(Call,
             {Fact.TypeKey, Fact.Kind, Fact.Cookie, Fact.Rule, Fact.Flags,
              unitOf(Fact), false},
             Retag || Conditional);
  }

  void remember(const CallBase &Call, PipelineState::Call Known,
                bool MayBeWrapper) {
    const DebugLoc &Loc = Call.getDebugLoc();
    const DISubprogram *Subprogram = Loc->getScope()->getSubprogram();
    auto &Map = MayBeWrapper ? State.WrapperCalls : State.Allocations;
    auto [It, New] =
        Map.try_emplace({Subprogram, Loc.getLine(), Loc.getCol()}, Known);
    if (!New && It->second.TypeKey != Known.TypeKey)
      It->second.Ambiguous = true;
  }

  static bool isConditionalRetag(const CallBase &Call) {
    const Function *Callee = directCallee(Call);
    return Callee && Callee->getName() == RuntimeHooks::kRetagSized;
  }

  static bool mayBeWrapper(const CallBase &Call) {
    return Call.hasFnAttr(kRetagAttribute) ||
           Call.hasFnAttr(kConditionalRetagAttribute) ||
           isConditionalRetag(Call);
  }

  /// True if \p Call is followed by a conditional retag.
  static bool hasConditionalRetag(const CallBase &Call) {
    return any_of(Call.users(), [](const User *U) {
      auto *Retag = dyn_cast<CallBase>(U);
      return Retag && isConditionalRetag(*Retag);
    });
  }

  /// Handles a call that allocates if it returns a new block of the right size,
  /// which the runtime checks. A call of this unit's functions, or a virtual
  /// call, may be inlined away before the late pass, so its conditional retag
  /// is placed next to it now; the late pass adds the site.
  void retagConditionally(CallBase &Call, const AllocFact &Fact,
                          bool MayBeInlined) {
    if (Call.isMustTailCall() || isa<CallBrInst>(Call) ||
        Call.hasFnAttr(kTypeAttribute))
      return;
    if (!Call.getType()->isPointerTy()) {
      if (Instruction *Block = extractFirstMember(Call))
        retagBlock(Call, *Block, Fact);
      return;
    }
    Call.addFnAttr(Attribute::get(M.getContext(), kConditionalRetagAttribute));
    noteNumbers(Call, Fact);
    if (!MayBeInlined || Fact.TypeKey.empty())
      return tag(Call, Fact, /*Retag=*/false, /*Conditional=*/true);
    for (CallInst *Retag :
         emitConditionalRetags(M, Call, Call, pointAfter(Call)))
      tag(*Retag, Fact, /*Retag=*/false, /*Conditional=*/true);
    CallsWithRetag.push_back(&Call);
  }

  /// Handles a call that may have stored a new block in a variable whose
  /// address it received. If the call failed, the variable may be
  /// uninitialised.
  void retagStored(CallBase &Call, const AllocFact &Fact) {
    if (Call.isMustTailCall() || isa<CallBrInst>(Call) ||
        Call.arg_size() != Fact.Arguments || Call.hasStructRetAttr() ||
        Call.isByValArgument(Fact.StoredBy - 1) ||
        !Call.getArgOperand(Fact.StoredBy - 1)->getType()->isPointerTy())
      return;
    retagBlock(Call, *loadStoredBlock(Call, Fact.StoredBy - 1), Fact);
  }

  void retagBlock(CallBase &Call, Instruction &Block, const AllocFact &Fact) {
    noteNumbers(Call, Fact);
    for (CallInst *Retag :
         emitConditionalRetags(M, Call, Block, Block.getNextNode()))
      tag(*Retag, Fact, /*Retag=*/false, /*Conditional=*/true);
    Call.removeAttributeAtIndex(AttributeList::FunctionIndex,
                                kNumbersAttribute);
  }

  void noteNumbers(CallBase &Call, const AllocFact &Fact) {
    if (Fact.NamedBy)
      Call.addFnAttr(
          Attribute::get(M.getContext(), kNumbersAttribute,
                         utostr(Fact.Numbers) + "," + utostr(Fact.NamedBy)));
  }

  using Functions = SmallPtrSetImpl<const Function *>;

  /// True if \p Call allocates a block without a type, directly or through one
  /// of \p Wrappers.
  static bool makesUntyped(const CallBase &Call, const Functions &Wrappers) {
    if (Call.hasFnAttr(kTypeAttribute) || Call.hasFnAttr(kSkipAttribute))
      return false;
    const HookedFunction *Hooked = hookedCallee(Call);
    if (Hooked)
      return !Hooked->Frees;
    if (Call.hasFnAttr(kRetagAttribute) ||
        Call.hasFnAttr(kConditionalRetagAttribute) || hasConditionalRetag(Call))
      return true; // an untyped call that may allocate
    const Function *Callee = directCallee(Call);
    return Callee && Wrappers.contains(Callee);
  }

  /// Adds \p Finder's functions to \p Found.
  void addWrappers(WrapperFinder Finder, Functions &Found) {
    forEachFunction([&](Function &F) {
      if (Found.contains(&F) || !Finder.forwards(F))
        return false;
      Found.insert(&F);
      if (F.getSubprogram()) {
        State.Wrappers.insert(F.getSubprogram());
        addPassedFunction(F, State);
      }
      return true;
    });
  }

  void findWrappers(Functions &Found, bool MayReuse = false) {
    addWrappers(WrapperFinder(
                    [&Found](const CallBase &Call) {
                      return makesUntyped(Call, Found);
                    },
                    MayReuse),
                Found);
  }

  /// Calls \p Try for the functions of the module until it finds no more:
  /// wrappers of wrappers.
  void forEachFunction(function_ref<bool(Function &)> Try) {
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (Function &F : M)
        Changed |= Try(F);
    }
  }

  void findTypedAllocators() {
    TypedAllocatorFinder Finder;
    forEachFunction([&](Function &F) {
      if (!Finder.handsOut(F))
        return false;
      addPassedFunction(F, State);
      return true;
    });
  }

  Module &M;
  PipelineState &State;
  const SiteTable &Table;
  SmallPtrSet<const Function *, 8> Wrappers;
  DenseMap<const Function *, bool> MayAllocate;
  ReachesAllocation Reaches{M};
  CallOrders Orders;
  ExcludedFunctions Excluded{Table};
  std::vector<std::pair<CallBase *, const AllocFact *>> Possible;
  /// Calls followed by a conditional retag.
  std::vector<CallBase *> CallsWithRetag;
};

} // namespace

PreservedAnalyses TagAllocationsPass::run(Module &M,
                                          ModuleAnalysisManager &Analyses) {
  if (hasTypeTable(M)) // at link time
    return PreservedAnalyses::all();
  bool New = claimStage(M, "early");
  if (Options::current().TypeTable) {
    if (New)
      Tagger(M, *State).run();
    return PreservedAnalyses::all(); // no instruction changes
  }
  keepMarkers(M);
  Tagger Tag(M, *State);
  if (New) {
    if (Options::current().Objects != ObjectsMode::Off)
      markCompleteStructors(M);
    Tag.run();
    hideOwnAllocators(
        M,
        Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager());
    describeTypes(M, isBeforeLink(M, false));
    describeStringCopies(M, isBeforeLink(M, false));
    describeVariables(M, isBeforeLink(M, false));
    // The link registers the module but does not know its source files.
    if (isBeforeLink(M, false))
      DescriptorEmitter(M, /*LTOPreLink=*/true).addSources();
    if (CompilationInfo::current().PseudoProbes)
      annotateMarkers(M);
  } else {
    Tag.recall();
  }
  // Attributes alone would preserve analyses, but conditional retags add code.
  return PreservedAnalyses::none();
}

} // namespace inmem

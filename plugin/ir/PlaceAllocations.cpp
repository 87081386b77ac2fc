//===- PlaceAllocations.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/PlaceAllocations.h"
#include "PlacementProfile.h"
#include "PluginOptions.h"
#include "inmem/place.h"
#include "ir/AllocationFunctions.h"
#include "ir/Passes.h"
#include "ir/Pipeline.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include <set>
#include <tuple>

using namespace llvm;

namespace inmem {
namespace {

/// The variant of an allocation function that takes a class; empty if there is
/// none.
std::string placingName(StringRef Name) {
  if (Name == "malloc" || Name == "calloc" || Name == "realloc" ||
      Name == "aligned_alloc")
    return ("__inmem_place_" + Name).str();
  if (Name.starts_with("_Znwm") || Name.starts_with("_Znam"))
    return (Name + "12__hot_cold_t").str();
  return {};
}

/// The last argument of that variant.
Constant *classArgument(LLVMContext &Context, bool IsOperator, int Class) {
  constexpr unsigned kSteady = 1, kPhase = 100;
  static_assert(kSteady <= INMEM_PLACE_HINT_STEADY &&
                kPhase > INMEM_PLACE_HINT_STEADY &&
                kPhase <= INMEM_PLACE_HINT_PHASE);
  if (IsOperator)
    return ConstantInt::get(Type::getInt8Ty(Context),
                            Class == INMEM_PLACE_STEADY ? kSteady : kPhase);
  return ConstantInt::get(Type::getInt32Ty(Context), uint64_t(Class));
}

class Frames {
public:
  explicit Frames(const FunctionNameMap &Names) : Names(Names) {}

  PlacementProfile::Frame of(const DILocation &Loc) const {
    const DISubprogram *Subprogram = Loc.getScope()->getSubprogram();
    auto It = Names.find(Subprogram);
    StringRef Name = It != Names.end() ? StringRef(It->second)
                     : Subprogram->getLinkageName().empty()
                         ? Subprogram->getName()
                         : Subprogram->getLinkageName();
    return {PlacementProfile::hashOf(Name),
            (Loc.getLine() - Subprogram->getLine()) & 0xffff, Loc.getColumn()};
  }

  SmallVector<PlacementProfile::Frame, 8> chain(const DILocation *Loc) const {
    SmallVector<PlacementProfile::Frame, 8> Chain;
    for (; Loc; Loc = Loc->getInlinedAt())
      Chain.push_back(of(*Loc));
    return Chain;
  }

private:
  const FunctionNameMap &Names;
};

/// Even in functions that are not sanitized, a sanitizer's allocator and the
/// library do not work together.
bool isSanitized(const Module &M) {
  return CompilationInfo::current().SanitizerAllocates ||
         any_of(M, [](const Function &F) {
           return F.hasFnAttribute(Attribute::SanitizeAddress) ||
                  F.hasFnAttribute(Attribute::SanitizeThread) ||
                  F.hasFnAttribute(Attribute::SanitizeMemory) ||
                  F.hasFnAttribute(Attribute::SanitizeHWAddress);
         });
}

void place(CallBase &Call, const HookedFunction &Callee, int Class) {
  Module &M = *Call.getModule();
  const bool IsOperator = Callee.Name.starts_with("_Z");
  Constant *Argument = classArgument(M.getContext(), IsOperator, Class);
  SmallVector<Type *, 4> Types(Call.getFunctionType()->params());
  Types.push_back(Argument->getType());
  FunctionCallee Placing = M.getOrInsertFunction(
      placingName(Callee.Name),
      FunctionType::get(Call.getType(), Types, /*isVarArg=*/false));
  if (auto *F = dyn_cast<Function>(Placing.getCallee()))
    if (F->use_empty()) // just declared
      F->setAttributes(directCallee(Call)->getAttributes());
  SmallVector<Value *, 4> Arguments(Call.args());
  Arguments.push_back(Argument);
  IRBuilder<> Builder(&Call);
  CallBase *Fresh = nullptr;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    Fresh = Builder.CreateInvoke(Placing, Invoke->getNormalDest(),
                                 Invoke->getUnwindDest(), Arguments);
  else
    Fresh = Builder.CreateCall(Placing, Arguments);
  Fresh->setCallingConv(Call.getCallingConv());
  Fresh->setAttributes(Call.getAttributes());
  Fresh->setDebugLoc(Call.getDebugLoc());
  Fresh->takeName(&Call);
  Call.replaceAllUsesWith(Fresh);
  Call.eraseFromParent();
}

/// Sets the class before a call, for its first allocation, and clears it
/// afterwards. If the call throws, the thread's next allocation may use it.
void announce(CallBase &Call, int Class) {
  Module &M = *Call.getModule();
  Type *I32 = Type::getInt32Ty(M.getContext());
  FunctionCallee Expect = M.getOrInsertFunction(
      "__inmem_place_expect",
      FunctionType::get(Type::getVoidTy(M.getContext()), {I32}, false));
  if (auto *F = dyn_cast<Function>(Expect.getCallee()))
    F->setDoesNotThrow();
  const auto Say = [&](Instruction *Before, int What) {
    IRBuilder<> Builder(Before);
    Builder.SetCurrentDebugLocation(Call.getDebugLoc());
    Builder.CreateCall(Expect, ConstantInt::get(I32, uint64_t(What)));
  };
  Say(&Call, Class);
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    BasicBlock *Next = Invoke->getNormalDest();
    if (Next->getSinglePredecessor())
      Say(&*Next->getFirstInsertionPt(), INMEM_PLACE_SHORT);
  } else {
    cast<CallInst>(Call).setTailCall(false);
    Say(Call.getNextNode(), INMEM_PLACE_SHORT);
  }
}

/// The directly called function; null if it cannot allocate or belongs to
/// inmem.
const Function *allocatingCallee(const CallBase &Call) {
  const Function *Callee = directCallee(Call);
  return Callee && !Callee->isIntrinsic() && !Callee->doesNotAccessMemory() &&
                 !Callee->getName().starts_with("__cxa_") &&
                 !Callee->getName().starts_with("__inmem_")
             ? Callee
             : nullptr;
}

} // namespace

PreservedAnalyses MatchProfilePass::run(Module &M, ModuleAnalysisManager &) {
  PlacementProfile *Profile = Options::current().Profile.get();
  if (!Profile || !claimStage(M, "match"))
    return PreservedAnalyses::all();
  for (Function &F : M)
    if (DISubprogram *Subprogram = F.getSubprogram())
      Names->try_emplace(Subprogram, F.getName().str());
  const Frames Where(*Names);
  size_t Known = 0, Lost = 0;
  for (Function &F : M) {
    if (F.isDeclaration() || !F.getSubprogram())
      continue;
    const uint64_t Hash = PlacementProfile::hashOf(F.getName());
    using Line = std::pair<unsigned, unsigned>;
    std::set<Line> Sites;
    for (const PlacementProfile::Context &One : Profile->of(Hash))
      for (const PlacementProfile::Frame &Frame : One.Frames)
        if (Frame.Function == Hash)
          Sites.emplace(Frame.LineOffset, Frame.Column);
    if (Sites.empty())
      continue;
    Known += Sites.size();
    for (const Instruction &I : instructions(F))
      if (const DILocation *Loc = I.getDebugLoc();
          Loc && isa<CallBase>(I) && !Loc->getInlinedAt()) {
        const PlacementProfile::Frame Frame = Where.of(*Loc);
        Sites.erase({Frame.LineOffset, Frame.Column});
      }
    Lost += Sites.size();
  }
  if (Lost * 10 >= Known && Lost > 0)
    M.getContext().diagnose(DiagnosticInfoPGOProfile(
        nullptr,
        "inmem: " + Twine(Lost) + " of " + Twine(Known) +
            " places that the profile '" + Options::current().ProfileFile +
            "' has in functions of this unit are not there any more; record "
            "it again",
        DS_Warning));
  return PreservedAnalyses::all();
}

PreservedAnalyses PlaceAllocationsPass::run(Module &M,
                                            ModuleAnalysisManager &) {
  PlacementProfile *Profile = Options::current().Profile.get();
  if (!Profile || !claimStage(M, "place") || isSanitized(M))
    return PreservedAnalyses::all();
  const Frames Where(*Names);
  struct Placed {
    CallBase *Call;
    const HookedFunction *Callee; ///< null: the callee allocates inside
    int Class;
  };
  std::vector<Placed> All, Elsewhere;
  // A constructor call has the same location as its operator new.
  using Line = std::tuple<const DISubprogram *, unsigned, unsigned>;
  const auto LineOf = [](const DILocation &Loc) {
    return Line(Loc.getScope()->getSubprogram(), Loc.getLine(),
                Loc.getColumn());
  };
  std::set<Line> Allocating;
  for (Function &F : M) {
    if (F.hasAvailableExternallyLinkage())
      continue;
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const DILocation *Loc = I.getDebugLoc();
      if (!Call || !Loc || Call->isMustTailCall() || isa<CallBrInst>(Call))
        continue;
      const HookedFunction *Callee = hookedCallee(*Call);
      if (Callee)
        Allocating.insert(LineOf(*Loc));
      const Function *Called = Callee ? nullptr : allocatingCallee(*Call);
      if (Callee ? Callee->Frees || placingName(Callee->Name).empty() : !Called)
        continue;
      const auto Chain = Where.chain(Loc);
      int Class = Profile->classOf(Chain);
      if (Class != INMEM_PLACE_SHORT) {
        (Callee ? All : Elsewhere).push_back({Call, Callee, Class});
      } else if (Called) {
        Class = Profile->classOfCall(
            PlacementProfile::hashOf(Called->getName()), Chain);
        if (Class != INMEM_PLACE_SHORT)
          All.push_back({Call, nullptr, Class});
      }
    }
  }
  for (const Placed &One : Elsewhere)
    if (!Allocating.count(LineOf(*One.Call->getDebugLoc())))
      All.push_back(One);
  for (const Placed &One : All) {
    OptimizationRemarkEmitter(One.Call->getFunction()).emit([&] {
      return OptimizationRemark("inmem", "Placed", One.Call)
             << "places its blocks with blocks of the "
             << (One.Class == INMEM_PLACE_STEADY ? "steady" : "phase")
             << " class";
    });
    if (One.Callee)
      place(*One.Call, *One.Callee, One.Class);
    else
      announce(*One.Call, One.Class);
  }
  return All.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

void registerPlacement(PassBuilder &Builder) {
  auto Names = std::make_shared<FunctionNameMap>();
  Builder.registerPipelineStartEPCallback(
      [Names](ModulePassManager &Passes, OptimizationLevel, auto...) {
        Passes.addPass(MatchProfilePass(Names));
      });
  Builder.registerOptimizerLastEPCallback(
      [Names](ModulePassManager &Passes, OptimizationLevel, auto...) {
        Passes.addPass(PlaceAllocationsPass(Names));
        Passes.addPass(DropLocationsPass(DropLocationsPass::All));
      });
}

} // namespace inmem

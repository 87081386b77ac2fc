//===- RustAllocations.cpp - the callers that blocks of Rust belong to ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/AllocationFunctions.h"
#include "ir/FunctionFacts.h"
#include "ir/RustCalls.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace inmem {

bool isRust(const Module &M) {
  return any_of(M.debug_compile_units(), [](const DICompileUnit *Unit) {
    return Unit->getProducer().contains("rustc version");
  });
}

/// The path of the library's own sources in debug information: as in rustc's
/// packages, or where rustup installs the sources. Empty for other sources.
static std::string libraryPath(const DISubprogram &Subprogram) {
  StringRef Name = Subprogram.getFilename();
  if (Name.contains("/lib/rustlib/src/rust/"))
    return Name.str();
  std::string Path = sys::path::is_absolute(Name)
                         ? Name.str()
                         : (Subprogram.getDirectory() + "/" + Name).str();
  for (StringRef Folder : {"/rustc/", "/rust/deps/"})
    if (StringRef(Path).starts_with(Folder))
      return Path;
  return {};
}

void passRustLibrary(const Module &M, PipelineState &State) {
  if (!isRust(M))
    return;
  const auto Add = [&State](const DISubprogram *Subprogram) {
    if (Subprogram && !libraryPath(*Subprogram).empty())
      State.Passed.insert(Subprogram);
  };
  for (const Function &F : M) {
    Add(F.getSubprogram());
    for (const Instruction &I : instructions(F))
      for (const DILocation *Loc = I.getDebugLoc().get(); Loc;
           Loc = Loc->getInlinedAt())
        Add(Loc->getScope()->getSubprogram());
  }
}

static bool mayBeInlined(const Function &F) {
  constexpr unsigned kMostInstructions = 400; // as rustc emits them
  const DISubprogram *Subprogram = F.getSubprogram();
  return !F.isDeclaration() && !F.isInterposable() && Subprogram &&
         !libraryPath(*Subprogram).empty() &&
         F.getInstructionCount() <= kMostInstructions;
}

namespace {

/// Inlines library functions that lead to an allocation, up to a size that
/// keeps the module small. The size of a function includes its inlined callees,
/// since code that calls several others grows with each level.
class LibraryInliner {
public:
  explicit LibraryInliner(Module &M) : M(M) { findReaching(); }

  void run() {
    const unsigned MostGrowth = std::max(M.getInstructionCount(), kSmall);
    // Without a limit, some crates never finished compiling, because each level
    // of types that own each other multiplied the code. The first limit with
    // which the module at most doubles is used, otherwise the smallest.
    for (const unsigned Limit : {4000u, 2000u, 1000u, 500u, 250u, 120u}) {
      Sizes.clear();
      Most = Limit;
      if (growth() <= MostGrowth)
        break;
    }
    for (Function *F : Reaching)
      if (sizeOf(*F) <= Most)
        inlineAlways(*F);
  }

private:
  void findReaching() {
    SmallVector<Function *, 16> Waiting;
    for (Function &F : M)
      if (mayBeInlined(F) && any_of(instructions(F), allocates))
        Waiting.push_back(&F);
    while (!Waiting.empty()) {
      Function *F = Waiting.pop_back_val();
      if (!Reaching.insert(F))
        continue;
      for (const User *U : F->users())
        if (auto *Call = dyn_cast<CallBase>(U);
            Call && Call->getCalledOperand() == F) {
          auto *Caller = const_cast<Function *>(Call->getFunction());
          if (mayBeInlined(*Caller))
            Waiting.push_back(Caller);
        }
    }
  }

  /// True if \p I allocates, or calls a function that does and is not inlined.
  static bool allocates(const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || makesRustBlock(*Call))
      return Call;
    return allocatesForGeneric(*Call) && !mayBeInlined(*directCallee(*Call)) &&
           !directCallee(*Call)->getName().contains("deallocate");
  }

  /// The number of instructions in \p F, a function in Reaching, and in its
  /// inlined callees. Meeting a function again while its size is being computed
  /// means recursion.
  unsigned sizeOf(const Function &F) {
    if (auto [At, New] = Sizes.try_emplace(&F, kRecursive); !New)
      return At->second;
    return Sizes[&F] = F.getInstructionCount() + inlinedInto(F);
  }

  /// The number of instructions that inlining adds to \p F.
  unsigned inlinedInto(const Function &F) {
    unsigned Sum = 0;
    for (const Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (Function *Callee = directCallee(*Call);
            Callee && Reaching.contains(Callee))
          if (const unsigned Size = sizeOf(*Callee); Size <= Most)
            Sum = SaturatingAdd(Sum, Size);
    return Sum;
  }

  /// The number of instructions that inlining adds to all remaining functions.
  unsigned growth() {
    unsigned Sum = 0;
    for (Function &F : M)
      if (!Reaching.contains(&F) || sizeOf(F) > Most)
        Sum = SaturatingAdd(Sum, inlinedInto(F));
    return Sum;
  }

  static constexpr unsigned kRecursive = ~0u;
  static constexpr unsigned kSmall = 10000; ///< growth that is always accepted
  Module &M;
  SmallSetVector<Function *, 16> Reaching;
  unsigned Most = 0; ///< maximum instructions of an inlined function
  DenseMap<const Function *, unsigned> Sizes;
};

} // namespace

void inlineRustAllocators(Module &M) {
  if (isRust(M))
    LibraryInliner(M).run();
}

bool isRustAllocator(const Function &F) {
  const StringRef Name = F.getName();
  for (StringRef End : {"__rust_alloc", "__rust_alloc_zeroed", "__rust_realloc",
                        "__rdl_alloc", "__rdl_alloc_zeroed", "__rdl_realloc"})
    if (Name.ends_with(End))
      return true;
  const DISubprogram *Subprogram = F.getSubprogram();
  return Subprogram &&
         StringRef(libraryPath(*Subprogram)).contains("/std/src/sys/alloc/");
}

/// The type's name as in Rust, without the global allocator.
static std::string nameOf(const DIType *Type) {
  if (!Type || Type->getName().empty())
    return {};
  std::string Name = Type->getName().str();
  for (const DIScope *Scope = Type->getScope();
       isa_and_nonnull<DINamespace>(Scope); Scope = Scope->getScope())
    Name = (Scope->getName() + "::" + Name).str();
  constexpr StringLiteral kAllocator = ", alloc::alloc::Global>";
  for (size_t At; (At = Name.find(kAllocator)) != std::string::npos;)
    Name.replace(At, kAllocator.size(), ">");
  return Name;
}

static const DIType *elementOf(const DISubprogram &Subprogram) {
  for (const DITemplateParameter *Parameter : Subprogram.getTemplateParams())
    if (Parameter->getName() == "T" && isa<DITemplateTypeParameter>(Parameter))
      return Parameter->getType();
  return nullptr;
}

std::string rustTypeOf(const CallBase &Call) {
  for (const DILocation *Loc = Call.getDebugLoc().get(); Loc;
       Loc = Loc->getInlinedAt()) {
    const DISubprogram *Subprogram = Loc->getScope()->getSubprogram();
    const std::string Path = Subprogram ? libraryPath(*Subprogram) : "";
    if (Path.empty())
      return {}; // parameters of the program's functions say nothing
    if (StringRef(Path).contains("/core/src/"))
      continue; // nor do parameters of iterators and Option
    if (const DIType *Element = elementOf(*Subprogram))
      return nameOf(Element);
  }
  return {};
}

bool allocatesForGeneric(const CallBase &Call) {
  const Function *Callee = directCallee(Call);
  if (!Callee || Call.isMustTailCall() || isa<CallBrInst>(Call))
    return false;
  // Names in both mangling schemes.
  return any_of(
      ArrayRef<StringRef>{"RawVecInner", "RawTableInner", "15exchange_malloc",
                          "14box_new_uninit", "5alloc5alloc5alloc",
                          "5alloc5alloc12alloc_zeroed", "5alloc5alloc6Global",
                          "5alloc6Global", "alloc..alloc..Global"},
      [Name = Callee->getName()](StringRef Part) {
        return Name.contains(Part);
      });
}

} // namespace inmem

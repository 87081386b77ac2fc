//===- RustAllocations.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/RustAllocations.h"
#include "ir/AllocationFunctions.h"
#include "ir/RustAllocator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace inmem {

bool isRust(const Module &M) {
  return any_of(M.debug_compile_units(), [](const DICompileUnit *Unit) {
    return Unit->getProducer().contains("rustc version");
  });
}

/// The path of the library's own sources, in debug information: as rustc's
/// packages have it, or where rustup installs the sources. Empty for others'.
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
  constexpr unsigned kMostInstructions = 400; // as rustc writes them
  const DISubprogram *Subprogram = F.getSubprogram();
  return !F.isDeclaration() && !F.isInterposable() && Subprogram &&
         !libraryPath(*Subprogram).empty() &&
         F.getInstructionCount() <= kMostInstructions;
}

void inlineRustAllocators(Module &M) {
  if (!isRust(M))
    return;
  SmallVector<Function *, 16> Waiting;
  SmallPtrSet<const Function *, 16> Seen;
  for (Function &F : M)
    if (mayBeInlined(F) && any_of(instructions(F), [](const Instruction &I) {
          auto *Call = dyn_cast<CallBase>(&I);
          return Call && (makesRustBlock(*Call) || allocatesForGeneric(*Call));
        }))
      Waiting.push_back(&F);
  while (!Waiting.empty()) {
    Function *F = Waiting.pop_back_val();
    if (!Seen.insert(F).second)
      continue;
    F->removeFnAttr(Attribute::NoInline);
    F->removeFnAttr(Attribute::OptimizeNone);
    F->addFnAttr(Attribute::AlwaysInline);
    for (const User *U : F->users())
      if (auto *Call = dyn_cast<CallBase>(U);
          Call && Call->getCalledOperand() == F) {
        auto *Caller = const_cast<Function *>(Call->getFunction());
        if (mayBeInlined(*Caller))
          Waiting.push_back(Caller);
      }
  }
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

/// As Rust writes it, with the global allocator left out.
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
      return {}; // a parameter of the program's function says nothing
    if (StringRef(Path).contains("/core/src/"))
      continue; // nor does one of an iterator or an Option
    if (const DIType *Element = elementOf(*Subprogram))
      return nameOf(Element);
  }
  return {};
}

bool allocatesForGeneric(const CallBase &Call) {
  const Function *Callee = directCallee(Call);
  if (!Callee || Call.isMustTailCall() || isa<CallBrInst>(Call))
    return false;
  // Names of either mangling.
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

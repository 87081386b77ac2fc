//===- Compat.h - the differences between LLVM 16 and 23 --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every #if on an LLVM version in this folder is here. Code elsewhere is
// written for the newest version and uses these names where an older one
// differs.
#ifndef INMEM_PLUGIN_COMPAT_H
#define INMEM_PLUGIN_COMPAT_H

#include "llvm/Config/llvm-config.h"

/// LLVM can read indexed memory profiles.
#if LLVM_VERSION_MAJOR >= 22
#define INMEM_COMPAT_INDEXED_MEMPROF
#endif

/// AsmPrinter handlers are registered with a timer name.
#if LLVM_VERSION_MAJOR < 19
#define INMEM_COMPAT_TIMED_HANDLERS
#endif

/// AsmPrinter handlers receive instructions. In 19, only handlers for debug
/// information do.
#if LLVM_VERSION_MAJOR != 19
#define INMEM_COMPAT_CODE_HANDLERS
#endif

// The AST half defines INMEM_COMPAT_CLANG and gets Clang's part. All other code
// gets only the part for passes, because the pass-only library must not depend
// on Clang.
#ifndef INMEM_COMPAT_CLANG
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

namespace inmem::compat {

/// The address of the thread-local \p Variable in the running thread.
inline llvm::Value *threadLocalAddress(llvm::IRBuilder<> &Builder,
                                       llvm::GlobalVariable *Variable) {
  return Builder.CreateThreadLocalAddress(Variable);
}

/// The target that \p M is compiled for. Older modules keep it as a string.
inline llvm::Triple target(const llvm::Module &M) {
  return llvm::Triple(M.getTargetTriple());
}

/// TargetRegistry::lookupTarget(), which takes a string before 22.
template <class Registry>
auto lookupTarget(const llvm::Triple &For, std::string &Problem) {
#if LLVM_VERSION_MAJOR >= 22
  return Registry::lookupTarget(For, Problem);
#else
  return Registry::lookupTarget(For.str(), Problem);
#endif
}

/// True if \p I is a branch, conditional or not, but not a switch.
inline bool isBranch(const llvm::Instruction &I) {
#if LLVM_VERSION_MAJOR >= 23
  return llvm::isa<llvm::UncondBrInst, llvm::CondBrInst>(I);
#else
  return llvm::isa<llvm::BranchInst>(I);
#endif
}

/// The condition that \p I branches on; null if it is not a conditional branch.
inline const llvm::Value *branchCondition(const llvm::Instruction &I) {
#if LLVM_VERSION_MAJOR >= 23
  const auto *Branch = llvm::dyn_cast<llvm::CondBrInst>(&I);
  return Branch ? Branch->getCondition() : nullptr;
#else
  const auto *Branch = llvm::dyn_cast<llvm::BranchInst>(&I);
  return Branch && Branch->isConditional() ? Branch->getCondition() : nullptr;
#endif
}

/// True if the pass manager runs in the compile step of an LTO build. Versions
/// without a phase argument use module flags instead.
template <typename... Phase> bool isLTOPreLink([[maybe_unused]] Phase... P) {
#if LLVM_VERSION_MAJOR >= 20
  return ((P == llvm::ThinOrFullLTOPhase::ThinLTOPreLink ||
           P == llvm::ThinOrFullLTOPhase::FullLTOPreLink) ||
          ...);
#else
  return false;
#endif
}

} // namespace inmem::compat

#else // INMEM_COMPAT_CLANG
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/FileSystem.h"
#include <dlfcn.h>

namespace llvm {
class PassBuilder;
}
// NOLINTBEGIN(readability-identifier-naming): ir/Plugin.cpp
extern "C" __attribute__((visibility("default")))
const char *inmem_plugin_loader;
// NOLINTEND(readability-identifier-naming)

namespace inmem::compat {

/// The source location that clang's debug information uses for \p Loc. Since 22
/// it keeps the spelling of macro arguments; older versions use the macro.
inline clang::SourceLocation debugLocation(const clang::SourceManager &SM,
                                           clang::SourceLocation Loc) {
#if LLVM_VERSION_MAJOR >= 22
  return SM.getFileLoc(Loc);
#else
  return SM.getExpansionLoc(Loc);
#endif
}

inline void mangleTypeName(clang::MangleContext &Mangler, clang::QualType T,
                           llvm::raw_ostream &OS) {
#if LLVM_VERSION_MAJOR >= 18
  Mangler.mangleCanonicalTypeName(T, OS);
#else
  Mangler.mangleTypeName(T, OS);
#endif
}

inline unsigned bitWidth(const clang::FieldDecl &Field,
                         [[maybe_unused]] const clang::ASTContext &Context) {
#if LLVM_VERSION_MAJOR >= 20
  return Field.getBitWidthValue();
#else
  return Field.getBitWidthValue(Context);
#endif
}

/// Emits source locations in the IR, but no debug sections, if the user
/// requested no debug information. In 16 and 17, requesting remarks of a
/// nonexistent pass has this effect. \returns whether they were enabled only
/// for us.
inline bool enableLocations(clang::CodeGenOptions &Options) {
#if LLVM_VERSION_MAJOR >= 18
  namespace levels = llvm::codegenoptions;
  if (Options.getDebugInfo() != levels::NoDebugInfo)
    return false;
  Options.setDebugInfo(levels::LocTrackingOnly);
  return true;
#else
#if LLVM_VERSION_MAJOR >= 17
  namespace levels = llvm::codegenoptions;
#else
  namespace levels = clang::codegenoptions;
#endif
  return Options.getDebugInfo() == levels::LocTrackingOnly &&
         Options.OptimizationRemark.Pattern == "inmem-keeps-locations" &&
         !Options.OptimizationRemarkMissed.hasValidPattern() &&
         !Options.OptimizationRemarkAnalysis.hasValidPattern() &&
         Options.OptRecordFile.empty() && Options.SampleProfileFile.empty();
#endif
}

/// True if the user's -fpass-plugin= names the library that contains \p
/// Register.
inline bool isPassPlugin(const clang::CodeGenOptions &Options,
                         void (*Register)(llvm::PassBuilder &)) {
  Dl_info Info = {};
  dladdr(reinterpret_cast<void *>(Register), &Info);
  for (const std::string &Plugin : Options.PassPlugins)
    for (const char *Own : {Info.dli_fname, inmem_plugin_loader})
      if (Own && llvm::sys::fs::equivalent(Plugin, Own))
        return true;
  return false;
}

/// Makes clang run \p Register on its pass builder, unless the user's
/// -fpass-plugin= already does so. 16 and 17 have no callbacks; they load the
/// library again as a pass plugin.
inline void addPassBuilderCallback(clang::CodeGenOptions &Options,
                                   void (*Register)(llvm::PassBuilder &)) {
  if (isPassPlugin(Options, Register))
    return;
#if LLVM_VERSION_MAJOR >= 18
  Options.PassBuilderCallbacks.push_back(Register);
#else
  Dl_info Info = {};
  dladdr(reinterpret_cast<void *>(Register), &Info);
  if (Info.dli_fname)
    Options.PassPlugins.push_back(Info.dli_fname);
#endif
}

/// True if a profile, or coverage, numbers the parts of functions: by the AST,
/// or by clang's control flow graph.
inline bool isProfiled(const clang::CodeGenOptions &Options) {
  return Options.hasProfileClangInstr() || Options.hasProfileClangUse() ||
         Options.hasProfileIRInstr() || Options.hasProfileIRUse() ||
         Options.CoverageMapping || Options.PseudoProbeForProfiling;
}

/// True if clang writes a module file while it generates code.
template <typename FrontendOptions>
bool generatesReducedModule([[maybe_unused]] const FrontendOptions &Options) {
#if LLVM_VERSION_MAJOR >= 19
  return Options.GenReducedBMI && !Options.ModuleOutputPath.empty();
#else
  return false;
#endif
}

/// True if another unit of a named module emits the non-inline definitions.
inline bool isInAnotherModuleUnit([[maybe_unused]] const clang::Decl &D) {
#if LLVM_VERSION_MAJOR >= 18
  return D.isInAnotherModuleUnit();
#else
  return false;
#endif
}

inline bool isCompleteObject(const clang::CXXConstructExpr &E) {
#if LLVM_VERSION_MAJOR >= 18
  return E.getConstructionKind() == clang::CXXConstructionKind::Complete;
#else
  return E.getConstructionKind() == clang::CXXConstructExpr::CK_Complete;
#endif
}

inline clang::Expr *thisExpr(clang::ASTContext &Context,
                             clang::SourceLocation Loc, clang::QualType Type) {
#if LLVM_VERSION_MAJOR >= 18
  return clang::CXXThisExpr::Create(Context, Loc, Type, /*IsImplicit=*/true);
#else
  return new (Context) clang::CXXThisExpr(Loc, Type, /*IsImplicit=*/true);
#endif
}

#if LLVM_VERSION_MAJOR >= 18
inline constexpr clang::TagTypeKind kStruct = clang::TagTypeKind::Struct;
#else
inline constexpr clang::TagTypeKind kStruct = clang::TTK_Struct;
#endif

inline clang::QualType recordType(const clang::ASTContext &Context,
                                  const clang::RecordDecl &Record) {
#if LLVM_VERSION_MAJOR >= 22
  return Context.getCanonicalTagType(&Record);
#else
  return Context.getRecordType(&Record);
#endif
}

/// The initialiser list as written by the user.
inline clang::InitListExpr *initList(const clang::ASTContext &Context,
                                     clang::SourceLocation Loc,
                                     llvm::ArrayRef<clang::Expr *> Inits) {
#if LLVM_VERSION_MAJOR >= 23
  return new (Context)
      clang::InitListExpr(Context, Loc, Inits, Loc, /*isExplicit=*/true);
#else
  return new (Context) clang::InitListExpr(Context, Loc, Inits, Loc);
#endif
}

} // namespace inmem::compat
#endif // INMEM_COMPAT_CLANG

#endif // INMEM_PLUGIN_COMPAT_H

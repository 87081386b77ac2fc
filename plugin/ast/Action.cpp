//===- Action.cpp - the plugin as clang sees it ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs before clang's own action: turns on source locations, registers the
// passes, and fills the site table when the translation unit is parsed.
#define INMEM_COMPAT_CLANG
#include "Compat.h"
#include "PluginOptions.h"
#include "SiteTable.h"
#include "ast/ConstructionMarker.h"
#include "ast/EmittedDecls.h"
#include "ast/Filter.h"
#include "ast/LibraryCode.h"
#include "ast/SiteCollector.h"
#include "ir/Pipeline.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include <optional>

using namespace clang;

namespace inmem {
namespace {

/// True if the action generates code. -fsyntax-only, -E and headers do not; a
/// module that clang builds implicitly (-fmodules) must not disturb the unit
/// that imports it.
bool emitsCode(const CompilerInstance &CI) {
  if (CI.getFrontendOpts().BuildingImplicitModule)
    return false;
  switch (CI.getFrontendOpts().ProgramAction) {
  case frontend::EmitAssembly:
  case frontend::EmitBC:
  case frontend::EmitLLVM:
  case frontend::EmitLLVMOnly:
  case frontend::EmitCodeGenOnly:
  case frontend::EmitObj:
    return true;
  default:
    return false;
  }
}

/// True if the action writes a module that another process compiles further.
bool writesModule(const CompilerInstance &CI) {
  frontend::ActionKind Action = CI.getFrontendOpts().ProgramAction;
  return Action == frontend::EmitBC || Action == frontend::EmitLLVM;
}

class CollectingConsumer : public ASTConsumer {
public:
  explicit CollectingConsumer(CompilerInstance &CI) : CI(CI) {}

  void Initialize(ASTContext &Context) override {
    // Only the passes remove the markers, so they must run.
    bool Markers = Options::current().Objects != ObjectsMode::Off &&
                   Context.getLangOpts().CPlusPlus &&
                   (CompilationInfo::current().PassesApart ||
                    !CI.getCodeGenOpts().DisableLLVMPasses);
    CompilationInfo::current().Language = Context.getLangOpts().CPlusPlus
                                              ? CompilationInfo::CPlusPlus
                                              : CompilationInfo::C;
    for (const auto &[From, To] :
         llvm::reverse(CI.getCodeGenOpts().DebugPrefixMap))
      Unit.Prefixes.Prefixes.emplace_back(From, To);
    Selected.emplace(Context, Options::current(), Unit.Prefixes);
    if (writesModuleFile(CI))
      Markers &= callAfterModuleFile(CI, [this] { Marker->edits().reapply(); });
    Marker.emplace(Context, Options::current(), *Selected, SiteTable::current(),
                   Markers, compat::isProfiled(CI.getCodeGenOpts()),
                   CompilationInfo::current().AddedLocations &&
                       !Options::current().Accesses &&
                       CI.getCodeGenOpts().OptimizationLevel == 0);
    if (writesModuleFile(CI))
      Marker->edits().keep();
  }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    if (CI.getDiagnostics().hasErrorOccurred())
      return true;
    for (Decl *D : Group) {
      if (isLeftToModule(*D))
        continue;
      if (D->isFromASTFile())
        Unit.Emitted.push_back(D);
      Marker->markEarly(*D);
    }
    for (FunctionDecl *F : std::exchange(InClass, {}))
      if (!F->isTemplated() && (CI.getLangOpts().EmitAllDecls ||
                                CI.getASTContext().DeclMustBeEmitted(F)))
        Marker->markFunction(*F);
    return true;
  }

  // Code generation decides about these after the next top-level declaration:
  // their linkage may still change.
  void HandleInlineFunctionDefinition(FunctionDecl *F) override {
    InClass.push_back(F);
  }

  // Also called for classes and templates from AST files.
  void HandleVTable(CXXRecordDecl *Class) override {
    Unit.Emitted.append(Class->method_begin(), Class->method_end());
  }
  void HandleCXXStaticMemberVarInstantiation(VarDecl *Variable) override {
    Unit.Emitted.push_back(Variable);
    Marker->markVariable(*Variable);
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    if (CI.hasDiagnostics() && CI.getDiagnostics().hasErrorOccurred())
      return;
    const auto &Inputs = CI.getFrontendOpts().Inputs;
    Unit.FromFile = !Inputs.empty() &&
                    Inputs[0].getKind().getFormat() == InputKind::Precompiled;
    Unit.Columns = CI.getCodeGenOpts().DebugColumnInfo;
    Unit.UniqueNames = CI.getCodeGenOpts().UniqueInternalLinkageNames;
    Unit.Directory = compilationDirectory();
    collectSites(Context, Options::current(), Unit, SiteTable::current(),
                 *Marker, *Selected);
    // The module file, written next, must hold the program as written.
    Marker->edits().revert();
  }

private:
  /// Returns a path without a trailing slash.
  std::string compilationDirectory() const {
    std::string Path = CI.getCodeGenOpts().DebugCompilationDir;
    if (Path.empty())
      if (auto Current = CI.getVirtualFileSystem().getCurrentWorkingDirectory())
        Path = *Current;
    Path = Unit.inDebugInfo(Path);
    while (Path.size() > 1 && Path.back() == '/')
      Path.pop_back();
    return Path;
  }

  CompilerInstance &CI;
  std::optional<Filter> Selected;
  std::optional<ConstructionMarker> Marker;
  UnitInfo Unit;
  std::vector<FunctionDecl *> InClass; ///< since the last top-level declaration
};

/// \returns false.
bool refuse(const CompilerInstance &CI, const std::string &Problem) {
  DiagnosticsEngine &Diagnostics = CI.getDiagnostics();
  Diagnostics.Report(
      Diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0"))
      << Problem;
  return false;
}

/// Adds these files to the dependencies (-MD).
void addDependencies(CompilerInstance &CI) {
  PPCallbacks *Callbacks = CI.getPreprocessor().getPPCallbacks();
  std::vector<std::string> Files = Options::current().IgnorelistFiles;
  if (Options::current().Profile)
    Files.push_back(Options::current().ProfileFile);
  for (const std::string &File : Files)
    if (Callbacks)
      Callbacks->HasInclude(SourceLocation(), File, /*IsAngled=*/false,
                            CI.getFileManager().getOptionalFileRef(File),
                            SrcMgr::C_User);
}

/// \p Unit is the compiled file; for preprocessed input, the file that it was
/// preprocessed from.
void lookForLibraries(const CompilerInstance &CI, StringRef Unit) {
  const auto Directory = CI.getVirtualFileSystem().getCurrentWorkingDirectory();
  beginLibraryFiles(Unit, Directory ? *Directory : "");
}

class InmemAction : public PluginASTAction {
protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef Unit) override {
    addDependencies(CI);
    if (!emitsCode(CI))
      return std::make_unique<ASTConsumer>();
    SiteTable::current().clear();
    lookForLibraries(CI, Unit);
    CompilationInfo &Info = CompilationInfo::current() = {};
    Info.PassesApart =
        CI.getCodeGenOpts().DisableLLVMPasses && writesModule(CI);
    // Without a C library, functions are not known by name, and the runtime,
    // which needs one, is missing.
    Info.Freestanding = CI.getLangOpts().Freestanding;
    if (Info.Freestanding) {
      if (Info.PassesApart)
        compat::addPassBuilderCallback(CI.getCodeGenOpts(), registerPasses);
      return std::make_unique<ASTConsumer>();
    }
    CodeGenOptions &CodeGen = CI.getCodeGenOpts();
    Info.AddedLocations = compat::enableLocations(CodeGen);
    Info.LTOPreLink = CodeGen.PrepareForLTO || CodeGen.PrepareForThinLTO;
    Info.SanitizerAllocates = CI.getLangOpts().Sanitize.hasOneOf(
        SanitizerKind::Address | SanitizerKind::HWAddress |
        SanitizerKind::Thread | SanitizerKind::Memory | SanitizerKind::Leak |
        SanitizerKind::DataFlow | SanitizerKind::Scudo);
    if (Options::current().Profile) {
      compat::addPassBuilderCallback(CodeGen, registerPasses);
      return std::make_unique<ASTConsumer>();
    }
    // Emit each constructor variant as a separate function, so that counts do
    // not depend on the optimisation level.
    if (Options::current().Objects != ObjectsMode::Off)
      CodeGen.CXXCtorDtorAliases = false;
    Info.ChecksBounds =
        CI.getLangOpts().Sanitize.has(SanitizerKind::LocalBounds);
    Info.PseudoProbes = CodeGen.PseudoProbeForProfiling;
    Info.PassesHaveLibrary = compat::isPassPlugin(CodeGen, registerPasses);
    compat::addPassBuilderCallback(CodeGen, registerPasses);
    return std::make_unique<CollectingConsumer>(CI);
  }

  bool ParseArgs(const CompilerInstance &CI,
                 const std::vector<std::string> &Arguments) override {
    // The importing unit has the same options and still uses them.
    if (CI.getFrontendOpts().BuildingImplicitModule)
      return true;
    Options::current() = Options();
    std::string Problem;
    for (const std::string &Argument : Arguments)
      if (Problem.empty())
        Problem = parseOption(Argument, Options::current());
    if (Problem.empty())
      Problem = readIgnorelists(Options::current());
    if (Problem.empty())
      Problem = readProfile(Options::current());
    if (Problem.empty() && Options::current().TypeTable)
      Problem = instrumentNothing(CI, Options::current());
    if (!Problem.empty())
      return refuse(CI, Problem);
    return Options::current().Profile || Options::current().TypeTable ||
           worksWith(CI);
  }

  /// \returns an error about the option that contradicts types=table.
  static std::string instrumentNothing(const CompilerInstance &CI,
                                       Options &Chosen) {
#ifndef INMEM_COMPAT_CODE_HANDLERS
    return "plugin option 'inmem-types=table' does not work with LLVM 19, "
           "where plugins cannot follow code generation; use 20 or newer, or "
           "18 or older";
#endif
    if (Chosen.Profile || Chosen.Accesses || Chosen.Contexts)
      return "plugin option 'inmem-types=table' instruments nothing; it does "
             "not go with accesses=on, contexts=on, optimize= or place=";
    if (CI.getCodeGenOpts().DisableLLVMPasses && writesModule(CI))
      return "plugin option 'inmem-types=table' does not go with -save-temps, "
             "which generates code in a process without the plugin";
    Chosen.Objects = ObjectsMode::Off;
    return {};
  }

  /// Instrumenting does not work with all sanitizers and kinds of thread-local
  /// storage.
  static bool worksWith(const CompilerInstance &CI) {
    // Each variable of a module is emulated, including ours, but the runtime's
    // variables are not.
    if (CI.getCodeGenOpts().EmulatedTLS && !CI.getLangOpts().Freestanding)
      return refuse(CI, "inmem does not work with -femulated-tls; use native "
                        "thread-local storage, or compile without inmem");
    // The tags in pointers would be mistaken for address bits.
    if (CI.getLangOpts().Sanitize.has(SanitizerKind::HWAddress))
      return refuse(CI, "inmem does not work with -fsanitize=hwaddress; use "
                        "-fsanitize=address, or compile without inmem");
    // DataFlowSanitizer would look for a labelled variant of each hook.
    if (CI.getLangOpts().Sanitize.has(SanitizerKind::DataFlow))
      return refuse(CI, "inmem does not work with -fsanitize=dataflow; compile "
                        "without inmem");
    return true;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }
};

FrontendPluginRegistry::Add<InmemAction>
    Registration("inmem", "names the types of heap allocations");

} // namespace
} // namespace inmem

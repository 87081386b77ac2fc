//===- PassedFunctions.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/PassedFunctions.h"
#include "LibraryFiles.h"
#include "PluginOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <memory>

using namespace llvm;

namespace inmem {

/// Attribute of functions, for passes in another process.
static constexpr StringLiteral kPassedAttribute = "inmem-passed";

static std::string filePath(const DISubprogram &Subprogram,
                            const DIFile *File) {
  if (!File)
    return {};
  StringRef Name = File->getFilename();
  // Clang splits an absolute name off where it leaves the current directory.
  const DICompileUnit *Unit = Subprogram.getUnit();
  if (!Unit || sys::path::is_absolute(Name) || File->getDirectory().empty() ||
      File->getDirectory() == Unit->getDirectory())
    return Name.str();
  SmallString<128> Path(File->getDirectory());
  sys::path::append(Path, Name);
  return Path.str().str();
}

SourceLoc locationOf(const DILocation &Loc) {
  const DISubprogram *Subprogram = Loc.getScope()->getSubprogram();
  return {Subprogram ? filePath(*Subprogram, Loc.getFile()) : std::string(),
          Loc.getLine(), Loc.getColumn()};
}

/// The directories that clang searches for system headers by itself.
static bool isSystemPath(StringRef Path) {
  return Path.starts_with("/usr/include/") ||
         any_of(
             ArrayRef<StringRef>{"/include/c++/", "/lib/gcc/", "/lib/clang/"},
             [Path](StringRef Part) { return Path.contains(Part); });
}

/// True if the user named \p F, by its linkage name, or by its source name with
/// or without scopes.
static bool isNamedWrapper(const Function &F) {
  const Options &Chosen = Options::current();
  if (Chosen.Wrappers.empty())
    return false;
  StringRef Name = withoutUniqueSuffix(F.getName());
  if (Chosen.isNamedWrapper(Name))
    return true;
  ItaniumPartialDemangler Parts;
  if (Parts.partialDemangle(Name.str().c_str()) || !Parts.isFunction())
    return false;
  const auto Is = [&](char *Text) {
    const bool Named = Text && Chosen.isNamedWrapper(Text);
    std::free(Text);
    return Named;
  };
  return Is(Parts.getFunctionName(nullptr, nullptr)) ||
         Is(Parts.getFunctionBaseName(nullptr, nullptr));
}

void addPassedFunction(Function &F, PipelineState &State) {
  F.addFnAttr(kPassedAttribute);
  if (const DISubprogram *Subprogram = F.getSubprogram())
    State.Passed.insert(Subprogram);
}

void forgetPassedFunctions(Module &M) {
  for (Function &F : M)
    F.removeFnAttr(kPassedAttribute);
}

namespace {

/// Tells which files are a library's: by the AST half's table, else by names.
class FileKinds {
public:
  bool isLibrarys(const DISubprogram &Subprogram) {
    const std::string Path = filePath(Subprogram, Subprogram.getFile());
    if (!Table.empty())
      return Table.FilesOfLibraries.contains(Path);
    const DICompileUnit *Unit = Subprogram.getUnit();
    std::unique_ptr<LibraryFiles> &Files = OfUnit[Unit];
    if (!Files)
      Files = std::make_unique<LibraryFiles>(
          Unit ? Unit->getFilename() : StringRef(),
          Unit ? Unit->getDirectory() : StringRef());
    return Files->contains(Path, isSystemPath(Path));
  }

private:
  const SiteTable &Table = SiteTable::current();
  DenseMap<const DICompileUnit *, std::unique_ptr<LibraryFiles>> OfUnit;
};

} // namespace

void findPassedFunctions(Module &M, PipelineState &State) {
  const SiteTable &Table = SiteTable::current();
  FileKinds Files;
  for (Function &F : M) {
    const DISubprogram *Subprogram = F.getSubprogram();
    if (Subprogram &&
        (F.hasFnAttribute(kPassedAttribute) || isNamedWrapper(F) ||
         // Clang's, for the call of await_suspend: it has no file.
         F.getName().contains(".__await_suspend_wrapper__") ||
         Table.isPassed(F.getName()) || Files.isLibrarys(*Subprogram)))
      addPassedFunction(F, State);
  }
}

const DILocation *userLocation(const DILocation *Loc,
                               const PipelineState &State) {
  while (Loc && State.Passed.contains(State.functionOf(*Loc)))
    Loc = Loc->getInlinedAt();
  return Loc;
}

bool isPassedCallee(const Function &Callee, const PipelineState &State) {
  if (const DISubprogram *Subprogram = Callee.getSubprogram()) {
    if (State.Passed.contains(State.asWritten(Subprogram)))
      return true;
    // Declarations have one, too, with -g; it says less than the name.
    if (!Callee.isDeclaration())
      return false;
  }
  if (isNamedWrapper(Callee))
    return true;
  // A declaration. Names of the C++ library: std, and its abbreviations.
  StringRef Name = Callee.getName();
  if (!Name.consume_front("_Z"))
    return false;
  if (Name.consume_front("N")) {
    while (Name.consume_front("K") || Name.consume_front("V") ||
           Name.consume_front("R") || Name.consume_front("O")) {
    }
  }
  return (Name.size() > 1 && Name[0] == 'S' && Name[1] != '_' &&
          !isDigit(Name[1])) ||
         Name.starts_with("9__gnu_cxx");
}

} // namespace inmem

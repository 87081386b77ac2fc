//===- Filter.cpp - code that the user excludes ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/Filter.h"
#include "Compat.h"
#include "ast/LibraryCode.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace inmem {

bool Filter::isAnnotated(const Decl &D) {
  return llvm::any_of(D.specific_attrs<AnnotateAttr>(),
                      [](const AnnotateAttr *A) {
                        return A->getAnnotation() == "inmem::ignore";
                      });
}

bool Filter::isMainFileListed(StringRef Prefix) const {
  if (!Chosen.Ignorelist)
    return false;
  const SourceManager &SM = Context.getSourceManager();
  auto Main = SM.getFileEntryRefForID(SM.getMainFileID());
  return Main && Chosen.isListed(Prefix, Main->getName());
}

bool Filter::ignoresGlobals() const {
  return isMainFileListed("mainfile") || isMainFileListed("src");
}

bool Filter::ignoresLocation(SourceLocation Loc) const {
  if (!Chosen.Ignorelist || Loc.isInvalid())
    return false;
  const SourceManager &SM = Context.getSourceManager();
  return Chosen.isListed("src", SM.getFilename(SM.getFileLoc(Loc)));
}

bool Filter::ignores(const FunctionDecl &F, StringRef LinkageName) {
  if (Chosen.isListed("fun", LinkageName) || ignoresLocation(F.getLocation()))
    return true;
  for (const DeclContext *Around = &F; Around; Around = Around->getParent()) {
    auto *Function = dyn_cast<FunctionDecl>(Around);
    if (Function &&
        (isAnnotated(*Function) ||
         (Chosen.Ignorelist &&
          Chosen.isListed("fun", Function->getQualifiedNameAsString()))))
      return true;
  }
  return isMainFileListed("mainfile");
}

bool Filter::counts(const CXXRecordDecl &Class) {
  auto [It, New] = Counted.try_emplace(&Class, false);
  if (!New)
    return It->second;
  const CXXDestructorDecl *Destructor =
      Class.hasDefinition() ? Class.getDestructor() : nullptr;
  bool Counts =
      (Chosen.SystemObjects ||
       !isInLibrary(Context.getSourceManager(), Class.getLocation())) &&
      !isAnnotated(Class) && !ignoresLocation(Class.getLocation()) &&
      !(Destructor && isAnnotated(*Destructor)) &&
      !(Chosen.filtersTypes() &&
        Chosen.ignoresType(Namer.name(compat::recordType(Context, Class))));
  return Counted[&Class] = Counts;
}

} // namespace inmem

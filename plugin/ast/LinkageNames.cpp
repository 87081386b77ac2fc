//===- LinkageNames.cpp - linkage names of declarations -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/LinkageNames.h"
#include "clang/AST/DeclCXX.h"

using namespace clang;
using llvm::raw_string_ostream;

namespace inmem {

std::string LinkageNames::mangled(GlobalDecl D) {
  const auto &Named = *cast<NamedDecl>(D.getDecl());
  if (!Mangler->shouldMangleDeclName(&Named))
    return Named.getIdentifier() ? Named.getName().str() : std::string();
  std::string Name;
  raw_string_ostream OS(Name);
  Mangler->mangleName(D, OS);
  StringRef Text = OS.str();
  Text.consume_front("\01"); // asm label
  return Text.str();
}

std::string LinkageNames::linkageName(const FunctionDecl &F) {
  if (auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
    return mangled(GlobalDecl(Constructor, Ctor_Complete));
  if (auto *Destructor = dyn_cast<CXXDestructorDecl>(&F))
    return mangled(GlobalDecl(Destructor, Dtor_Complete));
  return mangled(GlobalDecl(&F));
}

SmallVector<std::string, 3> LinkageNames::linkageNames(const FunctionDecl &F) {
  if (auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
    return {mangled(GlobalDecl(Constructor, Ctor_Complete)),
            mangled(GlobalDecl(Constructor, Ctor_Base))};
  if (auto *Destructor = dyn_cast<CXXDestructorDecl>(&F))
    return {mangled(GlobalDecl(Destructor, Dtor_Complete)),
            mangled(GlobalDecl(Destructor, Dtor_Base)),
            mangled(GlobalDecl(Destructor, Dtor_Deleting))};
  return {linkageName(F)};
}

} // namespace inmem

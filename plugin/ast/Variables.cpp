//===- Variables.cpp - types of variables that hold memory ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/EmittedDecls.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace inmem {

/// True if the type contains a pointer, or memory that only its class can
/// interpret: a union or bytes.
bool Variables::mayHoldMemory(QualType Type) {
  Type = C.Context.getBaseElementType(Type);
  if (Type->isAnyPointerType() || Type->isReferenceType() ||
      Type->isUnionType() || Type->isAtomicType())
    return true;
  const RecordDecl *Record = Type->getAsRecordDecl();
  if (!Record || !(Record = Record->getDefinition()) || Record->isInvalidDecl())
    return false;
  auto [It, New] = Holders.try_emplace(Record, false);
  if (!New)
    return It->second;
  bool Holds = false;
  if (auto *Class = dyn_cast<CXXRecordDecl>(Record))
    for (const CXXBaseSpecifier &Base : Class->bases())
      Holds |= mayHoldMemory(Base.getType());
  for (const FieldDecl *Field : Record->fields())
    Holds |= mayHoldMemory(Field->getType());
  return Holders[Record] = Holds;
}

/// Clang's name for the variable in the module. Empty if unknown here: in a
/// closure internal to the unit, code generation assigns a number.
std::string Variables::nameOf(const VarDecl &Variable) {
  std::string Name = C.Names.mangled(GlobalDecl(&Variable));
  if (llvm::StringRef(Name).contains("$_") || Variable.hasAttr<AsmLabelAttr>())
    return {};
  // In C, variables in functions have no linkage names.
  if (Variable.isStaticLocal() && !C.Context.getLangOpts().CPlusPlus) {
    auto *In = dyn_cast<FunctionDecl>(Variable.getDeclContext());
    return In ? C.Names.linkageName(*In) + "." + Name : std::string();
  }
  return Name;
}

void Variables::note(const VarDecl &Variable) {
  QualType Type = Variable.getType();
  if (!Variable.hasGlobalStorage() || Variable.isInvalidDecl() ||
      Variable.isConstexpr() || Type->isDependentType() ||
      Variable.getDeclContext()->isDependentContext() ||
      Variable.isThisDeclarationADefinition() == VarDecl::DeclarationOnly ||
      C.Context.getSourceManager().isInSystemHeader(Variable.getLocation()) ||
      Type->isIncompleteType() ||
      !C.Context.getBaseElementType(Type)->isRecordType() ||
      !mayHoldMemory(Type) || !Seen.insert(Variable.getCanonicalDecl()).second)
    return;
  VariableFact Fact;
  Fact.Name = nameOf(Variable);
  if (Fact.Name.empty())
    return;
  Fact.TypeKey = C.Layouts.add(Type);
  Fact.Size = C.Context.getTypeSizeInChars(Type).getQuantity();
  if (!Fact.TypeKey.empty())
    C.Table.Variables.push_back(std::move(Fact));
}

} // namespace inmem

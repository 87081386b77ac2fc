//===- HeldStrings.cpp - types that hold strings or lead to them ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/HeldStrings.h"
#include "Compat.h"
#include "ast/LibraryCode.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::ArrayRef;
using llvm::StringRef;

namespace inmem {

bool isInStd(const NamedDecl &D, ArrayRef<StringRef> Names) {
  const NamedDecl *Named = &D;
  if (auto *Method = dyn_cast<CXXMethodDecl>(&D))
    Named = Method->getParent();
  return Named->getIdentifier() &&
         llvm::is_contained(Names, Named->getName()) &&
         Named->isInStdNamespace();
}

bool isNamed(const FunctionDecl &F, ArrayRef<StringRef> Names) {
  return F.getIdentifier() && llvm::is_contained(Names, F.getName());
}

bool isLibrary(const Decl &D) {
  return isInLibrary(D.getASTContext().getSourceManager(), D.getLocation());
}

bool isString(const CXXRecordDecl *Class) {
  auto *Special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Class);
  return Special && isInStd(*Special, {"basic_string"});
}

bool isContainer(const CXXRecordDecl &Class) {
  return isInStd(Class, {"basic_string",  "vector",
                         "deque",         "list",
                         "forward_list",  "array",
                         "pair",          "tuple",
                         "optional",      "variant",
                         "map",           "multimap",
                         "unordered_map", "unordered_multimap",
                         "set",           "multiset",
                         "unordered_set", "unordered_multiset",
                         "queue",         "priority_queue",
                         "stack"});
}

/// True if no code reads the strings in other code's objects of \p Record.
static bool isHarmless(const RecordDecl &Record) {
  static constexpr StringRef Names[] = {"basic_ostream",
                                        "basic_istream",
                                        "basic_iostream",
                                        "basic_ofstream",
                                        "basic_ifstream",
                                        "basic_fstream",
                                        "basic_ostringstream",
                                        "basic_istringstream",
                                        "basic_stringstream",
                                        "ios_base",
                                        "basic_ios",
                                        "locale",
                                        "basic_regex",
                                        "basic_string_view",
                                        "mutex",
                                        "recursive_mutex",
                                        "timed_mutex",
                                        "recursive_timed_mutex",
                                        "shared_mutex",
                                        "shared_timed_mutex",
                                        "lock_guard",
                                        "scoped_lock",
                                        "unique_lock",
                                        "shared_lock",
                                        "condition_variable",
                                        "condition_variable_any",
                                        "atomic_flag"};
  return isInStd(Record, Names) ||
         (Record.getIdentifier() &&
          (Record.getName() == "_IO_FILE" || Record.getName() == "__sFILE"));
}

HeldStrings StringHolders::behind(QualType Type) {
  QualType To = Type->getPointeeType();
  if (To.isNull() || To.isConstQualified() || To->isFunctionType())
    return {};
  return in(To);
}

HeldStrings StringHolders::inMember(QualType Type) {
  return Type->isReferenceType() ? HeldStrings{false, bool(behind(Type))}
                                 : in(Type);
}

HeldStrings StringHolders::inArguments(ArrayRef<TemplateArgument> Arguments) {
  HeldStrings Held;
  for (const TemplateArgument &Argument : Arguments)
    if (Argument.getKind() == TemplateArgument::Type)
      Held |= inMember(Argument.getAsType());
    else if (Argument.getKind() == TemplateArgument::Pack)
      Held |= inArguments(Argument.getPackAsArray());
  return Held;
}

HeldStrings StringHolders::inClass(const RecordDecl &Record) {
  if (isHarmless(Record))
    return {};
  auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(&Record);
  if (isString(Special))
    return {true, false};
  if (Special && isContainer(*Special))
    return inArguments(Special->getTemplateArgs().asArray());
  const RecordDecl *Definition = Record.getDefinition();
  if (!Definition || Definition->isDependentType())
    return {true, true};
  auto *Class = dyn_cast<CXXRecordDecl>(Definition);
  // Iterators, and owning pointers: follow their template arguments.
  if (Special && Special->isInStdNamespace() && !Class->isEmpty())
    return {false, bool(inArguments(Special->getTemplateArgs().asArray()))};
  HeldStrings Held;
  for (const FieldDecl *Field : Definition->fields())
    Held |= inMember(Field->getType());
  if (!Class)
    return Held;
  for (const CXXBaseSpecifier &Base : Class->bases())
    Held |= in(Base.getType());
  // A derived class may hold anything.
  if (Class->isPolymorphic() && !Class->isEffectivelyFinal())
    Held |= {true, true};
  return Held;
}

HeldStrings StringHolders::in(QualType Type) {
  Type = Type.getNonReferenceType().getCanonicalType();
  while (auto *Array = Type->getAsArrayTypeUnsafe())
    Type = Array->getElementType();
  if (Type->isDependentType() || Type->isVoidType())
    return {true, true};
  if (Type->isAnyCharacterType() || Type->isStdByteType())
    return {true, false};
  if (Type->isFunctionType()) // the signature of a std::function
    return {false, true};
  if (Type->isAnyPointerType())
    return {false, bool(behind(Type))};
  const RecordDecl *Record = Type->getAsRecordDecl();
  if (!Record)
    return {};
  Record = cast<RecordDecl>(Record->getCanonicalDecl());
  if (auto At = Known.find(Record); At != Known.end())
    return At->second;
  // A class found within itself adds nothing.
  bool Outermost = Met.empty();
  if (!Met.insert(Record).second)
    return {};
  HeldStrings Held = inClass(*Record);
  if (Outermost) {
    Met.clear();
    Known[Record] = Held;
  }
  return Held;
}

} // namespace inmem

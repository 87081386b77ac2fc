//===- HeldStrings.h - types that hold strings or lead to them --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The strings and characters that may be reached through an object. If in
// doubt, all.
#ifndef INMEM_PLUGIN_AST_HELDSTRINGS_H
#define INMEM_PLUGIN_AST_HELDSTRINGS_H

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace inmem {

/// True if \p D, or its class if it is a member, is in namespace std and named
/// in \p Names.
bool isInStd(const clang::NamedDecl &D, llvm::ArrayRef<llvm::StringRef> Names);
bool isNamed(const clang::FunctionDecl &F,
             llvm::ArrayRef<llvm::StringRef> Names);
/// True if the class or function belongs to the standard library or the system.
bool isLibrary(const clang::Decl &D);
/// True if \p Class is a std::basic_string.
bool isString(const clang::CXXRecordDecl *Class);
inline bool isString(clang::QualType Type) {
  return isString(Type->getAsCXXRecordDecl());
}
/// True if objects of \p Class own their elements, and their members only
/// return references to elements.
bool isContainer(const clang::CXXRecordDecl &Class);

struct HeldStrings {
  bool Own = false;      ///< in the object, or in memory that it owns
  bool Referred = false; ///< that it refers to by pointer or reference

  explicit operator bool() const { return Own || Referred; }
  HeldStrings &operator|=(HeldStrings Other) {
    Own |= Other.Own;
    Referred |= Other.Referred;
    return *this;
  }
};

class StringHolders {
public:
  /// Strings in an object of \p Type, or in the referent of a reference \p
  /// Type.
  HeldStrings in(clang::QualType Type);
  /// Strings in an object that a pointer of \p Type points to, and may modify.
  HeldStrings behind(clang::QualType Type);

private:
  HeldStrings inMember(clang::QualType Type);
  HeldStrings inClass(const clang::RecordDecl &Record);
  HeldStrings inArguments(llvm::ArrayRef<clang::TemplateArgument> Arguments);

  /// Results for classes, and the classes visited on the way to one.
  llvm::DenseMap<const clang::RecordDecl *, HeldStrings> Known;
  llvm::DenseSet<const clang::RecordDecl *> Met;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_HELDSTRINGS_H

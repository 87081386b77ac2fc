//===- ToolingCompat.h - the differences between LLVM 16, 19 and 22 -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every #if on an LLVM version in this folder is here.
#ifndef INMEM_FIX_TOOLINGCOMPAT_H
#define INMEM_FIX_TOOLINGCOMPAT_H

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Format/Format.h"
#include "llvm/Config/llvm-config.h"

namespace inmem::fix::compat {

/// The path of a file as reported by the file system; empty if unknown.
inline std::string realPath(const clang::SourceManager &SM, clang::FileID ID) {
#if LLVM_VERSION_MAJOR >= 19
  if (const auto Entry = SM.getFileEntryRefForID(ID))
    return Entry->getFileEntry().tryGetRealPathName().str();
#else
  if (const clang::FileEntry *Entry = SM.getFileEntryForID(ID))
    return Entry->tryGetRealPathName().str();
#endif
  return {};
}

/// True if the initialiser uses braces: `T{…}` rather than `T(…)` or `T`.
inline bool isListInitialised(const clang::CXXNewExpr &New) {
#if LLVM_VERSION_MAJOR >= 19
  return New.getInitializationStyle() ==
         clang::CXXNewInitializationStyle::Braces;
#else
  return New.getInitializationStyle() == clang::CXXNewExpr::ListInit;
#endif
}

/// True if other units cannot name the declaration.
inline bool isInternal(const clang::NamedDecl &D) {
#if LLVM_VERSION_MAJOR >= 19
  return D.getFormalLinkage() == clang::Linkage::Internal;
#else
  return D.getFormalLinkage() == clang::InternalLinkage;
#endif
}

} // namespace inmem::fix::compat

#endif // INMEM_FIX_TOOLINGCOMPAT_H

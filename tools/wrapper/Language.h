//===- Language.h -----------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The differences between inmem-clang and inmem-clang++.
#ifndef INMEM_TOOLS_WRAPPER_LANGUAGE_H
#define INMEM_TOOLS_WRAPPER_LANGUAGE_H

namespace inmem::wrapper {

/// The language that a wrapper is for; each of the two programs has one.
struct Language {
  bool Cxx;
  const char *Name;       ///< the wrapper's own
  const char *Clang;      ///< the compiler's, without a version
  const char *DriverMode; ///< the option that makes any clang that compiler
};

extern const Language kLanguage;

} // namespace inmem::wrapper

#endif

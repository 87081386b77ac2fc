//===- Toolchain.h - Files of inmem, and the clang they are for -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_WRAPPER_TOOLCHAIN_H
#define INMEM_TOOLS_WRAPPER_TOOLCHAIN_H

#include <string>

namespace inmem::wrapper {

// Language.cpp: the differences between inmem-clang and inmem-clang++.

/// A wrapper's language; each of the two programs defines one.
struct Language {
  bool Cxx;
  const char *Name;       ///< the wrapper's name
  const char *Clang;      ///< the compiler's name, without a version
  const char *DriverMode; ///< option that makes any clang act as this compiler
};

extern const Language kLanguage;

/// Prints one line and exits with 2.
[[noreturn]] void fail(const std::string &Message);

struct Toolchain {
  std::string Clang;   ///< the program to execute
  bool NamedByUser;    ///< by INMEM_CLANG
  int Major;           ///< clang's major version
  std::string Lib;     ///< the folder with the runtime
  std::string Headers; ///< contains only our headers, for all machines
  std::string Plugin;  ///< the plugin for that version
};

/// The folder \p Name with the runtime for another machine or C library, below
/// \p Lib or next to it; empty if there is none.
std::string runtimeIn(const std::string &Name, const std::string &Lib);

/// The clang to execute and its plugin; fails without one. Never a clang of
/// another version than the plugin's, which would crash.
Toolchain findToolchain();

} // namespace inmem::wrapper

#endif

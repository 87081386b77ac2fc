//===- Runnable.h - Which programs the runtime can be preloaded into ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_RUNNABLE_H
#define INMEM_TOOLS_RUNNABLE_H

#include <string>

namespace inmem::tools {

/// The way a program gets its C library, according to its file.
struct Runnable {
  enum Kind {
    Unknown,     ///< not an ELF file, or it cannot be read
    OwnLoader,   ///< of the C library that this program has
    OtherLoader, ///< of another one: it cannot load our runtime
    Static       ///< it has no loader
  };
  Kind What = Unknown;
  std::string Path;   ///< of the file; of a script, its interpreter's
  std::string Loader; ///< PT_INTERP
};

/// Describes the program that \p Command names, searched for in PATH as execvp
/// does.
Runnable runnableOf(const std::string &Command);

} // namespace inmem::tools

#endif

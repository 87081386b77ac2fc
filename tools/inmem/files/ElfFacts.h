//===- ElfFacts.h - Programs and libraries as files -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_ELFFACTS_H
#define INMEM_TOOLS_ELFFACTS_H

#include <cstdint>
#include <elf.h>
#include <optional>
#include <string>
#include <vector>

namespace inmem::tools {

/// Facts from a program's or library's own file.
struct ElfFacts {
  bool Static = false;       ///< no loader runs
  bool Instrumented = false; ///< contains code compiled with inmem
  bool NeedsRuntime = false; ///< is linked with libinmem_rt.so.N
  bool HasRuntime = false;   ///< contains or is the runtime
  bool Is64Bit = false;      ///< has 64-bit addresses
  uint16_t Machine = 0;      ///< ELF machine number
};

/// nullopt if the file cannot be read, or is neither a program nor a library.
std::optional<ElfFacts> elfFacts(const std::string &Path);

struct Loaded {
  std::string Name; ///< as requested
  std::string Path; ///< empty: not found
};

/// glibc's loader for a machine's programs; empty if inmem does not support it.
constexpr const char *loaderFor(uint16_t Machine) {
  return Machine == EM_X86_64    ? "/lib64/ld-linux-x86-64.so.2"
         : Machine == EM_AARCH64 ? "/lib/ld-linux-aarch64.so.1"
                                 : "";
}

/// The libraries that the loader would load for a program, which is not run.
/// nullopt if its loader is not on this machine, or does not run here.
std::optional<std::vector<Loaded>> librariesOf(const std::string &Program);

// Runnable.cpp: Which programs the runtime can be preloaded into.

/// The way in which a program gets its C library, according to its file.
struct Runnable {
  enum Kind {
    Unknown,     ///< not an ELF file, or it cannot be read
    OwnLoader,   ///< loader of the libc that inmem was built for
    OtherLoader, ///< loader of another libc: cannot load our runtime
    Static       ///< it has no loader
  };
  Kind What = Unknown;
  std::string Path;   ///< the file's path, or a script's interpreter
  std::string Loader; ///< PT_INTERP
};

/// Describes the program that \p Command names, searched for in PATH as by
/// execvp.
Runnable runnableOf(const std::string &Command);

} // namespace inmem::tools

#endif

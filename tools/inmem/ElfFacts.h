//===- ElfFacts.h - Programs and libraries as files -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_ELFFACTS_H
#define INMEM_TOOLS_ELFFACTS_H

#include <optional>
#include <string>
#include <vector>

namespace inmem::tools {

/// Facts that a program or library states about itself.
struct ElfFacts {
  bool Static = false;       ///< no loader runs
  bool Instrumented = false; ///< some of it was compiled with inmem
  bool NeedsRuntime = false; ///< is linked with libinmem_rt.so.N
  bool HasRuntime = false;   ///< holds it, or is it
};

/// Nothing if the file cannot be read, or is not a program for this machine.
std::optional<ElfFacts> elfFacts(const std::string &Path);

struct Loaded {
  std::string Name; ///< as it was asked for
  std::string Path; ///< empty: not found
};

/// The libraries that the loader would load for a program, which does not run.
std::vector<Loaded> librariesOf(const std::string &Program);

} // namespace inmem::tools

#endif

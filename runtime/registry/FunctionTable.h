//===- FunctionTable.h - Which functions of a file are a library's --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_FUNCTIONTABLE_H
#define INMEM_RUNTIME_FUNCTIONTABLE_H

#include <stdint.h>

namespace inmem::rt {

struct Module;

/// True if the function around \p Address, in \p File, is an instance of the
/// C++ or Rust library's code by its linkage name: from the file's .symtab,
/// which is read when a file is first asked for, else from the names that the
/// loader knows. False where it has no name. With the guard and no lock; may
/// change errno. In a process that may be sandboxed no file is read.
bool isLibraryFunction(const Module &File, uintptr_t Address);

} // namespace inmem::rt

#endif

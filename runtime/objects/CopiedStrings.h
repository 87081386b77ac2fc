//===- CopiedStrings.h - The compiler's record of copied strings ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings that are copied to be read go into the trace as the compiler found
// them: the report joins them with what was allocated there. So do hashes of
// the source files, by which `inmem fix` notices that one was edited.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_COPIEDSTRINGS_H
#define INMEM_RUNTIME_COPIEDSTRINGS_H

namespace inmem::rt {

struct RegisteredModule;

/// Writes a module's records, once per trace. With the mutex.
void writeStringCopies(RegisteredModule &M);
/// After fork, in the child.
void forgetStringCopies();

} // namespace inmem::rt

#endif

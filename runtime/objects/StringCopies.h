//===- StringCopies.h - Strings that are copied to be read ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler found of them goes into the trace as it is: the report
// joins it with what was allocated there.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_STRINGCOPIES_H
#define INMEM_RUNTIME_STRINGCOPIES_H

namespace inmem::rt {

struct RegisteredModule;

/// Writes a module's records, once per trace. With the mutex.
void writeStringCopies(RegisteredModule &M);
/// After fork, in the child.
void forgetStringCopies();

} // namespace inmem::rt

#endif

//===- SymbolNames.h - Names and lines that are not in memory -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While the program runs, code addresses (Stacks.h) get the names that the
// loader knows. Names of static functions and of the program itself are in
// .symtab, lines and inlined calls in debug information. Neither is mapped, so
// they are looked up together, file by file, when the process ends or its trace
// is flushed.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SYMBOLNAMES_H
#define INMEM_RUNTIME_SYMBOLNAMES_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

struct Module;

/// Queues the trace's address \p Id, at \p Offset of \p File, to get lines and,
/// without \p Named, a name. Needs the mutex.
void awaitName(const Module *File, uint64_t Offset, uint32_t Id, bool Named);

/// Writes the names and lines found for all waiting addresses. Needs the mutex.
/// Files are read, not mapped, because they may shrink.
void writeAwaitedNames();

/// The .symtab name of the function around \p Offset in \p File, cut to \p Room
/// bytes. Reads the file; needs no lock. \returns false if there is none
bool readSymbolName(const Module &File, uint64_t Offset, char *Into,
                    size_t Room);

/// Call after fork, in the child.
void forgetAwaitedNames();

} // namespace inmem::rt

#endif

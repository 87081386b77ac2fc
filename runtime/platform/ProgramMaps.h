//===- ProgramMaps.h - mmap and its relatives, as the program calls them --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that the program would call without us: the C library's, or an
// interposing library's. Mappings.h is for the runtime's memory.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_PROGRAMMAPS_H
#define INMEM_RUNTIME_PROGRAMMAPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

namespace inmem::rt {

void *mapForProgram(void *At, size_t Bytes, int Protection, int Flags, int Fd,
                    off_t Offset);
int unmapForProgram(void *At, size_t Bytes);
void *remapForProgram(void *At, size_t Bytes, size_t NewBytes, int Flags,
                      void *NewAt);
void *moveBreakForProgram(intptr_t Bytes);

#ifndef INMEM_STATIC
/// Makes the functions above call the first definitions in search order from
/// now on: the program's imports of them lead to us.
void callFirstMaps();
#endif

/// An address in the C library; 0 if the library is part of the program.
uintptr_t addressInCLibrary();

/// True for error results of these functions.
bool isMapFailure(const void *Result);
/// True if mremap with these arguments leaves the old mapping as it is.
bool keepsOldMapping(size_t Bytes, int Flags);

} // namespace inmem::rt

#endif

//===- ConstantSize.h - Calls that get a constant for a block's size ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_CONSTANTSIZE_H
#define INMEM_DEBUGINFO_CONSTANTSIZE_H

#include "debuginfo/Instruction.h"
#include "debuginfo/ProgramFile.h"

namespace inmem::debuginfo {

/// True if the code before the call sets all sizes of the block to constants.
/// \param Call its last byte \param Callee the name of the function that it
/// calls; null if unknown
bool hasConstantSize(ProgramFile &File, Decoder &Decode, uint64_t Call,
                     const char *Callee);

} // namespace inmem::debuginfo

#endif

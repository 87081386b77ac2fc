//===- FramePlace.h - A place in the frame that a call gets ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_FRAMEPLACE_H
#define INMEM_DEBUGINFO_FRAMEPLACE_H

#include "debuginfo/ProgramFile.h"

#include <cstdint>
#include <optional>

namespace inmem::debuginfo {

class Decoder;

/// A location in a function's frame, as a distance from a register.
struct FramePlace {
  std::optional<int64_t> FromStack, FromFrame; ///< distances from the pointers
};

/// The location that argument \p Number of a call points to; none if it is not
/// in the frame. \param Start of the function \param Call the call's last byte
std::optional<FramePlace> framePlaceOf(ProgramFile &File, Decoder &Decode,
                                       uint64_t Start, uint64_t Call,
                                       unsigned Number);

} // namespace inmem::debuginfo

#endif

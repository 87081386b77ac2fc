//===- VarintFormat.h - Unsigned LEB128 -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by the runtime, readers of traces and heap snapshots, and the page's
// data.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_VARINTFORMAT_H
#define INMEM_TRACE_VARINTFORMAT_H

#include <stdint.h>

namespace inmem::trace {

inline constexpr unsigned kMaxVarintBytes = 10;

/// Calls \p Put with each byte of \p Value.
template <class Consumer>
constexpr void putVarint(uint64_t Value, Consumer Put) {
  for (; Value >= 0x80; Value >>= 7)
    Put(static_cast<uint8_t>(Value | 0x80));
  Put(static_cast<uint8_t>(Value));
}

/// \p Take stores the next byte and returns true, or returns false at the end.
/// \returns whether a complete number was read that fits \p Value
template <class Producer>
constexpr bool takeVarint(uint64_t &Value, Producer Take) {
  Value = 0;
  for (unsigned Shift = 0; Shift < 64; Shift += 7) {
    uint8_t Byte = 0;
    if (!Take(Byte) || (Shift == 63 && Byte > 1))
      return false;
    Value |= uint64_t{Byte & 0x7fu} << Shift;
    if (Byte < 0x80)
      return true;
  }
  return false;
}

/// Maps signed numbers to unsigned ones, which are small if the number is near
/// 0.
constexpr uint64_t zigzag(int64_t Value) {
  return static_cast<uint64_t>(Value) << 1 ^ static_cast<uint64_t>(Value >> 63);
}
constexpr int64_t fromZigzag(uint64_t Value) {
  return static_cast<int64_t>(Value >> 1) ^ -static_cast<int64_t>(Value & 1);
}

} // namespace inmem::trace

#endif

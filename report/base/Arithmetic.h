//===- Arithmetic.h - Sums that do not wrap -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_BASE_ARITHMETIC_H
#define INMEM_REPORT_BASE_ARITHMETIC_H

#include <cmath>
#include <cstdint>

namespace inmem::report {

/// 0 if \p B is larger.
inline uint64_t minus(uint64_t A, uint64_t B) { return A > B ? A - B : 0; }

/// The nearest integer that a uint64_t holds; 0 for NaN.
inline uint64_t rounded(double Value) {
  if (Value >= 1.8e19)
    return ~uint64_t{0};
  return Value > 0 ? static_cast<uint64_t>(std::round(Value)) : 0;
}

} // namespace inmem::report

#endif

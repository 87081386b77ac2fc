//===- Range.h - The addresses of placed blocks -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLACE_RANGE_H
#define INMEM_PLACE_RANGE_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::place {

constexpr size_t kMostPlaced = 8192; ///< larger blocks are not placed
constexpr size_t kMostAlign = 64;

/// Replace std::min and std::max: musl builds have no C++ library.
template <class T> constexpr T smaller(T A, T B) { return B < A ? B : A; }
template <class T> constexpr T larger(T A, T B) { return A < B ? B : A; }

/// The range; empty before the first placed block. The base is written once,
/// the size only grows.
extern uintptr_t RangeBase, RangeBytes;

inline bool isPlaced(const void *Block) {
  return reinterpret_cast<uintptr_t>(Block) -
             __atomic_load_n(&RangeBase, __ATOMIC_RELAXED) <
         __atomic_load_n(&RangeBytes, __ATOMIC_RELAXED);
}

} // namespace inmem::place

#endif

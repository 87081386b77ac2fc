//===- StableHash.h - One hash for all versions of LLVM ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_STABLEHASH_H
#define INMEM_PLUGIN_STABLEHASH_H

#include "llvm/ADT/StringRef.h"

#define XXH_INLINE_ALL
#define XXH_NO_XXH3
#include <xxhash.h>

namespace inmem {

/// XXH64 of \p Bytes, with 0 replaced by 1: 0 means "unknown" in a record.
inline uint64_t stableHash(llvm::StringRef Bytes) {
  const uint64_t Hash = XXH64(Bytes.data(), Bytes.size(), /*seed=*/0);
  return Hash ? Hash : 1;
}

} // namespace inmem

#endif // INMEM_PLUGIN_STABLEHASH_H

//===- Hash.h - Hashes of words and text ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_HASH_H
#define INMEM_RUNTIME_HASH_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// Hash of two words, whose order matters; never 0.
inline uint64_t mix(uint64_t A, uint64_t B) {
  uint64_t X = (A ^ B * 0xC2B2AE3D27D4EB4Fu) * 0x9E3779B97F4A7C15u;
  X ^= X >> 29;
  return X ? X : 1;
}

inline constexpr uint64_t kNoText = 0xCBF29CE484222325u;

/// FNV-1a of \p Length bytes, continuing from \p Hash.
inline uint64_t hashBytes(const char *Text, size_t Length,
                          uint64_t Hash = kNoText) {
  for (size_t I = 0; I < Length; ++I)
    Hash = (Hash ^ static_cast<unsigned char>(Text[I])) * 0x100000001B3u;
  return Hash;
}
/// As hashBytes(), up to the NUL; a null \p Text is empty.
inline uint64_t hashText(const char *Text, uint64_t Hash = kNoText) {
  return hashBytes(Text, Text ? __builtin_strlen(Text) : 0, Hash);
}

} // namespace inmem::rt

#endif

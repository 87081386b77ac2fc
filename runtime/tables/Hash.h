//===- Hash.h - Hashes of words, text and addresses -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_HASH_H
#define INMEM_RUNTIME_HASH_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// Hash of two words in order; never 0.
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

// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012)
// of one 8-byte message. Without the key, which stays in the process, a hash
// reveals nothing about its address.

inline uint64_t sipHash(uint64_t Message, const uint64_t Key[2]) {
  uint64_t V0 = Key[0] ^ 0x736f6d6570736575u, V1 = Key[1] ^ 0x646f72616e646f6du,
           V2 = Key[0] ^ 0x6c7967656e657261u, V3 = Key[1] ^ 0x7465646279746573u;
  auto Rotate = [](uint64_t X, unsigned By) {
    return X << By | X >> (64 - By);
  };
  auto Rounds = [&](int Count) {
    while (Count-- > 0) {
      V0 += V1, V1 = Rotate(V1, 13) ^ V0, V0 = Rotate(V0, 32);
      V2 += V3, V3 = Rotate(V3, 16) ^ V2;
      V0 += V3, V3 = Rotate(V3, 21) ^ V0;
      V2 += V1, V1 = Rotate(V1, 17) ^ V2, V2 = Rotate(V2, 32);
    }
  };
  // The message, then a final block that holds only its length.
  const uint64_t Blocks[] = {Message, uint64_t{sizeof Message} << 56};
  for (uint64_t Block : Blocks) {
    V3 ^= Block;
    Rounds(2);
    V0 ^= Block;
  }
  V2 ^= 0xff;
  Rounds(4);
  return V0 ^ V1 ^ V2 ^ V3;
}

} // namespace inmem::rt

#endif

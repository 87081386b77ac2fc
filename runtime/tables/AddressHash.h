//===- AddressHash.h - addresses=hash -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012)
// of one 8-byte message. Without the key, which stays in the process, a hash
// says nothing of its address.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_ADDRESSHASH_H
#define INMEM_RUNTIME_ADDRESSHASH_H

#include <stdint.h>

namespace inmem::rt {

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

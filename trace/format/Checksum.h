//===- Checksum.h - Protection of a trace against changed bytes -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the runtime, which writes the sums once the bytes are final, and
// the reader. XXH64 with seed 0, as xxHash defines it. Each of its steps is a
// bijection: a change within one aligned word is always noticed, any other
// change is missed with probability 2^-64. A sum of 0 is written as 1, since 0
// means "none". This finds damage, not forgery: anyone who can write a file can
// also write its sums.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_CHECKSUM_H
#define INMEM_TRACE_CHECKSUM_H

#include "trace/format/Format.h"

#define XXH_INLINE_ALL
#define XXH_NO_XXH3
#include <xxhash.h>

namespace inmem::trace {

/// The checksum of a header's page (kHeaderBytes at \p Page), which is stored
/// at kSealOffset.
inline uint64_t sealOf(const void *Page) {
  const uint64_t Sum = XXH64(Page, kSealOffset, 0);
  return Sum ? Sum : 1;
}

/// Computes ExtentHeader.Identity.
inline uint64_t identityOf(const ExtentHeader &E) {
  const uint64_t Words[] = {
      uint64_t{kExtentMagic} | static_cast<uint64_t>(E.Kind) << 32, E.Bytes,
      E.Owner | uint64_t{E.Module} << 32, E.Sequence};
  const uint64_t Sum = XXH64(Words, sizeof Words, 0);
  return Sum ? Sum : 1;
}

/// Bytes of the payload that \p E counts as used, at most all of it; all of it
/// if Used has no such count. E.Bytes must be at least the header's size.
inline uint64_t payloadInUse(const ExtentHeader &E) {
  const uint64_t Room = E.Bytes - sizeof(ExtentHeader);
  const uint64_t Size = elementBytes(E.Kind);
  return Size == 0 || E.Used > Room / Size ? Room : E.Used * Size;
}

/// Computes ExtentHeader.Checksum: of payloadInUse(E) bytes at \p Payload,
/// combined with that of the header without Checksum itself.
inline uint64_t checksumOf(const ExtentHeader &E, const void *Payload) {
  ExtentHeader Own = E;
  Own.Checksum = 0;
  const uint64_t Sum =
      XXH64(Payload, payloadInUse(E), 0) ^ XXH64(&Own, sizeof Own, 1);
  return Sum ? Sum : 1;
}

} // namespace inmem::trace

#endif

//===- Seal.cpp - The checksums of a whole trace --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/format/Checksum.h"
#include "trace/text/Text.h"

#include <cstring>

namespace inmem::trace {

void seal(std::span<std::byte> Bytes) {
  FileHeader File;
  if (Bytes.size() < kHeaderBytes)
    return;
  std::memcpy(&File, Bytes.data(), sizeof File);
  ExtentHeader E;
  for (size_t At = kHeaderBytes; Bytes.size() - At >= sizeof E;) {
    std::memcpy(&E, &Bytes[At], sizeof E);
    if (E.Magic != kExtentMagic || E.Bytes < sizeof E ||
        E.Bytes > Bytes.size() - At)
      break;
    E.Identity = identityOf(E);
    E.Checksum = checksumOf(E, &Bytes[At] + sizeof E);
    std::memcpy(&Bytes[At], &E, sizeof E);
    At += E.Bytes;
  }
  const uint64_t Seal =
      File.State == RunState::Running ? 0 : sealOf(Bytes.data());
  std::memcpy(&Bytes[kSealOffset], &Seal, sizeof Seal);
}

} // namespace inmem::trace

//===- ContentHash.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/tables/ContentHash.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

namespace inmem::fleet {

int64_t idOf(std::string_view Bytes) {
  return static_cast<int64_t>(XXH64(Bytes.data(), Bytes.size(), 0) >> 1);
}

struct Hash128::State {
  XXH3_state_t Of;
};

Hash128::Hash128() : Of(std::make_unique<State>()) {
  XXH3_128bits_reset(&Of->Of);
}

Hash128::~Hash128() = default;

void Hash128::add(std::string_view Bytes) {
  const uint64_t Length = Bytes.size();
  XXH3_128bits_update(&Of->Of, &Length, sizeof Length);
  XXH3_128bits_update(&Of->Of, Bytes.data(), Bytes.size());
}

std::string Hash128::hex() const {
  const XXH128_hash_t Sum = XXH3_128bits_digest(&Of->Of);
  return fmt::format("{:016x}{:016x}", Sum.high64, Sum.low64);
}

} // namespace inmem::fleet

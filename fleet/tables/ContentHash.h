//===- ContentHash.h - Names and ids by content -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ids are stored for years and compared across hosts, so these functions never
// change: XXH64 with seed 0 for ids, XXH3's 128 bits for files' names.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_CONTENTHASH_H
#define INMEM_FLEET_CONTENTHASH_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace inmem::fleet {

/// XXH64 of the bytes without the lowest bit, to fit a signed column.
int64_t idOf(std::string_view Bytes);

class Hash128 {
public:
  Hash128();
  ~Hash128();
  Hash128(const Hash128 &) = delete;
  Hash128 &operator=(const Hash128 &) = delete;
  /// Adds the text and its length, so that "ab", "c" differs from "a", "bc".
  void add(std::string_view Bytes);
  /// 32 hexadecimal digits.
  std::string hex() const;

private:
  struct State;
  std::unique_ptr<State> Of;
};

} // namespace inmem::fleet

#endif

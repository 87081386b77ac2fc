//===- Sha256.h - SHA-256 and HMAC ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FIPS 180-4 and RFC 2104, for signatures of requests and nothing else: their
// keys must not be guessed from how long a signature takes, and here the time
// depends on lengths alone.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_SHA256_H
#define INMEM_FLEET_SHA256_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace inmem::fleet {

using Digest = std::array<uint8_t, 32>;

Digest sha256(std::string_view Bytes);
Digest hmacSha256(std::string_view Key, std::string_view Bytes);
/// 64 hexadecimal digits.
std::string hexOf(const Digest &D);
std::string base64Of(const Digest &D);
/// For a key of hmacSha256().
inline std::string_view bytesOf(const Digest &D) {
  return {reinterpret_cast<const char *>(D.data()), D.size()};
}

} // namespace inmem::fleet

#endif

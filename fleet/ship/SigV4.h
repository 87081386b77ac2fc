//===- SigV4.h - Signatures of requests to S3 -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AWS Signature Version 4 with a signed payload. Common versions of libcurl
// sign paths with `=` wrongly.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_SIGV4_H
#define INMEM_FLEET_SIGV4_H

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace inmem::fleet {

// Sha256.cpp: SHA-256 and HMAC.
//
// FIPS 180-4 and RFC 2104, for signatures of requests and nothing else: their
// keys must not be guessed from how long a signature takes, and here the time
// depends on lengths alone.

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

// SigV4.cpp: Signatures of requests to S3.

struct S3Credentials {
  std::string Id, Secret, Token; ///< Token: empty, or a session's
};

/// The parts of a request that are signed.
struct S3Request {
  std::string Method = "GET";
  std::string Host;       ///< with the port, unless it is the default
  std::string Path = "/"; ///< as in the URL: each segment encoded
  std::map<std::string, std::string> Query = {};   ///< not encoded
  std::map<std::string, std::string> Headers = {}; ///< names in lower case
};

/// Encodes all but letters, digits, `-`, `_`, `.` and `~` as %XX; `/` too,
/// unless KeepSlashes.
std::string uriEncoded(std::string_view Text, bool KeepSlashes = false);
/// `a=1&b=`: names and values encoded, in the order for signing.
std::string queryText(const std::map<std::string, std::string> &Query);

/// The headers to send: the request's, host, date, hash and signature. \param
/// PayloadHash hash of the body, hexadecimal \param Time `20130524T000000Z`
std::map<std::string, std::string> signedHeaders(const S3Request &Request,
                                                 const std::string &PayloadHash,
                                                 const std::string &Time,
                                                 const std::string &Region,
                                                 const S3Credentials &By);

} // namespace inmem::fleet

#endif

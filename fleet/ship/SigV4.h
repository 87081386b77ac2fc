//===- SigV4.h - Signatures of requests to S3 -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AWS Signature Version 4 with a signed payload. libcurl's own signs paths with
// `=` wrongly in the versions that are in use.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_SIGV4_H
#define INMEM_FLEET_SIGV4_H

#include <map>
#include <string>
#include <string_view>

namespace inmem::fleet {

struct S3Credentials {
  std::string Id, Secret, Token; ///< Token: empty, or of a session
};

/// The parts of a request that are signed.
struct S3Request {
  std::string Method = "GET";
  std::string Host;       ///< with a port, if it is not the protocol's
  std::string Path = "/"; ///< as in the URL: each segment encoded
  std::map<std::string, std::string> Query = {};   ///< not encoded
  std::map<std::string, std::string> Headers = {}; ///< names in lower case
};

/// All but letters, digits, `-`, `_`, `.` and `~` as %XX; `/` too, unless
/// KeepSlashes.
std::string uriEncoded(std::string_view Text, bool KeepSlashes = false);
/// `a=1&b=`: names and values encoded, in the order that is signed.
std::string queryText(const std::map<std::string, std::string> &Query);

/// The headers to send: the request's, host, date, hash and signature.
/// \param PayloadHash of the body, hexadecimal
/// \param Time `20130524T000000Z`
std::map<std::string, std::string> signedHeaders(const S3Request &Request,
                                                 const std::string &PayloadHash,
                                                 const std::string &Time,
                                                 const std::string &Region,
                                                 const S3Credentials &By);

} // namespace inmem::fleet

#endif

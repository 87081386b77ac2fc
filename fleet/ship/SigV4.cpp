//===- SigV4.cpp - Signatures of requests to S3 ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/ship/SigV4.h"

#include <fmt/format.h>

namespace inmem::fleet {

std::string uriEncoded(std::string_view Text, bool KeepSlashes) {
  std::string Out;
  for (const char C : Text) {
    const bool Plain = (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
                       (C >= '0' && C <= '9') || C == '-' || C == '_' ||
                       C == '.' || C == '~' || (C == '/' && KeepSlashes);
    if (Plain)
      Out += C;
    else
      Out += fmt::format("%{:02X}", static_cast<unsigned char>(C));
  }
  return Out;
}

std::string queryText(const std::map<std::string, std::string> &Query) {
  std::map<std::string, std::string> Encoded;
  for (const auto &[Name, Value] : Query)
    Encoded.emplace(uriEncoded(Name), uriEncoded(Value));
  std::string Out;
  for (const auto &[Name, Value] : Encoded)
    Out += fmt::format("{}{}={}", Out.empty() ? "" : "&", Name, Value);
  return Out;
}

std::map<std::string, std::string> signedHeaders(const S3Request &Request,
                                                 const std::string &PayloadHash,
                                                 const std::string &Time,
                                                 const std::string &Region,
                                                 const S3Credentials &By) {
  std::map<std::string, std::string> Headers = Request.Headers;
  Headers["host"] = Request.Host;
  Headers["x-amz-date"] = Time;
  Headers["x-amz-content-sha256"] = PayloadHash;
  if (!By.Token.empty())
    Headers["x-amz-security-token"] = By.Token;
  std::string Names, Lines;
  for (const auto &[Name, Value] : Headers) {
    (Names += Names.empty() ? "" : ";") += Name;
    Lines += fmt::format("{}:{}\n", Name, Value);
  }
  const std::string Canonical = Request.Method + '\n' + Request.Path + '\n' +
                                queryText(Request.Query) + '\n' + Lines + '\n' +
                                Names + '\n' + PayloadHash;
  const std::string Day = Time.substr(0, 8);
  const std::string Scope = Day + '/' + Region + "/s3/aws4_request";
  const std::string ToSign = "AWS4-HMAC-SHA256\n" + Time + '\n' + Scope + '\n' +
                             hexOf(sha256(Canonical));
  Digest Key = hmacSha256("AWS4" + By.Secret, Day);
  for (const std::string_view Part :
       {std::string_view(Region), std::string_view("s3"),
        std::string_view("aws4_request")})
    Key = hmacSha256(bytesOf(Key), Part);
  Headers["authorization"] = fmt::format(
      "AWS4-HMAC-SHA256 Credential={}/{},SignedHeaders={},Signature={}", By.Id,
      Scope, Names, hexOf(hmacSha256(bytesOf(Key), ToSign)));
  return Headers;
}

} // namespace inmem::fleet

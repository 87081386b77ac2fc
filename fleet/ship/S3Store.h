//===- S3Store.h - A bucket of S3, or of a compatible service ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FLEET_S3STORE_H
#define INMEM_FLEET_S3STORE_H

#include "fleet/ship/Http.h"
#include "fleet/ship/SigV4.h"
#include "fleet/ship/Store.h"

namespace inmem::fleet {

struct S3Options {
  std::string Bucket, Prefix; ///< Prefix: empty, or ends in `/`
  std::string Endpoint;       ///< `https://host:port`; empty: AWS
  std::string Region = "us-east-1";
  std::string CaFile = {};
  S3Credentials By = {};
  uint64_t PartBytes = uint64_t{8} << 20; ///< larger ones go in parts
};

/// Takes bucket and prefix from `s3://BUCKET/PREFIX`, and the rest from the
/// environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN,
/// AWS_REGION or AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL,
/// AWS_CA_BUNDLE.
trace::Result<S3Options> s3Options(const std::string &Url);

class S3Store final : public Store {
public:
  static trace::Result<std::unique_ptr<Store>> open(S3Options Options,
                                                    uint64_t BytesPerSecond);
  PutOutcome put(const std::string &Key,
                 const std::filesystem::path &File) override;
  std::string name() const override;

private:
  S3Store(S3Options Options, Http Web, uint64_t BytesPerSecond);
  HttpResponse send(S3Request Request, std::string_view Body);
  S3Request requestFor(std::string Method, const std::string &Key) const;
  PutOutcome putWhole(const std::string &Key, const std::string &Bytes);
  PutOutcome putParts(const std::string &Key, const std::filesystem::path &File,
                      uint64_t Size);
  PutOutcome sendParts(const S3Request &To, const std::filesystem::path &File,
                       uint64_t PartBytes);

  S3Options Options;
  std::string Scheme, Host, PathBefore; ///< common to all requests
  Http Web;
  std::unique_ptr<Throttle> Rate; ///< Web.Sent refers to it
};

} // namespace inmem::fleet

#endif

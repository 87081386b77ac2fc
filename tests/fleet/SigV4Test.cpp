//===- SigV4Test.cpp - Signatures of requests to S3 -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/ship/SigV4.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inmem::fleet {

using testing::EndsWith;
using testing::HasSubstr;

// The vectors of FIPS 180-4 and RFC 4231.
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(hexOf(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b93"
                               "4ca495991b7852b855");
  EXPECT_EQ(hexOf(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a39617"
                                  "7a9cb410ff61f20015ad");
  EXPECT_EQ(
      hexOf(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopno"
                   "pq")),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexOf(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(base64Of(sha256("")),
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

TEST(Sha256, HmacIsThatOfTheStandard) {
  EXPECT_EQ(hexOf(hmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hexOf(hmacSha256(std::string(131, '\xaa'),
                             "Test Using Larger Than Block-Size Key - Hash Key "
                             "First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

/// The examples of the documentation of S3.
class SigV4Test : public testing::Test {
protected:
  std::string signatureOf(const S3Request &Request,
                          const std::string &Hash = hexOf(sha256(""))) const {
    return signedHeaders(Request, Hash, "20130524T000000Z", "us-east-1", By)
        .at("authorization");
  }
  const S3Credentials By = {"AKIAIOSFODNN7EXAMPLE",
                            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
  const std::string Host = "examplebucket.s3.amazonaws.com";
};

TEST_F(SigV4Test, OfAGetWithARange) {
  const S3Request Request{
      .Host = Host, .Path = "/test.txt", .Headers = {{"range", "bytes=0-9"}}};
  EXPECT_EQ(signatureOf(Request),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/"
            "us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-"
            "sha256;x-amz-date,Signature="
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST_F(SigV4Test, OfAPut) {
  const S3Request Request{
      .Method = "PUT",
      .Host = Host,
      .Path = '/' + uriEncoded("test$file.text"),
      .Headers = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                  {"x-amz-storage-class", "REDUCED_REDUNDANCY"}}};
  EXPECT_THAT(
      signatureOf(Request, hexOf(sha256("Welcome to Amazon S3."))),
      EndsWith(
          "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST_F(SigV4Test, OfAQuery) {
  EXPECT_THAT(
      signatureOf({.Host = Host, .Query = {{"lifecycle", ""}}}),
      EndsWith(
          "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
  EXPECT_THAT(
      signatureOf(
          {.Host = Host, .Query = {{"max-keys", "2"}, {"prefix", "J"}}}),
      EndsWith(
          "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST_F(SigV4Test, ASessionHasItsToken) {
  const S3Credentials Session = {"id", "secret", "token"};
  const auto Headers = signedHeaders({.Host = Host}, hexOf(sha256("")),
                                     "20130524T000000Z", "eu-west-1", Session);
  EXPECT_EQ(Headers.at("x-amz-security-token"), "token");
  EXPECT_THAT(Headers.at("authorization"), HasSubstr("x-amz-security-token"));
}

TEST(UriEncoded, KeepsWhatNeedsNoCode) {
  EXPECT_EQ(uriEncoded("date=2026-11-24/a_b.c~d é", true),
            "date%3D2026-11-24/a_b.c~d%20%C3%A9");
  EXPECT_EQ(uriEncoded("a/b"), "a%2Fb");
}

} // namespace inmem::fleet

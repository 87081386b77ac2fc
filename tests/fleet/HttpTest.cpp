//===- HttpTest.cpp - Requests, and what is retried -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/ship/Http.h"

#include "fleet/ship/S3Store.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#endif

namespace inmem::fleet {

#ifdef LIBCURL_VERSION_NUM
static_assert(curl::kWriteData == CURLOPT_WRITEDATA);
static_assert(curl::kUrl == CURLOPT_URL);
static_assert(curl::kReadData == CURLOPT_READDATA);
static_assert(curl::kErrorBuffer == CURLOPT_ERRORBUFFER);
static_assert(curl::kHttpHeader == CURLOPT_HTTPHEADER);
static_assert(curl::kHeaderData == CURLOPT_HEADERDATA);
static_assert(curl::kCustomRequest == CURLOPT_CUSTOMREQUEST);
static_assert(curl::kCaInfo == CURLOPT_CAINFO);
static_assert(curl::kSeekData == CURLOPT_SEEKDATA);
static_assert(curl::kWriteFunction == CURLOPT_WRITEFUNCTION);
static_assert(curl::kReadFunction == CURLOPT_READFUNCTION);
static_assert(curl::kHeaderFunction == CURLOPT_HEADERFUNCTION);
static_assert(curl::kSeekFunction == CURLOPT_SEEKFUNCTION);
static_assert(curl::kInFileSizeLarge == CURLOPT_INFILESIZE_LARGE);
static_assert(curl::kLowSpeedLimit == CURLOPT_LOW_SPEED_LIMIT);
static_assert(curl::kLowSpeedTime == CURLOPT_LOW_SPEED_TIME);
static_assert(curl::kNoBody == CURLOPT_NOBODY);
static_assert(curl::kUpload == CURLOPT_UPLOAD);
static_assert(curl::kConnectTimeout == CURLOPT_CONNECTTIMEOUT);
static_assert(curl::kNoSignal == CURLOPT_NOSIGNAL);
static_assert(curl::kPathAsIs == CURLOPT_PATH_AS_IS);
static_assert(curl::kResponseCode == CURLINFO_RESPONSE_CODE);
static_assert(curl::kGlobalDefault == CURL_GLOBAL_DEFAULT);
static_assert(curl::kErrorBytes == CURL_ERROR_SIZE);
static_assert(sizeof(curl_off_t) == sizeof(int64_t));
#endif

using testing::HasSubstr;
using testing::Not;

class S3OptionsTest : public testing::Test {
protected:
  void SetUp() override {
    for (const char *Name :
         {"AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION",
          "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_CA_BUNDLE"})
      unsetenv(Name);
    setenv("AWS_ACCESS_KEY_ID", "id", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
  }
};

TEST_F(S3OptionsTest, ComeFromUrlAndEnvironment) {
  auto Options = s3Options("s3://bucket");
  ASSERT_TRUE(Options) << Options.status().str();
  EXPECT_EQ(Options->Bucket, "bucket");
  EXPECT_EQ(Options->Prefix, "");
  EXPECT_EQ(Options->Region, "us-east-1");
  EXPECT_EQ(Options->Endpoint, "");
  setenv("AWS_DEFAULT_REGION", "eu-west-1", 1);
  setenv("AWS_ENDPOINT_URL", "https://all", 1);
  setenv("AWS_ENDPOINT_URL_S3", "https://s3", 1);
  Options = s3Options("s3://bucket/a/b");
  ASSERT_TRUE(Options) << Options.status().str();
  EXPECT_EQ(Options->Prefix, "a/b/");
  EXPECT_EQ(Options->Region, "eu-west-1");
  EXPECT_EQ(Options->Endpoint, "https://s3");
}

TEST_F(S3OptionsTest, BucketsHaveDotsAndUnderscores) {
  for (const char *Bucket : {"a.B-1", "under_score", "a.b_c"}) {
    const auto Options = s3Options("s3://" + std::string(Bucket) + "/x/");
    ASSERT_TRUE(Options) << Options.status().str();
    EXPECT_EQ(Options->Bucket, Bucket);
    EXPECT_EQ(Options->Prefix, "x/");
  }
}

TEST_F(S3OptionsTest, ErrorsRepeatNoSecret) {
  for (const char *Url : {"s3://", "s3:///x", "s3://id:secret@bucket/x",
                          "s3://secr%65t", "s3://secret bucket"}) {
    const auto Options = s3Options(Url);
    ASSERT_FALSE(Options) << Url;
    EXPECT_THAT(Options.status().str(), HasSubstr("s3://BUCKET"));
    EXPECT_THAT(Options.status().str(), Not(HasSubstr("secret")));
  }
  unsetenv("AWS_SECRET_ACCESS_KEY");
  const auto Options = s3Options("s3://bucket");
  ASSERT_FALSE(Options);
  EXPECT_THAT(Options.status().str(), HasSubstr("AWS_SECRET_ACCESS_KEY"));
}

} // namespace inmem::fleet

//===- S3Store.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/ship/S3Store.h"

#include "fleet/ship/SigV4.h"
#include "fleet/tables/Durable.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <fstream>

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;

/// The most parts that an object may have.
constexpr uint64_t kMostParts = 10'000;

static std::string environment(std::initializer_list<const char *> Names) {
  for (const char *Name : Names)
    if (const char *Value = std::getenv(Name); Value && *Value)
      return Value;
  return {};
}

Result<S3Options> s3Options(const std::string &Url) {
  constexpr std::string_view kScheme = "s3://";
  S3Options Out;
  const std::string Rest = Url.substr(kScheme.size());
  const size_t Slash = std::min(Rest.find('/'), Rest.size());
  Out.Bucket = Rest.substr(0, Slash);
  const bool Named =
      !Out.Bucket.empty() && std::ranges::all_of(Out.Bucket, [](char C) {
        return std::isalnum(static_cast<unsigned char>(C)) != 0 || C == '-' ||
               C == '.' || C == '_';
      });
  if (!Named) // do not print the text: it may hold a secret
    return Status::error("", "expected s3://BUCKET or s3://BUCKET/PREFIX");
  if (Slash < Rest.size())
    Out.Prefix = Rest.substr(Slash + 1);
  if (!Out.Prefix.empty() && Out.Prefix.back() != '/')
    Out.Prefix += '/';
  Out.By = {environment({"AWS_ACCESS_KEY_ID"}),
            environment({"AWS_SECRET_ACCESS_KEY"}),
            environment({"AWS_SESSION_TOKEN"})};
  if (Out.By.Id.empty() || Out.By.Secret.empty())
    return Status::error("", "expected credentials in AWS_ACCESS_KEY_ID and "
                             "AWS_SECRET_ACCESS_KEY");
  if (auto Region = environment({"AWS_REGION", "AWS_DEFAULT_REGION"});
      !Region.empty())
    Out.Region = Region;
  Out.Endpoint = environment({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  Out.CaFile = environment({"AWS_CA_BUNDLE"});
  return Out;
}

Result<std::unique_ptr<Store>> S3Store::open(S3Options Options,
                                             uint64_t BytesPerSecond) {
  if (!Options.Endpoint.empty() && !Options.Endpoint.starts_with("http://") &&
      !Options.Endpoint.starts_with("https://"))
    return Status::error("", "AWS_ENDPOINT_URL: expected http:// or https://");
  auto Web = Http::open(Options.CaFile);
  if (!Web)
    return Web.status();
  return std::unique_ptr<Store>(
      new S3Store(std::move(Options), std::move(*Web), BytesPerSecond));
}

S3Store::S3Store(S3Options Of, Http With, uint64_t BytesPerSecond)
    : Options(std::move(Of)), Scheme("https://"), Web(std::move(With)),
      Rate(std::make_unique<Throttle>(BytesPerSecond)) {
  Web.Sent = [To = Rate.get()](size_t Bytes) { To->passed(Bytes); };
  if (Options.Endpoint.empty()) {
    Host = fmt::format("s3.{}.amazonaws.com", Options.Region);
    // A wildcard certificate covers one label, so a bucket with dots cannot be
    // part of the host.
    if (Options.Bucket.find('.') == std::string::npos) {
      Host = Options.Bucket + '.' + Host;
      return;
    }
  } else {
    const size_t At = Options.Endpoint.find("://") + 3;
    Scheme = Options.Endpoint.substr(0, At);
    const size_t Slash =
        std::min(Options.Endpoint.find('/', At), Options.Endpoint.size());
    Host = Options.Endpoint.substr(At, Slash - At);
    PathBefore = Options.Endpoint.substr(Slash);
    while (PathBefore.ends_with('/'))
      PathBefore.pop_back();
  }
  PathBefore += '/' + Options.Bucket;
}

std::string S3Store::name() const {
  return "s3://" + Options.Bucket + '/' + Options.Prefix;
}

static std::string timeNow() {
  const std::time_t Now = std::time(nullptr);
  std::tm Utc{};
  gmtime_r(&Now, &Utc);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", Utc.tm_year + 1900,
                     Utc.tm_mon + 1, Utc.tm_mday, Utc.tm_hour, Utc.tm_min,
                     Utc.tm_sec);
}

S3Request S3Store::requestFor(std::string Method,
                              const std::string &Key) const {
  return {.Method = std::move(Method),
          .Host = Host,
          .Path = PathBefore + '/' + uriEncoded(Options.Prefix + Key, true)};
}

HttpResponse S3Store::send(S3Request Request, std::string_view Body) {
  if (Request.Method == "POST" || Request.Method == "PUT")
    Request.Headers.emplace("content-type", Request.Method == "POST"
                                                ? "application/xml"
                                                : "application/octet-stream");
  HttpRequest Out;
  Out.Method = Request.Method;
  Out.Url = Scheme + Host + Request.Path;
  if (!Request.Query.empty())
    Out.Url += '?' + queryText(Request.Query);
  Out.Headers = signedHeaders(Request, hexOf(sha256(Body)), timeNow(),
                              Options.Region, Options.By);
  Out.Headers.erase("host"); // libcurl sends the same header
  Out.Body = Body;
  reachStep(Request.Method.c_str());
  return Web.send(Out);
}

/// The text of an element of a short answer in XML, or empty.
static std::string elementOf(const std::string &Xml, const std::string &Name) {
  const std::string Open = '<' + Name + '>';
  const size_t From = Xml.find(Open);
  const size_t To = Xml.find("</" + Name + '>');
  if (From == std::string::npos || To == std::string::npos ||
      To < From + Open.size())
    return {};
  return Xml.substr(From + Open.size(), To - From - Open.size());
}

static PutOutcome outcomeOf(const HttpResponse &R, const std::string &Doing) {
  if (R.Code == 0)
    return {PutOutcome::Failed, Doing + ": " + R.Error};
  // A multipart upload can answer 200 and an error.
  const std::string Code = elementOf(R.Body, "Code");
  if (R.Code / 100 == 2 && Code.empty())
    return {PutOutcome::Added};
  if (R.Code == 412)
    return {PutOutcome::Present};
  std::string Why = fmt::format("{}: HTTP {}", Doing, R.Code);
  // Only this part of the answer, since others may repeat the request.
  if (!Code.empty())
    Why += ' ' + Code;
  if (const std::string Text = elementOf(R.Body, "Message"); !Text.empty())
    Why += ": " + Text.substr(0, Text.find('\n'));
  const bool Later = R.Code / 100 == 2 || R.Code / 100 == 5 || R.Code == 408 ||
                     R.Code == 409 || R.Code == 429 ||
                     // Bytes changed in transit, or arrived too slowly.
                     Code == "BadDigest" || Code == "RequestTimeout" ||
                     Code == "XAmzContentSHA256Mismatch" ||
                     Code == "IncompleteBody";
  return {Later ? PutOutcome::Failed : PutOutcome::Refused, Why};
}

/// At most this number of bytes; 0 at the end of the file.
static bool readPiece(std::ifstream &In, std::string &Into, uint64_t Bytes) {
  Into.resize(Bytes);
  In.read(Into.data(), static_cast<std::streamsize>(Bytes));
  Into.resize(static_cast<size_t>(In.gcount()));
  return !In.bad() && In.is_open();
}

PutOutcome S3Store::put(const std::string &Key, const fs::path &File) {
  std::error_code Error;
  const uint64_t Size = fs::file_size(File, Error);
  if (Error)
    return {PutOutcome::Failed,
            File.string() + ": cannot be read: " + Error.message()};
  if (Size > Options.PartBytes)
    return putParts(Key, File, Size);
  std::ifstream In(File, std::ios::binary);
  std::string Bytes;
  if (!readPiece(In, Bytes, Size) || Bytes.size() != Size)
    return {PutOutcome::Failed, File.string() + ": cannot be read"};
  return putWhole(Key, Bytes);
}

PutOutcome S3Store::putWhole(const std::string &Key, const std::string &Bytes) {
  S3Request Request = requestFor("PUT", Key);
  Request.Headers = {{"if-none-match", "*"},
                     {"x-amz-checksum-sha256", base64Of(sha256(Bytes))}};
  return outcomeOf(send(std::move(Request), Bytes), name() + Key);
}

PutOutcome S3Store::putParts(const std::string &Key, const fs::path &File,
                             uint64_t Size) {
  const std::string Doing = name() + Key;
  // A large object is worth a request that checks whether it exists.
  if (const HttpResponse R = send(requestFor("HEAD", Key), {}); R.Code == 200)
    return {PutOutcome::Present};
  S3Request Begin = requestFor("POST", Key);
  Begin.Query = {{"uploads", ""}};
  const HttpResponse Begun = send(std::move(Begin), {});
  const std::string Id = elementOf(Begun.Body, "UploadId");
  if (const PutOutcome Out = outcomeOf(Begun, Doing); !Out.ok())
    return Out;
  if (Id.empty())
    return {PutOutcome::Failed, Doing + ": the answer has no UploadId"};
  S3Request To = requestFor("PUT", Key);
  To.Query = {{"uploadId", Id}};
  const uint64_t PartBytes = std::max(Options.PartBytes, Size / kMostParts + 1);
  PutOutcome Out = sendParts(To, File, PartBytes);
  if (!Out.ok()) {
    // If this fails too, the bucket's rule for unfinished uploads removes it.
    S3Request Abort = requestFor("DELETE", Key);
    Abort.Query = To.Query;
    send(std::move(Abort), {});
  }
  return Out;
}

PutOutcome S3Store::sendParts(const S3Request &To, const fs::path &File,
                              uint64_t PartBytes) {
  const std::string Doing = "s3:/" + To.Path;
  std::ifstream In(File, std::ios::binary);
  std::string Bytes, List;
  for (unsigned Number = 1;; ++Number) {
    if (!readPiece(In, Bytes, PartBytes))
      return {PutOutcome::Failed, File.string() + ": cannot be read"};
    if (Bytes.empty())
      break;
    S3Request Part = To;
    Part.Query["partNumber"] = std::to_string(Number);
    const HttpResponse R = send(std::move(Part), Bytes);
    if (const PutOutcome Out = outcomeOf(R, Doing); !Out.ok())
      return Out;
    List +=
        fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>",
                    Number, R.ETag);
  }
  S3Request End = To;
  End.Method = "POST";
  End.Headers = {{"if-none-match", "*"}};
  return outcomeOf(send(std::move(End), "<CompleteMultipartUpload>" + List +
                                            "</CompleteMultipartUpload>"),
                   Doing);
}

} // namespace inmem::fleet

//===- Http.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/ship/Http.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>

namespace inmem::fleet {

using trace::Result;
using trace::Status;

namespace {

/// Answers of a store are short. Longer ones are cut.
constexpr size_t kLongestBody = size_t{64} << 10;
constexpr long kConnectSeconds = 10;
/// A connection that is idle for this long is closed.
constexpr long kIdleSeconds = 60;

struct CurlApi {
  int (*GlobalInit)(long);
  void *(*Init)();
  void (*Cleanup)(void *);
  void (*Reset)(void *);
  int (*SetOption)(void *, int, ...);
  int (*Perform)(void *);
  int (*GetInfo)(void *, int, ...);
  const char *(*ErrorText)(int);
  void *(*AppendHeader)(void *, const char *);
  void (*FreeHeaders)(void *);
};

/// All functions; null if the library cannot be loaded.
const CurlApi *loadCurl() {
  static CurlApi Api;
  static bool Loaded = false;
  if (Loaded)
    return &Api;
  void *Library = nullptr;
  for (const char *Name : {"libcurl.so.4", "libcurl-gnutls.so.4"})
    if (!Library)
      Library = dlopen(Name, RTLD_NOW | RTLD_LOCAL);
  if (!Library)
    return nullptr;
  bool All = true;
  const auto Find = [&]<class F>(F &Into, const char *Name) {
    Into = reinterpret_cast<F>(dlsym(Library, Name));
    All = All && Into;
  };
  Find(Api.GlobalInit, "curl_global_init");
  Find(Api.Init, "curl_easy_init");
  Find(Api.Cleanup, "curl_easy_cleanup");
  Find(Api.Reset, "curl_easy_reset");
  Find(Api.SetOption, "curl_easy_setopt");
  Find(Api.Perform, "curl_easy_perform");
  Find(Api.GetInfo, "curl_easy_getinfo");
  Find(Api.ErrorText, "curl_easy_strerror");
  Find(Api.AppendHeader, "curl_slist_append");
  Find(Api.FreeHeaders, "curl_slist_free_all");
  Loaded = All && Api.GlobalInit(curl::kGlobalDefault) == 0;
  return Loaded ? &Api : nullptr;
}

/// State of the functions that libcurl calls.
struct Transfer {
  std::string_view Body;
  size_t At = 0;
  const std::function<void(size_t)> *Sent = nullptr;
  HttpResponse *Into = nullptr;
};

size_t readBody(char *To, size_t Size, size_t Count, void *Data) {
  auto &T = *static_cast<Transfer *>(Data);
  const size_t Bytes = std::min(Size * Count, T.Body.size() - T.At);
  std::memcpy(To, T.Body.data() + T.At, Bytes);
  T.At += Bytes;
  (*T.Sent)(Bytes);
  return Bytes;
}

/// A kept connection may turn out to be closed. The body is then sent again.
int seekBody(void *Data, int64_t Offset, int Origin) {
  auto &T = *static_cast<Transfer *>(Data);
  if (Origin != SEEK_SET || Offset < 0 ||
      static_cast<uint64_t>(Offset) > T.Body.size())
    return 1;
  T.At = static_cast<size_t>(Offset);
  return 0;
}

size_t writeBody(const char *From, size_t Size, size_t Count, void *Data) {
  std::string &Body = static_cast<Transfer *>(Data)->Into->Body;
  Body.append(From, std::min(Size * Count, kLongestBody - Body.size()));
  return Size * Count;
}

size_t readHeader(const char *From, size_t Size, size_t Count, void *Data) {
  std::string_view Line(From, Size * Count);
  constexpr std::string_view kName = "etag:";
  const bool Is = Line.size() > kName.size() &&
                  std::ranges::equal(
                      Line.substr(0, kName.size()), kName, [](char A, char B) {
                        return std::tolower(static_cast<unsigned char>(A)) == B;
                      });
  if (Is) {
    Line.remove_prefix(kName.size());
    const size_t First = Line.find_first_not_of(' ');
    const size_t End = Line.find_last_not_of(" \r\n");
    if (First != std::string_view::npos)
      static_cast<Transfer *>(Data)->Into->ETag =
          Line.substr(First, End - First + 1);
  }
  return Size * Count;
}

} // namespace

struct Http::State {
  const CurlApi *Api = nullptr;
  void *Handle = nullptr;
  std::string CaFile;
  ~State() {
    if (Handle)
      Api->Cleanup(Handle);
  }
};

Http::Http(std::unique_ptr<State> Of) : Of(std::move(Of)) {}
Http::Http(Http &&From) noexcept = default;
Http::~Http() = default;

Result<Http> Http::open(std::string CaFile) {
  const CurlApi *Api = loadCurl();
  if (!Api)
    return Status::error(
        "", "libcurl cannot be loaded: install libcurl4 (Debian, Ubuntu) or "
            "libcurl (Fedora)");
  auto Out = std::make_unique<State>();
  Out->Api = Api;
  Out->Handle = Api->Init();
  Out->CaFile = std::move(CaFile);
  if (!Out->Handle)
    return Status::error("", "libcurl cannot be initialised");
  return Http(std::move(Out));
}

HttpResponse Http::send(const HttpRequest &Request) {
  HttpResponse Out;
  Transfer T{Request.Body, 0, &Sent, &Out};
  const CurlApi &Api = *Of->Api;
  void *const H = Of->Handle;
  std::array<char, curl::kErrorBytes> Error = {};
  void *Headers = nullptr;
  for (const auto &[Name, Value] : Request.Headers)
    // A header without a value has another form.
    Headers = Api.AppendHeader(
        Headers,
        fmt::format("{}{}{}", Name, Value.empty() ? ";" : ": ", Value).c_str());
  // Not every store supports `Expect: 100-continue`.
  Headers = Api.AppendHeader(Headers, "Expect:");
  Api.Reset(H);
  Api.SetOption(H, curl::kUrl, Request.Url.c_str());
  Api.SetOption(H, curl::kCustomRequest, Request.Method.c_str());
  Api.SetOption(H, curl::kHttpHeader, Headers);
  Api.SetOption(H, curl::kErrorBuffer, Error.data());
  Api.SetOption(H, curl::kPathAsIs, 1L);
  Api.SetOption(H, curl::kNoSignal, 1L);
  Api.SetOption(H, curl::kConnectTimeout, kConnectSeconds);
  Api.SetOption(H, curl::kLowSpeedLimit, 1L);
  Api.SetOption(H, curl::kLowSpeedTime, kIdleSeconds);
  Api.SetOption(H, curl::kWriteFunction, writeBody);
  Api.SetOption(H, curl::kWriteData, &T);
  Api.SetOption(H, curl::kHeaderFunction, readHeader);
  Api.SetOption(H, curl::kHeaderData, &T);
  if (!Of->CaFile.empty())
    Api.SetOption(H, curl::kCaInfo, Of->CaFile.c_str());
  if (Request.Method == "HEAD") {
    Api.SetOption(H, curl::kNoBody, 1L);
  } else if (Request.Method == "PUT" || Request.Method == "POST") {
    Api.SetOption(H, curl::kUpload, 1L);
    Api.SetOption(H, curl::kInFileSizeLarge,
                  static_cast<int64_t>(Request.Body.size()));
    Api.SetOption(H, curl::kReadFunction, readBody);
    Api.SetOption(H, curl::kReadData, &T);
    Api.SetOption(H, curl::kSeekFunction, seekBody);
    Api.SetOption(H, curl::kSeekData, &T);
  }
  const int Done = Api.Perform(H);
  Api.FreeHeaders(Headers);
  if (Done == 0)
    Api.GetInfo(H, curl::kResponseCode, &Out.Code);
  else
    Out.Error = Error[0] != '\0' ? Error.data() : Api.ErrorText(Done);
  return Out;
}

} // namespace inmem::fleet

//===- Http.h - Requests over HTTP by libcurl, loaded when needed ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcurl is opened by name: inmem neither links it nor needs its header. Its
// option numbers and its functions have not changed since version 7.16.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_HTTP_H
#define INMEM_FLEET_HTTP_H

#include "trace/read/Status.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace inmem::fleet {

/// Numbers from curl.h. Tests compare them with it.
namespace curl {
inline constexpr int kWriteData = 10001, kUrl = 10002, kReadData = 10009,
                     kErrorBuffer = 10010, kHttpHeader = 10023,
                     kHeaderData = 10029, kCustomRequest = 10036,
                     kCaInfo = 10065, kSeekData = 10168, kWriteFunction = 20011,
                     kReadFunction = 20012, kHeaderFunction = 20079,
                     kSeekFunction = 20167, kInFileSizeLarge = 30115,
                     kLowSpeedLimit = 19, kLowSpeedTime = 20, kNoBody = 44,
                     kUpload = 46, kConnectTimeout = 78, kNoSignal = 99,
                     kPathAsIs = 234, kResponseCode = 0x200002;
inline constexpr size_t kErrorBytes = 256;
inline constexpr long kGlobalDefault = 3;
} // namespace curl

struct HttpRequest {
  std::string Method = "GET", Url;
  std::map<std::string, std::string> Headers = {};
  std::string_view Body = {};
};

struct HttpResponse {
  long Code = 0; ///< 0: no response
  std::string Body, ETag;
  std::string Error; ///< why there was no response
};

/// Keeps connections. Not thread-safe.
class Http {
public:
  /// \param CaFile certificates to trust; empty: the system's
  /// \returns an error of one line if there is no library.
  static trace::Result<Http> open(std::string CaFile);
  Http(Http &&From) noexcept;
  Http &operator=(Http &&) = delete;
  ~Http();

  /// Called with the number of bytes of a body that were sent.
  std::function<void(size_t)> Sent = [](size_t) {};
  HttpResponse send(const HttpRequest &Request);

private:
  struct State;
  explicit Http(std::unique_ptr<State> Of);
  std::unique_ptr<State> Of;
};

} // namespace inmem::fleet

#endif

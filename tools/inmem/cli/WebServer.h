//===- WebServer.h - HTTP for this machine --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks between a browser and our pages. Accepts only GET and HEAD, with
// the token, under the server's own name (not another site's name that resolves
// to it), and never from another site's page.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_WEBSERVER_H
#define INMEM_TOOLS_WEBSERVER_H

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace inmem::tools {

struct Answer {
  int Status = 200;
  std::string Type = "text/plain; charset=utf-8";
  /// Shared by all current readers.
  std::shared_ptr<const std::string> Body;

  static Answer of(int Status, const std::string &Text) {
    return {Status, "text/plain; charset=utf-8",
            std::make_shared<const std::string>(Text + '\n')};
  }
};

struct WebOptions {
  std::string Host = "127.0.0.1"; ///< address to listen on
  int Port = 0;                   ///< 0: any that is free
  std::string Token;
};

/// Called with the path and the parsed query, concurrently from several
/// threads.
using WebHandler = std::function<Answer(
    const std::string &, const std::map<std::string, std::string> &)>;

/// Serves until SIGINT or SIGTERM. \param Started is called with the port
/// \returns an error message; empty after a normal end.
std::string serveWeb(const WebOptions &Options, const WebHandler &Handle,
                     const std::function<void(int)> &Started);

/// \p Path with a query, escaped.
std::string urlOf(const std::string &Path,
                  const std::multimap<std::string, std::string> &Query);

/// 128 random bits as text.
std::string randomToken();

} // namespace inmem::tools

#endif

//===- WebServer.cpp - HTTP for this machine ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/WebServer.h"

#include <algorithm>
#include <csignal>
#include <httplib.h>
#include <optional>
#include <sys/random.h>
#include <thread>
#include <vector>

namespace inmem::tools {

std::string urlOf(const std::string &Path,
                  const std::multimap<std::string, std::string> &Query) {
  return httplib::append_query_params(Path, Query);
}

std::string randomToken() {
  unsigned char Bytes[16];
  if (getrandom(Bytes, sizeof Bytes, 0) != sizeof Bytes)
    return {};
  std::string Out;
  for (const unsigned char B : Bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    Out += kDigits[B >> 4];
    Out += kDigits[B & 15];
  }
  return Out;
}

/// Compares in constant time, so that timing does not reveal the first
/// difference.
static bool sameToken(const std::string &A, const std::string &B) {
  unsigned Differ = A.size() == B.size() ? 0 : 1;
  for (size_t I = 0; I < A.size() && I < B.size(); ++I)
    Differ |= static_cast<unsigned char>(A[I] ^ B[I]);
  return Differ == 0;
}

namespace {

/// The server's own names.
std::vector<std::string> namesOf(const WebOptions &Options, int Port) {
  std::vector<std::string> Names{Options.Host + ':' + std::to_string(Port)};
  if (Options.Host == "127.0.0.1")
    Names.push_back("localhost:" + std::to_string(Port));
  return Names;
}

/// The response that refuses an invalid request; nullopt for a valid one.
std::optional<Answer> refused(const httplib::Request &Asked,
                              const WebOptions &Options,
                              const std::vector<std::string> &Names) {
  const auto Known = [&Names](const std::string &Host) {
    return std::find(Names.begin(), Names.end(), Host) != Names.end();
  };
  if (Asked.method != "GET" && Asked.method != "HEAD")
    return Answer::of(405, "only GET and HEAD");
  if (Asked.get_header_value_count("Host") != 1 ||
      !Known(Asked.get_header_value("Host")))
    return Answer::of(403, "asked for under another name");
  if (Asked.has_header("Origin")) {
    const std::string Origin = Asked.get_header_value("Origin");
    if (!Origin.starts_with("http://") || !Known(Origin.substr(7)))
      return Answer::of(403, "asked for by another site");
  }
  if (!sameToken(Asked.get_param_value("token"), Options.Token))
    return Answer::of(403, "the token of the address is missing or wrong");
  return std::nullopt;
}

void put(const Answer &A, httplib::Response &Out) {
  Out.status = A.Status;
  const auto Body = A.Body;
  Out.set_content_provider(
      Body->size(), A.Type.c_str(),
      [Body](size_t From, size_t Length, httplib::DataSink &Sink) {
        // Send one piece at a time, to notice a slow reader.
        constexpr size_t kPiece = 64 << 10;
        return Sink.write(Body->data() + From, std::min(Length, kPiece));
      });
}

} // namespace

std::string serveWeb(const WebOptions &Options, const WebHandler &Handle,
                     const std::function<void(int)> &Started) {
  // Block these in all threads, so that one thread can wait for them.
  sigset_t Ends;
  sigemptyset(&Ends);
  sigaddset(&Ends, SIGINT);
  sigaddset(&Ends, SIGTERM);
  sigaddset(&Ends, SIGUSR2); // ours, to end the wait
  pthread_sigmask(SIG_BLOCK, &Ends, nullptr);
  signal(SIGPIPE, SIG_IGN);

  httplib::Server Server;
  constexpr size_t kThreads = 64, kBody = 4096;
  Server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  Server.set_payload_max_length(kBody);
  Server.set_read_timeout(std::chrono::seconds(5));
  Server.set_write_timeout(std::chrono::seconds(5));
  Server.set_keep_alive_timeout(2);
  Server.set_keep_alive_max_count(20);
  Server.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cache-Control", "no-store"},
                              {"X-Frame-Options", "DENY"},
                              {"Cross-Origin-Resource-Policy", "same-origin"}});
  Server.set_exception_handler([](const httplib::Request &,
                                  httplib::Response &Out,
                                  const std::exception_ptr &) {
    put(Answer::of(500, "this could not be answered"), Out);
  });
  socket_t Socket = INVALID_SOCKET;
  Server.set_socket_options([&](socket_t Of) {
    httplib::default_socket_options(Of);
    Socket = Of;
  });
  std::vector<std::string> Names;
  Server.set_pre_routing_handler(
      [&](const httplib::Request &Asked, httplib::Response &Out) {
        if (const auto No = refused(Asked, Options, Names)) {
          put(*No, Out);
          return httplib::Server::HandlerResponse::Handled;
        }
        std::map<std::string, std::string> Query;
        for (const auto &[Key, Value] : Asked.params)
          Query[Key] = Value;
        put(Handle(Asked.path, Query), Out);
        return httplib::Server::HandlerResponse::Handled;
      });

  const int Port =
      Options.Port == 0 ? Server.bind_to_any_port(Options.Host.c_str())
      : Server.bind_to_port(Options.Host.c_str(), Options.Port) ? Options.Port
                                                                : -1;
  if (Port <= 0)
    return "cannot listen at " + Options.Host + ':' +
           std::to_string(Options.Port);
  // The library's backlog is five connections. On a busy machine, the kernel
  // would reset others.
  listen(Socket, SOMAXCONN);
  Names = namesOf(Options, Port);
  std::thread Waiter([&] {
    int Signal = 0;
    sigwait(&Ends, &Signal);
    Server.stop();
  });
  Started(Port);
  const bool Good = Server.listen_after_bind();
  pthread_kill(Waiter.native_handle(), SIGUSR2);
  Waiter.join();
  return Good ? "" : "the server ended by itself";
}

} // namespace inmem::tools

//===- Server.cpp - The loop, and start and end of the server -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Server.h"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <unistd.h>

namespace inmem::tools {

using report::Json;

Server::Server(std::string Glob) : TraceGlob(std::move(Glob)) {
  std::error_code Error;
  Root = std::filesystem::current_path(Error);
}

void Server::send(const Json &Message) const {
  rpcSend(Framing::Headers, Message);
}

void Server::notify(const char *Method, Json Params) const {
  send({{"jsonrpc", "2.0"}, {"method", Method}, {"params", std::move(Params)}});
}

void Server::ask(const char *Method, Json Params, Answer Then) {
  Waiting[++LastId] = std::move(Then);
  Json Message = {{"jsonrpc", "2.0"}, {"id", LastId}, {"method", Method}};
  if (!Params.is_null())
    Message["params"] = std::move(Params);
  send(Message);
}

void Server::show(const std::string &Text, int Kind) const {
  notify("window/showMessage", {{"type", Kind}, {"message", "inmem: " + Text}});
}

void Server::log(const std::string &Text) const {
  notify("window/logMessage", {{"type", 3}, {"message", "inmem: " + Text}});
}

bool Server::can(const char *Pointer) const {
  const Json::json_pointer At(std::string("/") + Pointer);
  if (!Client.contains(At))
    return false;
  const Json &Value = Client[At];
  return Value.is_boolean() ? Value.get<bool>() : !Value.is_null();
}

/// The folder that the client has open, from the newest of three fields that
/// may name it.
static std::filesystem::path rootOf(const Json &Params,
                                    const std::filesystem::path &Otherwise) {
  std::string Path;
  if (const auto Folders = Params.find("workspaceFolders");
      Folders != Params.end() && Folders->is_array() && !Folders->empty())
    Path = pathOfUri(textMember((*Folders)[0], "uri"));
  if (Path.empty())
    Path = pathOfUri(textMember(Params, "rootUri"));
  if (Path.empty())
    Path = textMember(Params, "rootPath");
  std::error_code Error;
  const auto Out = std::filesystem::canonical(Path, Error);
  return Path.empty() || Error ? Otherwise : Out;
}

Json Server::initialize(const Json &Params) {
  if (Params.contains("capabilities") && Params["capabilities"].is_object())
    Client = Params["capabilities"];
  Root = rootOf(Params, Root);
  if (const Json::json_pointer At("/general/positionEncodings");
      Client.contains(At) && Client[At].is_array() && !Client[At].empty() &&
      Client[At][0] == "utf-8")
    In16 = Columns::Utf8;
  if (const auto Options = Params.find("initializationOptions");
      Options != Params.end())
    if (const std::string Wrong = Settings.take(*Options); !Wrong.empty())
      show(Wrong, 2);
  Life = State::Running;
  return {
      {"capabilities",
       {{"positionEncoding", In16 == Columns::Utf8 ? "utf-8" : "utf-16"},
        {"textDocumentSync",
         {{"openClose", true}, {"change", 2}, {"save", true}}},
        {"inlayHintProvider", true},
        {"codeLensProvider", {{"resolveProvider", false}}},
        {"hoverProvider", true},
        {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor"}}}},
        {"executeCommandProvider",
         {{"commands",
           {"inmem.run", "inmem.compare", "inmem.open", "inmem.snapshot",
            "inmem.fix"}}}}}},
      {"serverInfo", {{"name", "inmem"}, {"version", INMEM_VERSION}}}};
}

void Server::initialized() {
  if (can("workspace/didChangeConfiguration/dynamicRegistration"))
    ask("client/registerCapability",
        {{"registrations",
          {{{"id", "settings"},
            {"method", "workspace/didChangeConfiguration"},
            {"registerOptions", {{"section", "inmem"}}}}}}});
  findTraces();
}

void Server::configure(const Json &From) {
  const std::string Trace = Settings.Trace;
  if (const std::string Wrong = Settings.take(From); !Wrong.empty())
    show(Wrong, 2);
  if (Settings.Trace != Trace) {
    Watch.reset();
    Wanted = {};
    findTraces();
  }
  refresh();
}

void Server::request(const RpcCall &Call) {
  using Handler = Json (Server::*)(const Json &);
  static const std::map<std::string, Handler> kHandlers = {
      {"textDocument/hover", &Server::hover},
      {"textDocument/codeAction", &Server::codeActions}};
  using LinesHandler = std::string (Server::*)(const Json &);
  static const std::map<std::string, LinesHandler> kLinesHandlers = {
      {"textDocument/inlayHint", &Server::hints},
      {"textDocument/codeLens", &Server::lenses},
      {"inmem/heat", &Server::heat}};
  if (Call.Method == "initialize" && Life == State::New)
    return send(rpcResult(Call.Id, initialize(Call.Params)));
  if (Life != State::Running)
    return send(rpcFailure(
        Call.Id, Life == State::New ? kNotInitialized : kInvalidRequest,
        Life == State::New ? "expected initialize first"
                           : "the server is shut down"));
  if (Call.Method == "initialize")
    return send(
        rpcFailure(Call.Id, kInvalidRequest, "the server is initialized"));
  if (Call.Method == "shutdown") {
    Life = State::ShutDown;
    return send(rpcResult(Call.Id, nullptr));
  }
  if (Call.Method == "workspace/executeCommand")
    return execute(Call.Id, Call.Params);
  if (Call.Method == "inmem/findings")
    return send(rpcResult(Call.Id, findingsTree()));
  if (const auto At = kLinesHandlers.find(Call.Method);
      At != kLinesHandlers.end())
    return rpcSendResult(Framing::Headers, Call.Id,
                         (this->*At->second)(Call.Params));
  const auto At = kHandlers.find(Call.Method);
  if (At == kHandlers.end())
    return send(rpcFailure(Call.Id, kNoSuchMethod,
                           "there is no method '" + Call.Method + "'"));
  send(rpcResult(Call.Id, (this->*At->second)(Call.Params)));
}

void Server::notification(const RpcCall &Call) {
  if (Life != State::Running)
    return;
  const Json &Params = Call.Params;
  if (Call.Method == "initialized")
    return initialized();
  if (Call.Method == "workspace/didChangeConfiguration") {
    if (const auto Of = Params.find("settings");
        Of != Params.end() && !Of->is_null())
      configure(*Of);
    return;
  }
  const Json About = Params.value("textDocument", Json::object());
  const std::string Uri = textMember(About, "uri");
  if (Call.Method == "textDocument/didOpen") {
    Document D;
    D.Uri = Uri;
    D.Path = pathOfUri(Uri);
    D.Text.set(textMember(About, "text"));
    Document &Open = Documents[Uri] = std::move(D);
    follow(Open);
    return publish(Open);
  }
  const auto At = Documents.find(Uri);
  if (At == Documents.end())
    return;
  if (Call.Method == "textDocument/didClose") {
    Documents.erase(At);
  } else if (Call.Method == "textDocument/didChange") {
    for (const Json &Change : Params.value("contentChanges", Json::array())) {
      if (!Change.is_object() || !Change.contains("text"))
        continue;
      const std::string Text = textMember(Change, "text");
      if (const auto Range = Change.contains("range") ? rangeOf(Change["range"])
                                                      : std::nullopt)
        At->second.Text.replace(Range->first, Range->second, Text, In16);
      else
        At->second.Text.set(Text);
    }
    ++At->second.Edits;
    publish(At->second);
  }
}

void Server::receive(const Json &Message) {
  Json Error;
  const auto Call = rpcCall(Message, Error);
  if (!Call)
    return send(Error);
  if (!Call->Method.empty())
    return Call->IsNotification ? notification(*Call) : request(*Call);
  if (!Call->Id.is_number_integer())
    return;
  const auto At = Waiting.find(Call->Id.get<int>());
  if (At == Waiting.end())
    return;
  const Answer Then = std::move(At->second);
  Waiting.erase(At);
  if (Then)
    Then(Message);
}

int Server::patience() const {
  constexpr int kSettle = 200, kAgain = 5000;
  if (ScanSoon)
    return kSettle;
  const bool Lives = Index && Index->head()["running"] == true;
  return Life == State::Running && (Lives || !Watch || Watch->descriptor() < 0)
             ? kAgain
             : -1;
}

int Server::run() {
  std::signal(SIGPIPE, SIG_IGN);
  for (;;) {
    std::vector<pollfd> Ready = {{STDIN_FILENO, POLLIN, 0}};
    if (Watch && Watch->descriptor() >= 0)
      Ready.push_back({Watch->descriptor(), POLLIN, 0});
    Children.addTo(Ready);
    const int N = poll(Ready.data(), Ready.size(), patience());
    if (N < 0 && errno != EINTR)
      return 1;
    if (N == 0 && Life == State::Running) {
      ScanSoon = false;
      findTraces();
      continue;
    }
    if (Watch && Ready.size() > 1 && Ready[1].fd == Watch->descriptor() &&
        Ready[1].revents != 0)
      ScanSoon |= Watch->drain();
    Children.handle(Ready);
    if (Ready[0].revents == 0)
      continue;
    char Buffer[65536];
    const ssize_t Bytes = read(STDIN_FILENO, Buffer, sizeof Buffer);
    if (Bytes <= 0)
      return Life == State::ShutDown ? 0 : 1;
    In.feed({Buffer, static_cast<size_t>(Bytes)});
    while (auto Next = In.next()) {
      if (!Next->Error.empty())
        send(rpcFailure(nullptr, kParseError, Next->Error));
      else if (textMember(Next->Message, "method") == "exit")
        return Life == State::ShutDown ? 0 : 1;
      else
        receive(Next->Message);
    }
  }
}

} // namespace inmem::tools

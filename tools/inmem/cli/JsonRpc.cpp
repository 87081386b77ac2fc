//===- JsonRpc.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/JsonRpc.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace inmem::tools {

using report::Json;

/// More than any editor sends, even with a whole document.
static constexpr size_t kLongestMessage = 64 << 20;
static constexpr size_t kLongestHeader = 4 << 10;

MessageReader::Next MessageReader::parsed(std::string_view Text) {
  Json Message = Json::parse(Text, nullptr, false);
  if (Message.is_discarded())
    return {nullptr, "this is no JSON"};
  return {std::move(Message), {}};
}

std::optional<MessageReader::Next> MessageReader::nextLine() {
  for (;;) {
    const size_t End = Buffer.find('\n');
    if (End == std::string::npos)
      return std::nullopt;
    const std::string Line = Buffer.substr(0, End);
    Buffer.erase(0, End + 1);
    if (Line.find_first_not_of(" \t\r") != std::string::npos)
      return parsed(Line);
  }
}

/// The length given by a block of headers.
static std::optional<size_t> lengthIn(std::string_view Headers) {
  constexpr std::string_view kName = "content-length:";
  std::optional<size_t> Length;
  while (!Headers.empty()) {
    const size_t End = std::min(Headers.find('\n'), Headers.size());
    std::string_view Line = Headers.substr(0, End);
    Headers.remove_prefix(std::min(End + 1, Headers.size()));
    const auto Same = [](char A, char B) {
      return (A >= 'A' && A <= 'Z' ? A - 'A' + 'a' : A) == B;
    };
    if (Line.size() < kName.size() ||
        !std::equal(kName.begin(), kName.end(), Line.begin(),
                    [&](char A, char B) { return Same(B, A); }))
      continue;
    Line.remove_prefix(kName.size());
    while (Line.starts_with(' ') || Line.starts_with('\t'))
      Line.remove_prefix(1);
    while (Line.ends_with('\r') || Line.ends_with(' '))
      Line.remove_suffix(1);
    size_t Value = 0;
    const auto [To, Error] =
        std::from_chars(Line.data(), Line.data() + Line.size(), Value);
    if (Error != std::errc() || To != Line.data() + Line.size() || Length)
      return std::nullopt;
    Length = Value;
  }
  return Length;
}

std::optional<MessageReader::Next> MessageReader::nextWithHeaders() {
  const size_t Crlf = Buffer.find("\r\n\r\n"), Lf = Buffer.find("\n\n");
  const size_t End = std::min(Crlf, Lf);
  if (End == std::string::npos ? Buffer.size() > kLongestHeader
                               : End > kLongestHeader) {
    // Skip to the next line, since a header starts a line.
    const size_t Line = Buffer.find('\n');
    Buffer.erase(0, Line == std::string::npos ? Buffer.size() : Line + 1);
    return Next{nullptr, "expected a header Content-Length, found more than "
                         "4096 bytes without an empty line"};
  }
  if (End == std::string::npos)
    return std::nullopt;
  const size_t Body = End + (Crlf < Lf ? 4 : 2);
  const auto Length = lengthIn(std::string_view(Buffer).substr(0, End));
  if (!Length || *Length > kLongestMessage) {
    Buffer.erase(0, Body);
    return Next{nullptr, "expected a header Content-Length with a number of at "
                         "most 67108864"};
  }
  if (Buffer.size() - Body < *Length)
    return std::nullopt;
  Next Out = parsed(std::string_view(Buffer).substr(Body, *Length));
  Buffer.erase(0, Body + *Length);
  return Out;
}

std::optional<MessageReader::Next> MessageReader::next() {
  return How == Framing::Lines ? nextLine() : nextWithHeaders();
}

Json rpcFailure(const Json &Id, int Code, const std::string &Message) {
  return {{"jsonrpc", "2.0"},
          {"id", Id},
          {"error", {{"code", Code}, {"message", Message}}}};
}

Json rpcResult(const Json &Id, Json Result) {
  return {{"jsonrpc", "2.0"}, {"id", Id}, {"result", std::move(Result)}};
}

std::string textMember(const Json &Of, const char *Key, const char *Otherwise) {
  if (!Of.is_object())
    return Otherwise;
  const auto Found = Of.find(Key);
  return Found != Of.end() && Found->is_string() ? Found->get<std::string>()
                                                 : Otherwise;
}

std::optional<RpcCall> rpcCall(const Json &Message, Json &Error) {
  if (!Message.is_object()) {
    Error = rpcFailure(nullptr, kInvalidRequest, "expected one request");
    return std::nullopt;
  }
  RpcCall Out;
  const auto Id = Message.find("id");
  if (Id != Message.end())
    Out.Id = *Id;
  Out.IsNotification = Id == Message.end();
  Out.Method = textMember(Message, "method");
  const bool IsResponse =
      Message.contains("result") || Message.contains("error");
  if (Out.Method.empty() && !IsResponse) {
    Error =
        rpcFailure(Out.Id, kInvalidRequest, "method: expected the name of one");
    return std::nullopt;
  }
  const auto With = Message.find("params");
  Out.Params =
      With != Message.end() && With->is_object() ? *With : Json::object();
  return Out;
}

static std::string textOf(const Json &Value) {
  return Value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static void sendText(Framing How, const std::string &Text) {
  if (How == Framing::Headers)
    std::printf("Content-Length: %zu\r\n\r\n", Text.size());
  std::fwrite(Text.data(), 1, Text.size(), stdout);
  if (How == Framing::Lines)
    std::fputc('\n', stdout);
  std::fflush(stdout);
}

void rpcSend(Framing How, const Json &Message) {
  sendText(How, textOf(Message));
}

void rpcSendResult(Framing How, const Json &Id, std::string_view Result) {
  std::string Text = R"({"jsonrpc":"2.0","id":)" + textOf(Id) + ",\"result\":";
  Text += Result;
  sendText(How, Text += '}');
}

} // namespace inmem::tools

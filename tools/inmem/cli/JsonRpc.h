//===- JsonRpc.h - JSON-RPC 2.0 over streams --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts bytes to messages and back, for `inmem mcp` (one message a line) and
// `inmem lsp` (length headers before each message).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_JSONRPC_H
#define INMEM_TOOLS_JSONRPC_H

#include "report/formats/Json.h"

#include <optional>
#include <string>
#include <string_view>

namespace inmem::tools {

/// Codes of errors.
enum RpcError : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kNoSuchMethod = -32601,
  kInvalidParameters = -32602,
  kInternalError = -32603,
  kNotInitialized = -32002,
  kRequestFailed = -32803
};

/// The separator between messages.
enum class Framing { Lines, Headers };

/// Splits a stream into messages. Not thread-safe.
class MessageReader {
public:
  explicit MessageReader(Framing F) : How(F) {}

  /// Adds bytes that were read, in pieces of any size.
  void feed(std::string_view Bytes) { Buffer += Bytes; }

  /// The next message. If bytes were dropped because they are neither a message
  /// nor a header, Error says so, and Message is null.
  struct Next {
    report::Json Message;
    std::string Error;
  };
  /// \returns nullopt until more bytes arrive
  std::optional<Next> next();

private:
  std::optional<Next> nextLine();
  std::optional<Next> nextWithHeaders();
  static Next parsed(std::string_view Text);

  Framing How;
  std::string Buffer;
};

/// A response without a result.
report::Json rpcFailure(const report::Json &Id, int Code,
                        const std::string &Message);
report::Json rpcResult(const report::Json &Id, report::Json Result);

/// Sends a response whose result is already JSON text.
void rpcSendResult(Framing How, const report::Json &Id,
                   std::string_view Result);

/// A received message: the members that all methods have.
struct RpcCall {
  report::Json Id; ///< null: no id
  bool IsNotification = false;
  /// Empty for a response, which the caller reads from the message.
  std::string Method;
  report::Json Params; ///< an object
};
/// \returns nullopt for a message that is neither a call nor a response. \p
/// Error is then the response to send
std::optional<RpcCall> rpcCall(const report::Json &Message,
                               report::Json &Error);

/// Writes to standard output and flushes it.
void rpcSend(Framing How, const report::Json &Message);

/// A text member, or \p Otherwise if there is none.
std::string textMember(const report::Json &Of, const char *Key,
                       const char *Otherwise = "");

} // namespace inmem::tools

#endif

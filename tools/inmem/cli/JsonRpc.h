//===- JsonRpc.h - JSON-RPC 2.0 over streams --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages from bytes and back, for `inmem mcp` (a message a line) and `inmem
// lsp` (headers with a length in front of each).
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

/// The separator of messages.
enum class Framing { Lines, Headers };

/// Cuts a stream into messages. Not thread-safe.
class MessageReader {
public:
  explicit MessageReader(Framing F) : How(F) {}

  /// Adds bytes as they were read, in pieces of any size.
  void feed(std::string_view Bytes) { Buffer += Bytes; }

  /// The next message. Error says why bytes were dropped: they are neither a
  /// message nor a header. Then Message is null.
  struct Next {
    report::Json Message;
    std::string Error;
  };
  /// \returns nothing until more bytes arrive
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

/// Sends a response with a result that is JSON text already.
void rpcSendResult(Framing How, const report::Json &Id,
                   std::string_view Result);

/// A message that came: the members that all methods have.
struct RpcCall {
  report::Json Id; ///< null: no id
  bool IsNotification = false;
  /// Empty for a response: the caller still has its message.
  std::string Method;
  report::Json Params; ///< an object
};
/// \returns nullopt for a message that is neither a call nor a response; then
/// \p Error is the response to send
std::optional<RpcCall> rpcCall(const report::Json &Message,
                               report::Json &Error);

/// Writes to standard output, and flushes.
void rpcSend(Framing How, const report::Json &Message);

/// A member that is text, else \p Otherwise.
std::string textMember(const report::Json &Of, const char *Key,
                       const char *Otherwise = "");

} // namespace inmem::tools

#endif

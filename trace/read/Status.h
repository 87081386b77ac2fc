//===- Status.h - Errors of the reader library as values ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything in trace/ and report/ that can fail returns a Status or a
// Result<T>; nothing throws. tools/inmem prints str() and maps it to exit code
// 3 (an input that cannot be read).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_STATUS_H
#define INMEM_TRACE_STATUS_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace inmem::trace {

/// An error: the file, the offset, and the expected and found content. A
/// default-constructed Status is success.
class [[nodiscard]] Status {
public:
  Status() = default;

  /// An error without a position in a file (`cannot open: ...`).
  static Status error(std::string File, std::string What) {
    Status S;
    S.Failed = true;
    S.File = std::move(File);
    S.What = std::move(What);
    return S;
  }

  /// An error at byte `Offset` of `File`.
  static Status at(std::string File, uint64_t Offset, std::string What,
                   std::string Expected, std::string Found) {
    Status S = error(std::move(File), std::move(What));
    S.Offset = Offset;
    S.Expected = std::move(Expected);
    S.Found = std::move(Found);
    return S;
  }

  bool ok() const { return !Failed; }
  const std::optional<uint64_t> &offset() const { return Offset; }
  const std::string &what() const { return What; }

  /// `file: at byte 4096: what: expected X, found Y`; no newline.
  std::string str() const {
    std::string Out = File;
    if (!Out.empty())
      Out += ": ";
    if (Offset)
      Out += "at byte " + std::to_string(*Offset) + ": ";
    Out += What;
    if (!Expected.empty())
      Out += ": expected " + Expected;
    if (!Found.empty())
      Out += ", found " + Found;
    return Out;
  }

private:
  bool Failed = false;
  std::string File, What, Expected, Found;
  std::optional<uint64_t> Offset;
};

/// A T, or the reason why there is none.
template <class T> class [[nodiscard]] Result {
public:
  Result(T Value) : Content(std::move(Value)) {}
  Result(Status Error) : Content(std::move(Error)) {}

  explicit operator bool() const { return Content.index() == 0; }
  T &operator*() { return std::get<0>(Content); }
  const T &operator*() const { return std::get<0>(Content); }
  T *operator->() { return &std::get<0>(Content); }
  const T *operator->() const { return &std::get<0>(Content); }
  /// Call only if there is no value.
  const Status &status() const { return std::get<1>(Content); }

private:
  std::variant<T, Status> Content;
};

} // namespace inmem::trace

#endif

//===- Buffer.h - The bytes that a reader reads ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file mapped read-only, or bytes in memory (pipes, tests). Kept alive by
// shared_ptr: the views in a Trace point into it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_BUFFER_H
#define INMEM_TRACE_BUFFER_H

#include "trace/read/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace inmem::trace {

class Buffer {
public:
  /// Maps `Path`, or reads it to its end if it is not a regular file; `-` is
  /// standard input. Unpacks gzip and zstd data, which it recognises by the
  /// first bytes. A mapped file may grow or change while it is read (a running
  /// process): readers copy a structure before they check it. The file may also
  /// become shorter; see MissingPages.
  static Result<std::shared_ptr<const Buffer>> open(const std::string &Path) {
    return open(Path, false);
  }
  /// As open(), but compressed data that ends early is read to its end, and
  /// cut() is then true.
  static Result<std::shared_ptr<const Buffer>>
  openCut(const std::string &Path) {
    return open(Path, true);
  }

  /// Takes over bytes; `Name` is for messages.
  static std::shared_ptr<const Buffer> fromBytes(std::vector<std::byte> Bytes,
                                                 std::string Name);

  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer();

  const std::string &name() const { return Name; }
  std::span<const std::byte> bytes() const { return View; }
  /// True for compressed data that ended early.
  bool cut() const { return EndsEarly; }

  /// Hints for data that is read once, in order. The first reads ahead from the
  /// file; the second drops data from memory (it may be read again). A reader
  /// that gives these hints needs the same memory for a trace of any length.
  void willRead(uint64_t Offset, uint64_t Bytes) const;
  void haveRead(uint64_t Offset, uint64_t Bytes) const;

private:
  Buffer() = default;
  static Result<std::shared_ptr<const Buffer>> open(const std::string &Path,
                                                    bool MayBeCut);
  bool map(int Fd, size_t Size);
  Status readAll(int Fd);
  void advise(uint64_t Offset, uint64_t Bytes, int Advice) const;

  std::string Name;
  std::span<const std::byte> View;
  std::vector<std::byte> Own;
  bool Mapped = false, EndsEarly = false;
};

} // namespace inmem::trace

#endif

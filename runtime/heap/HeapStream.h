//===- HeapStream.h - Numbers, one after the other, into a file -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_HEAPSTREAM_H
#define INMEM_RUNTIME_HEAPSTREAM_H

#include "platform/Files.h"
#include "platform/Mappings.h"
#include "trace/format/VarintFormat.h"

#include <string.h>

namespace inmem::rt {

/// A buffered stream. After an error nothing more is written.
class HeapStream {
public:
  /// Begins at offset \p At of \p Fd.
  HeapStream(int Fd, uint64_t At)
      : Fd(Fd), Written(At),
        Buffer(static_cast<unsigned char *>(mapPages(kBytes))) {}
  ~HeapStream() {
    if (Buffer)
      unmapPages(Buffer, kBytes);
  }
  HeapStream(const HeapStream &) = delete;
  HeapStream &operator=(const HeapStream &) = delete;

  void number(uint64_t N) {
    room(trace::kMaxVarintBytes);
    if (!Buffer)
      return;
    trace::putVarint(N, [this](uint8_t Byte) { Buffer[Used++] = Byte; });
  }
  void signedNumber(int64_t N) { number(trace::zigzag(N)); }
  void bytes(const void *Data, size_t Size) {
    auto *From = static_cast<const char *>(Data);
    while (Size && Buffer) {
      room(1);
      size_t Part = kBytes - Used < Size ? kBytes - Used : Size;
      memcpy(Buffer + Used, From, Part);
      Used += Part;
      From += Part;
      Size -= Part;
    }
  }
  uint64_t offset() const { return Written + Used; }
  bool flush() {
    for (size_t At = 0; Buffer && At < Used && !Failed;) {
      long Got = writeAt(Fd, Buffer + At, Used - At, Written);
      if (Got <= 0) {
        Failed = true;
      } else {
        At += static_cast<size_t>(Got);
        Written += static_cast<size_t>(Got);
      }
    }
    Used = 0;
    return Buffer && !Failed;
  }

private:
  static constexpr size_t kBytes = 1 << 20;
  void room(size_t Needed) {
    if (Used + Needed > kBytes)
      flush();
  }
  int Fd;
  uint64_t Written;
  unsigned char *Buffer;
  size_t Used = 0;
  bool Failed = false;
};

} // namespace inmem::rt

#endif

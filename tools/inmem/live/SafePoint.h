//===- SafePoint.h - May a stopped thread call dlopen? ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that was stopped anywhere may hold locks of the loader or of the
// allocator, or be in a signal handler that interrupted such a function. dlopen
// would then wait for itself. Whether it does is decided by a conservative
// scan: each word of its stack that may be a return address counts as one, so
// that unwind tables are not needed. A stale word refuses a thread that is
// safe, and costs another try. Some never vanish, in frames of loops and of
// threads that wait: then unwinding decides which words are return addresses.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_SAFEPOINT_H
#define INMEM_TOOLS_SAFEPOINT_H

#include "live/RemoteImage.h"

#include <functional>
#include <span>

namespace inmem::tools {

/// A stopped thread.
struct StoppedThread {
  uint64_t Pc = 0;
  int64_t Syscall = -1; ///< the system call that it was stopped in; -1: none
  std::span<const uint64_t> Stack; ///< from its stack pointer on
  bool StackIsCut = false;         ///< there may be more
  uint64_t StackStart = 0;         ///< its address
};

/// Code in which no thread may be.
class SafePointRules {
public:
  /// \param Read reads the process's code: (from, to, bytes) -> bytes read
  using Reader = std::function<size_t(uint64_t, void *, size_t)>;
  SafePointRules(const std::vector<RemoteImage> &Images, Reader Read);

  /// True if the thread may call dlopen. It must not be in the C library at
  /// all, except in a system call that waits.
  bool isSafe(const StoppedThread &T) const;
  /// As above, if \p Returns are all its return addresses.
  bool isSafe(const StoppedThread &T, std::span<const uint64_t> Returns) const;
  /// True if the thread may be in the runtime: called by the program, not on
  /// the way to it.
  bool isInRuntime(const StoppedThread &T) const;
  /// True if the thread is outside of the runtime, and does not return there.
  bool isOutsideRuntime(const StoppedThread &T) const;
  /// As above, if \p Returns are all its return addresses.
  bool isOutsideRuntime(const StoppedThread &T,
                        std::span<const uint64_t> Returns) const;
  /// True if the thread may be in a signal handler.
  bool isInHandler(const StoppedThread &T) const;

private:
  /// Code of a file, copied: it does not change, and a thread that is stopped
  /// need not wait until it is read.
  struct KnownCode {
    uint64_t Start;
    std::vector<uint8_t> Bytes;
  };
  const KnownCode &know(const CodeRange &Code);
  void addImage(const RemoteImage &I, bool IsProgram);
  bool followsCall(uint64_t Address) const;
  bool returnsToRuntime(std::span<const uint64_t> Returns) const;
  /// True if the code that it is in itself is safe.
  bool isAtSafePc(const StoppedThread &T) const;

  // Sorted.
  std::vector<CodeRange> Unsafe;
  std::vector<CodeRange> Library; ///< the C library and similar libraries
  std::vector<CodeRange> Runtime;
  std::vector<uint64_t> Restorers;   ///< where signal handlers return to
  CodeRange Noted = {UINT64_MAX, 0}; ///< has all of these
  std::vector<KnownCode> Known;
  Reader Read;
};

/// True if code that ends with \p Before may end with a call.
bool endsWithCall(std::span<const uint8_t> Before);

} // namespace inmem::tools

#endif

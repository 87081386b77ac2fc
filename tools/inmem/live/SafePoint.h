//===- SafePoint.h - May a stopped thread call dlopen? ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread stopped at any point may hold locks of the loader or the allocator,
// or be in a signal handler that interrupted such a function. dlopen would then
// deadlock. A conservative scan detects this: each word of the stack that may
// be a return address counts as one, so unwind tables are not needed. A stale
// word rejects a safe thread, which only costs another try. But some never
// vanish, in frames of loops and of waiting threads. Then unwinding decides
// which words are return addresses.
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
  bool StackIsCut = false;         ///< Stack may be incomplete
  uint64_t StackStart = 0;         ///< address of Stack
};

/// Rules for code in which no thread may be.
class SafePointRules {
public:
  /// \param Read reads the process's code: (from, to, bytes) -> bytes read
  using Reader = std::function<size_t(uint64_t, void *, size_t)>;
  SafePointRules(const std::vector<RemoteImage> &Images, Reader Read);

  /// True if the thread may call dlopen. It must be outside the C library, or
  /// in a system call that waits.
  bool isSafe(const StoppedThread &T) const;
  /// As above, given that \p Returns are all its return addresses.
  bool isSafe(const StoppedThread &T, std::span<const uint64_t> Returns) const;
  /// True if the thread may be in the runtime, in a call by the program. Code
  /// on the way to such a call does not count.
  bool isInRuntime(const StoppedThread &T) const;
  /// True if the thread is outside the runtime, and will not return to it.
  bool isOutsideRuntime(const StoppedThread &T) const;
  /// As above, given that \p Returns are all its return addresses.
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
  /// True if the code at the program counter is safe.
  bool isAtSafePc(const StoppedThread &T) const;

  // Sorted.
  std::vector<CodeRange> Unsafe;
  std::vector<CodeRange> Library; ///< the C library and similar libraries
  std::vector<CodeRange> Runtime;
  std::vector<uint64_t> Restorers;   ///< return addresses of signal handlers
  CodeRange Noted = {UINT64_MAX, 0}; ///< span of all ranges above
  std::vector<KnownCode> Known;
  Reader Read;
};

/// True if code that ends with \p Before may end with a call instruction.
bool endsWithCall(std::span<const uint8_t> Before);

} // namespace inmem::tools

#endif

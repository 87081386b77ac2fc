//===- MissingPages.h - Reading a file that becomes shorter ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TRACE_MISSINGPAGES_H
#define INMEM_TRACE_MISSINGPAGES_H

#include "trace/read/Buffer.h"

#include <csignal>

namespace inmem::trace {

/// Lets one thread read pages that a mapped file no longer has. A process that
/// ends truncates its preallocated room, possibly between a reader's check of
/// the size and its access to the last pages. While one of these exists, its
/// thread reads such pages of the buffer as zeros, like preallocated room;
/// other such accesses still raise SIGBUS. At most one at a time in each
/// thread.
class MissingPages {
public:
  /// \param Of outlives this.
  explicit MissingPages(const Buffer &Of);
  ~MissingPages();
  MissingPages(const MissingPages &) = delete;
  MissingPages &operator=(const MissingPages &) = delete;

  /// True if there were any such pages: the file had become shorter.
  bool found() const { return Found; }

  /// Installs the process's handler of SIGBUS. \param Otherwise is called, in
  /// the handler, for any other SIGBUS; it does not return.
  static void handle(void (*Otherwise)());

private:
  static void onMissing(int Signal, siginfo_t *About, void *Context);
  bool replace(const void *Address);

  std::span<const std::byte> Pages;
  bool Found = false;
};

} // namespace inmem::trace

#endif

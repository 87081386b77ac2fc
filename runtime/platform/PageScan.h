//===- PageScan.h - Which pages have memory behind them ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_PAGESCAN_H
#define INMEM_RUNTIME_PAGESCAN_H

#include <stdint.h>

namespace inmem::rt {

/// Consecutive pages of one kind.
struct PageRun {
  uintptr_t First; ///< number of the page
  uint64_t Count;
  uint64_t Flags; ///< heap::PageFlags
};

/// Queries the kernel for ranges of this process: by PAGEMAP_SCAN (Linux 6.7),
/// or by reading /proc/self/pagemap. That file also counts pages of zeros,
/// which need no memory.
class PageScan {
public:
  PageScan();
  ~PageScan();
  PageScan(const PageScan &) = delete;
  PageScan &operator=(const PageScan &) = delete;

  bool isOpen() const { return Fd >= 0; }
  /// Puts memory behind all of the scan's own pages. Without it, scanning
  /// memory in more pieces takes more of them.
  void populate();
  /// Calls \p Visit with the pages of [\p Start, \p End), in rising order.
  void scan(uintptr_t Start, uintptr_t End,
            void (*Visit)(void *Context, const PageRun &), void *Context);

private:
  /// \returns the address at which the kernel refused, or \p End.
  uintptr_t scanByCall(uintptr_t Start, uintptr_t End,
                       void (*Visit)(void *, const PageRun &), void *Context);
  void scanByReading(uintptr_t Start, uintptr_t End,
                     void (*Visit)(void *, const PageRun &), void *Context);

  int Fd = -1;
  bool HasCall;
  void *Buffer = nullptr;
};

} // namespace inmem::rt

#endif

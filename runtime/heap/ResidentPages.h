//===- ResidentPages.h - Pages with memory behind them ----------*- C++ -*-===//
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the pages of the process that are backed by memory, in two steps. The
// child of a snapshot has the same anonymous pages as its parent, but not those
// of files, nor pages that a fork wipes: the parent finds these before it
// forks. Pages are attributed by the runtime's own ranges, threads, heaps and
// files; never by mapping alone, since the kernel merges mappings.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RESIDENTPAGES_H
#define INMEM_RUNTIME_RESIDENTPAGES_H

#include "graph/ObjectMemory.h"
#include "platform/OwnPages.h"
#include "platform/PageScan.h"

namespace inmem::rt {

class ResidentPages {
public:
  /// Call in the parent: finds the pages that a child would not see.
  void scanInParent();
  /// Call in the child, before anything else touches memory.
  void scanInChild();
  /// Call in the parent, after the fork.
  void release();

  /// Sorted by address.
  const Pages<PageRun> &runs() const { return Runs; }
  uint64_t pageTableBytes() const { return PageTables; }
  /// Bytes of hugetlbfs pages, which RSS does not count. No run contains them.
  uint64_t hugetlbBytes() const { return Hugetlb; }
  /// Pages of the process that KSM has merged with others; heap::kNotKnown.
  uint64_t ksmBytes() const { return Ksm; }
  /// The runtime's own ranges as found by the child; some occur twice.
  const Pages<OwnRange> &own() const { return Own; }

private:
  void noteOwnRanges();
  void findHugetlb();
  bool isHugetlb(uintptr_t Start) const;
  void splitZeros(const Mappings &Maps);
  void addSplit(const PageRun &R);

  Pages<PageRun> Runs;
  Pages<PageRun> RunsOfParent; ///< in the child; never freed
  Pages<OwnRange> Own;
  Mappings Maps;
  uint64_t PageTables = 0, Hugetlb = 0, Ksm = 0;
  Pages<uintptr_t> HugetlbStarts; ///< mapping starts
};

/// True for mappings that the kernel names but that are never part of RSS:
/// [vvar], [vsyscall].
bool isOfKernel(const char *Name);

} // namespace inmem::rt

#endif

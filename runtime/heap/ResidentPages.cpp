//===- ResidentPages.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/ResidentPages.h"

#include "heap/HeapSort.h"
#include "platform/Files.h"
#include "trace/format/HeapFormat.h"

namespace inmem::rt {

namespace {

/// True if a forked child does not have its pages.
bool isLostByFork(const Mapping &M) { return M.IsFile || M.Shared; }

/// Adds pages to a list of runs.
void addRun(void *Runs, const PageRun &R) {
  auto &Out = *static_cast<Pages<PageRun> *>(Runs);
  if (Out.size()) {
    PageRun &Last = Out[Out.size() - 1];
    if (Last.First + Last.Count == R.First && Last.Flags == R.Flags) {
      Last.Count += R.Count;
      return;
    }
  }
  Out.add(R);
}

} // namespace

bool isOfKernel(const char *Name) {
  return strncmp(Name, "[vvar", 5) == 0 || strncmp(Name, "[vsyscall", 9) == 0;
}

void ResidentPages::scanInParent() {
  PageScan Scan;
  if (!Scan.isOpen() || !Maps.read())
    return;
  PageTables = numberInFile("/proc/self/status", "VmPTE:", 0) << 10; // KiB
  for (size_t I = 0; I < Maps.size(); ++I)
    if (isLostByFork(Maps[I]))
      Scan.scan(Maps[I].Start, Maps[I].End, addRun, &Runs);
  struct Context {
    PageScan &Scan;
    Pages<PageRun> &Runs;
  } C = {Scan, Runs};
  forEachOwnRange(
      [](void *Data, const OwnRange &R) {
        auto &In = *static_cast<Context *>(Data);
        if (R.IsWiped)
          In.Scan.scan(R.Start, roundUp(R.End, pageSize()), addRun, &In.Runs);
      },
      &C);
}

void ResidentPages::noteOwnRanges() {
  forEachOwnRange(
      [](void *Data, const OwnRange &R) {
        static_cast<Pages<OwnRange> *>(Data)->add(R);
      },
      &Own);
}

void ResidentPages::scanInChild() {
  // The lists themselves are not of the process.
  noteOwnPages(Runs.data(), Runs.capacity() * sizeof(PageRun));
  Maps.noteOwn();
  PageScan Scan;
  if (!Scan.isOpen() || !Maps.read())
    return;
  noteOwnRanges();
  sortInPlace(Own.data(), Own.size(), [](const OwnRange &A, const OwnRange &B) {
    return A.Start < B.Start;
  });
  for (size_t I = 0; I < Maps.size(); ++I) {
    const Mapping &In = Maps[I];
    if (isLostByFork(In) || isOfKernel(Maps.nameOf(In)))
      continue;
    uintptr_t At = In.Start;
    for (const OwnRange &O : Own) {
      const uintptr_t End = roundUp(O.End, pageSize());
      if (!O.IsWiped || End <= At || O.Start >= In.End)
        continue;
      Scan.scan(At, O.Start, addRun, &Runs);
      At = End;
    }
    Scan.scan(At, In.End, addRun, &Runs);
  }
  noteOwnRanges(); // lists may have moved
  sortInPlace(Runs.data(), Runs.size(), [](const PageRun &A, const PageRun &B) {
    return A.First < B.First;
  });
  splitZeros(Maps);
}

/// True if all words of a page are 0. Most pages show immediately that they are
/// not.
static bool isZero(uintptr_t Page) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const auto *Words = reinterpret_cast<const uint64_t *>(Page);
  for (size_t I = 0; I < pageSize() / sizeof(uint64_t); ++I)
    if (Words[I])
      return false;
  return true;
}

/// Tells pages of zeros from others.
void ResidentPages::splitZeros(const Mappings &All) {
  Pages<PageRun> Before;
  Before.swap(Runs);
  for (const PageRun &R : Before) {
    const Mapping *In = All.find(R.First * pageSize());
    if (R.Flags & (heap::kPageFile | heap::kPageSwapped) || !In ||
        !In->Readable || isLostByFork(*In) ||
        In->End < (R.First + R.Count) * pageSize()) {
      Runs.add(R);
      continue;
    }
    addSplit(R);
  }
}

void ResidentPages::addSplit(const PageRun &R) {
  for (uint64_t I = 0; I < R.Count;) {
    const bool Zero = isZero((R.First + I) * pageSize());
    uint64_t End = I + 1;
    while (End < R.Count && isZero((R.First + End) * pageSize()) == Zero)
      ++End;
    Runs.add({R.First + I, End - I,
              R.Flags | (Zero ? uint64_t{heap::kPageZero} : 0)});
    I = End;
  }
}

void ResidentPages::release() {
  Runs.release();
  Maps.release();
}

} // namespace inmem::rt

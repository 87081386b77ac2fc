//===- HeapResidency.cpp - Sections that explain resident memory ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/HeapWriter.h"

#include "allocator/Allocator.h"
#include "platform/Files.h"
#include "registry/SiteRegistry.h"
#include "state/ThreadRows.h"

// NOLINTBEGIN(readability-identifier-naming): other libraries' names
extern "C" {
// Null without that allocator: each is recognised by its exports.
__attribute__((weak)) const char *gnu_get_libc_version(void);
__attribute__((weak)) size_t malloc_usable_size(void *);
__attribute__((weak)) int mallctl(const char *, void *, size_t *, void *,
                                  size_t);
__attribute__((weak)) void MallocExtension_ReleaseFreeMemory(void);
__attribute__((weak)) int mi_version(void);
}
// NOLINTEND(readability-identifier-naming)

namespace inmem::rt {

using heap::AllocatorKind;

namespace {

/// True if glibc's own malloc serves the program.
bool isGlibc() {
  return &gnu_get_libc_version && Real.LeastRequest == 0 && !Real.Packs &&
         !Real.MallocBeforeUs;
}

AllocatorKind otherAllocator() {
  return &mallctl                             ? AllocatorKind::Jemalloc
         : &MallocExtension_ReleaseFreeMemory ? AllocatorKind::Tcmalloc
         : &mi_version                        ? AllocatorKind::Mimalloc
                                              : AllocatorKind::Unknown;
}

/// Bytes that the allocator has added before and after a block.
struct Span {
  uint64_t Front, Back;
};

/// Reads the chunk's header, which is trusted if it fits the block.
Span spanInGlibc(Memory &M, uintptr_t Begin, uint64_t Size) {
  constexpr uint64_t kMapped = 2, kMostRounding = 4096;
  const uint64_t Head = M.wordOr0(Begin - 8);
  const uint64_t Bytes = Head & ~uint64_t{7};
  if (Head & kMapped) {
    const uint64_t Before = M.wordOr0(Begin - 16) + 16;
    if ((Begin - Before) % pageSize() == 0 && Bytes >= Size + 16 &&
        Bytes - Size <= 2 * pageSize())
      return {Before, Bytes - 16 - Size};
    return {0, 0};
  }
  if (Bytes % 16 || Bytes < Size + 8 || Bytes - 8 - Size > kMostRounding)
    return {0, 0};
  return {8, Bytes - 8 - Size};
}

bool exists(const char *Path) {
  const int Fd = openForReading(Path);
  if (Fd >= 0)
    closeFile(Fd);
  return Fd >= 0;
}

/// True if something follows the first line of /proc/swaps, its titles.
bool hasSwap() {
  char Text[512];
  if (!readSmallFile("/proc/swaps", Text, sizeof Text))
    return false;
  const char *End = strchr(Text, '\n');
  return End && End[1];
}

/// KernelFeatures; 0: a sandbox or container shows nothing of the kernel.
uint64_t kernelFeatures() {
  using namespace heap;
  if (!exists("/sys/kernel/mm"))
    return 0;
  return kKernelAsked |
         (exists("/sys/kernel/mm/transparent_hugepage/enabled") ? kKernelHuge
                                                                : 0) |
         (exists("/sys/kernel/mm/ksm/run") ? kKernelKsm : 0) |
         (hasSwap() ? kKernelSwap : 0) |
         (exists("/sys/kernel/mm/hugepages") ? kKernelHugetlb : 0);
}

} // namespace

void HeapWriter::writeResidency() {
  if (Resident.runs().size() == 0)
    return;
  H.PageBytes = pageSize();
  H.PageTableBytes = Resident.pageTableBytes();
  H.HugetlbBytes = Resident.hugetlbBytes();
  H.KsmBytes = Resident.ksmBytes();
  H.Kernel = kernelFeatures();
  writePages();
  writeRegions();
  writeChunks();
  writeSpans();
  writeCounts();
}

/// Where the heaps of glibc are walked, each block then begins where its chunk
/// says so.
void HeapWriter::findHeaps() {
  if (Resident.runs().size() == 0)
    return;
  if (!isGlibc()) {
    H.Allocator = otherAllocator();
    return;
  }
  H.Allocator = AllocatorKind::GlibcUnknown;
  if (!Glibc.find(gnu_get_libc_version(),
                  reinterpret_cast<uintptr_t>(Real.malloc)))
    return;
  H.Allocator = AllocatorKind::Glibc;
  Glibc.walk({Objects.data(), sizeof(Object), Objects.size()});
  for (const GlibcHeaps::Misplacement &Of : Glibc.Misplaced)
    Objects[Of.Block].Begin = Of.Begin;
}

void HeapWriter::writePages() {
  H.PageRuns = {Out.offset(), Resident.runs().size()};
  uintptr_t End = 0;
  for (const PageRun &R : Resident.runs()) {
    Out.number(R.First - End);
    Out.number(R.Count);
    Out.number(R.Flags);
    End = R.First + R.Count;
  }
}

void HeapWriter::writeChunks() {
  H.Chunks = {Out.offset(), Glibc.Chunks.size()};
  uintptr_t End = 0;
  for (const GlibcHeaps::Chunk &C : Glibc.Chunks) {
    Out.signedNumber(static_cast<int64_t>(C.At - End) / 8);
    Out.number(C.Bytes / 8);
    Out.number(static_cast<uint64_t>(C.State));
    End = C.At + C.Bytes;
  }
}

void HeapWriter::writeSpans() {
  H.Spans = {Out.offset(), Objects.size()};
  const bool OfGlibc = H.Allocator == AllocatorKind::Glibc ||
                       H.Allocator == AllocatorKind::GlibcUnknown;
  // Other allocators' functions may take locks that another thread held at the
  // fork.
  const bool CanAsk =
      !OfGlibc && H.Allocator != AllocatorKind::Unknown && &malloc_usable_size;
  for (const Object &O : Objects) {
    Span S = {0, 0};
    if (OfGlibc) {
      S = spanInGlibc(M, O.Begin, O.Size);
    } else if (CanAsk && !Real.OperatorsReplaced) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      const size_t Usable =
          malloc_usable_size(reinterpret_cast<void *>(O.Begin));
      S.Back = Usable > O.Size ? Usable - O.Size : 0;
    }
    Out.number(S.Front);
    Out.number(S.Back);
  }
}

void HeapWriter::writeCounts() {
  NumberMap Counts;
  for (const uint32_t Site : SiteList)
    Counts.findOrMake(uint64_t{Site} + 1);
  forEachRow([&](const trace::Row &R) {
    const uint64_t *Known = Counts.find(uint64_t{calledSite(R.Site)} + 1);
    if (Known && R.Allocations > R.MovedOut)
      *Counts.findOrMake(uint64_t{calledSite(R.Site)} + 1) +=
          R.Allocations - R.MovedOut;
  });
  H.Counts = {Out.offset(), SiteList.size()};
  for (const uint32_t Site : SiteList) {
    const uint64_t *Count = Counts.find(uint64_t{Site} + 1);
    Out.number(Site);
    Out.number(Count ? *Count : 0);
  }
}

} // namespace inmem::rt

//===- PageScan.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/PageScan.h"

#include "platform/Errors.h"
#include "platform/Files.h"
#include "platform/Mappings.h"
#include "platform/Process.h"
#include "trace/format/HeapFormat.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace inmem::rt {

namespace {

// Copied from <linux/fs.h> of Linux 6.7, which a build machine may not have.
struct ScanArguments {
  uint64_t Size, Flags, Start, End, WalkEnd, Vector, VectorLength, MostPages;
  uint64_t Inverted, Mask, AnyOf, Returned;
};
static_assert(sizeof(ScanArguments) == 96);
struct ScanRegion {
  uint64_t Start, End, Categories;
};
constexpr unsigned long kPagemapScan = _IOWR('f', 16, ScanArguments);
constexpr uint64_t kIsFile = 1 << 2, kIsPresent = 1 << 3, kIsSwapped = 1 << 4,
                   kIsZeroPage = 1 << 5, kIsHuge = 1 << 6;

constexpr size_t kBuffer = 64 * 1024;

} // namespace

PageScan::PageScan() : HasCall(!MayBeSandboxed), Buffer(mapPages(kBuffer)) {
  if (Buffer)
    Fd = openForReading("/proc/self/pagemap");
}

PageScan::~PageScan() {
  if (Fd >= 0)
    closeFile(Fd);
  if (Buffer)
    unmapPages(Buffer, kBuffer);
}

void PageScan::populate() {
  if (Buffer)
    memset(Buffer, 1, kBuffer);
}

void PageScan::scan(uintptr_t Start, uintptr_t End,
                    void (*Visit)(void *, const PageRun &), void *Context) {
  if (Fd < 0 || Start >= End)
    return;
  if (HasCall)
    Start = scanByCall(Start, End, Visit, Context);
  HasCall = Start >= End;
  if (Start < End)
    scanByReading(Start, End, Visit, Context);
}

uintptr_t PageScan::scanByCall(uintptr_t Start, uintptr_t End,
                               void (*Visit)(void *, const PageRun &),
                               void *Context) {
  const SavedErrno Kept;
  auto *Found = static_cast<ScanRegion *>(Buffer);
  while (Start < End) {
    ScanArguments A = {};
    A.Size = sizeof A;
    A.Start = Start;
    A.End = End;
    A.Vector = reinterpret_cast<uint64_t>(Buffer);
    A.VectorLength = kBuffer / sizeof(ScanRegion);
    A.AnyOf = kIsPresent | kIsSwapped;
    A.Returned = kIsFile | kIsPresent | kIsSwapped | kIsZeroPage | kIsHuge;
    const long Got = syscall(SYS_ioctl, Fd, kPagemapScan, &A);
    if (Got < 0)
      return Start;
    // The walk may end before the end of the returned range.
    uintptr_t Next = A.WalkEnd;
    for (long I = 0; I < Got; ++I) {
      const ScanRegion &R = Found[I];
      Next = R.End > Next ? R.End : Next;
      const bool IsPresent = (R.Categories & kIsPresent) != 0;
      if (IsPresent && (R.Categories & kIsZeroPage))
        continue; // mapped, but not the process's memory
      Visit(Context, {R.Start / pageSize(), (R.End - R.Start) / pageSize(),
                      (R.Categories & kIsFile ? heap::kPageFile : 0) |
                          (R.Categories & kIsHuge ? heap::kPageHuge : 0) |
                          (IsPresent ? 0 : heap::kPageSwapped)});
    }
    if (Next <= Start)
      return Start;
    Start = Next;
  }
  return End;
}

void PageScan::scanByReading(uintptr_t Start, uintptr_t End,
                             void (*Visit)(void *, const PageRun &),
                             void *Context) {
  constexpr uint64_t kPresent = uint64_t{1} << 63, kSwap = uint64_t{1} << 62,
                     kFile = uint64_t{1} << 61;
  const auto *Entries = static_cast<const uint64_t *>(Buffer);
  for (uintptr_t Page = Start / pageSize(), Last = End / pageSize();
       Page < Last;) {
    uint64_t Wanted = (Last - Page) * sizeof(uint64_t);
    if (Wanted > kBuffer)
      Wanted = kBuffer;
    const long Got =
        readAt(Fd, Buffer, Wanted, uint64_t{Page} * sizeof(uint64_t));
    const auto Count = static_cast<uint64_t>(Got > 0 ? Got : 0) / 8;
    if (Count == 0)
      return;
    for (uint64_t I = 0; I < Count; ++I)
      if (Entries[I] & (kPresent | kSwap))
        Visit(Context, {Page + I, 1,
                        (Entries[I] & kFile ? heap::kPageFile : 0) |
                            (Entries[I] & kPresent ? 0 : heap::kPageSwapped)});
    Page += Count;
  }
}

} // namespace inmem::rt

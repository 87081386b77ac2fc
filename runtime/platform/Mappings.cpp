//===- Mappings.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Mappings.h"

#include "platform/Errors.h"
#include "platform/OwnPages.h"
#include "platform/Process.h"

#include <linux/membarrier.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace inmem::rt {

static void *rawMap(void *At, size_t Bytes, int Prot, int Flags, int Fd,
                    uint64_t Offset) {
  long Result = syscall(SYS_mmap, At, Bytes, Prot, Flags, Fd, Offset);
  return Result == -1 ? nullptr : reinterpret_cast<void *>(Result);
}

/// As rawMap(), and registers the pages as the runtime's own.
static void *mapOwn(void *At, size_t Bytes, int Prot, int Flags, int Fd,
                    uint64_t Offset) {
  void *P = rawMap(At, Bytes, Prot, Flags, Fd, Offset);
  noteOwnPages(P, roundUp(Bytes, kPage));
  return P;
}

#if !defined(__x86_64__)
size_t pageSize() {
  static constinit Relaxed<size_t> Size = {};
  if (size_t Known = Size)
    return Known;
  size_t Given = getauxval(AT_PAGESZ);
  Size = Given ? Given : kPage;
  return Size;
}
#endif

void *mapPages(size_t Bytes) {
  // One or two pages are used right away: one system call, no faults.
  int Touched = Bytes <= 2 * kPage ? MAP_POPULATE : 0;
  const SavedErrno Kept;
  return mapOwn(nullptr, roundUp(Bytes, kPage), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | Touched, -1, 0);
}

void *mapHugePages(size_t Bytes) {
  constexpr size_t kHuge = 2 << 20;
  const size_t Whole = roundUp(Bytes, kPage);
  auto *All = static_cast<char *>(mapPages(Whole + kHuge));
  if (!All)
    return nullptr;
  const size_t Before = -reinterpret_cast<uintptr_t>(All) % kHuge;
  char *Start = All + Before;
  if (Before > 0)
    unmapPages(All, Before);
  unmapPages(Start + Whole, kHuge - Before);
  const SavedErrno Kept;
  syscall(SYS_madvise, Start, Whole, MADV_HUGEPAGE);
  return Start;
}

void *mapPagesWipedByFork(size_t Bytes) {
  void *P = mapPages(Bytes);
  if (P)
    wipePagesByFork(P, Bytes, true);
  return P;
}

void wipePagesByFork(void *Start, size_t Bytes, bool Wipe) {
  const SavedErrno Kept;
  syscall(SYS_madvise, Start, roundUp(Bytes, kPage),
          Wipe ? MADV_WIPEONFORK : MADV_KEEPONFORK);
  markOwnWiped(Start, Wipe);
}

void *reserveAddresses(size_t Bytes) {
  return rawMap(nullptr, roundUp(Bytes, kPage), PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/// Returns an unused range of \p Bytes far below \p Near, or \p Near if there
/// is none. Under an address-space limit, which counts bytes, no other mapping
/// gets that far.
static void *farBelow(char *Near, uint64_t Bytes) {
  constexpr uint64_t kFar = uint64_t{1} << 39;
  if (reinterpret_cast<uintptr_t>(Near) <= kFar)
    return Near;
  void *const Far = Near - kFar;
  void *Found = rawMap(
      Far, Bytes, PROT_NONE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (Found)
    syscall(SYS_munmap, Found, Bytes);
  return Found == Far ? Far : Near; // older kernels choose another address
}

void *findAddresses(uint64_t &Bytes) {
  constexpr uint64_t kMost = uint64_t{1} << 40, kLeast = uint64_t{1} << 24;
  constexpr uint64_t kLittle = uint64_t{1} << 26;
  for (uint64_t Found = kMost; Found >= kLeast; Found /= 2)
    if (void *Start = reserveAddresses(Found)) {
      syscall(SYS_munmap, Start, Found);
      const bool IsAll = Found == kMost || Found <= kLittle;
      Bytes = IsAll ? Found / 2 : Found / 8;
      auto *Middle = static_cast<char *>(Start) + Found / 2;
      return Found == kMost ? Middle : farBelow(Middle, Bytes);
    }
  Bytes = 0;
  return nullptr;
}

static constinit bool AddressesStay = false;

void keepAddressesReadable() { AddressesStay = true; }

/// Replaces a mapping by zeros. \returns whether that succeeded
static bool mapZeros(void *Start, size_t Bytes) {
  constexpr int kFlags =
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  return rawMap(Start, roundUp(Bytes, kPage), PROT_READ, kFlags, -1, 0);
}

void unmapPages(void *Start, size_t Bytes) {
  // Forget the pages first, because other threads may map these addresses once
  // they are unused.
  forgetOwnPages(Start, roundUp(Bytes, kPage));
  if (!AddressesStay || !mapZeros(Start, Bytes))
    syscall(SYS_munmap, Start, roundUp(Bytes, kPage));
}

void *growPages(void *Start, size_t Bytes, size_t NewBytes) {
  const SavedErrno Kept;
  forgetOwnPages(Start, roundUp(Bytes, kPage));
  long Result = syscall(SYS_mremap, Start, roundUp(Bytes, kPage),
                        roundUp(NewBytes, kPage), MREMAP_MAYMOVE);
  if (AddressesStay && Result != -1 && Result != reinterpret_cast<long>(Start))
    mapZeros(Start, Bytes);
  if (Result == -1)
    noteOwnPages(Start, roundUp(Bytes, kPage));
  else
    noteOwnPages(reinterpret_cast<void *>(Result), roundUp(NewBytes, kPage));
  return Result == -1 ? nullptr : reinterpret_cast<void *>(Result);
}

long readOwnMemory(void *To, uintptr_t From, size_t Bytes) {
  const SavedErrno Kept;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  struct iovec Local = {To, Bytes},
               Remote = {reinterpret_cast<void *>(From), Bytes};
  long Got = syscall(SYS_process_vm_readv, long{processId()}, &Local, 1UL,
                     &Remote, 1UL, 0UL);
  if (Got < 0 && (errno == EPERM || errno == ENOSYS))
    Got = kNotPermitted;
  return Got;
}

size_t dropPages(void *Start, size_t Bytes) {
  return syscall(SYS_madvise, Start, Bytes, MADV_DONTNEED) == 0 ? Bytes : 0;
}

void populatePages(void *Start, size_t Bytes) {
#ifndef MADV_POPULATE_WRITE
  constexpr int MADV_POPULATE_WRITE = 23; // Linux 5.14
#endif
  const uintptr_t From =
      reinterpret_cast<uintptr_t>(Start) / pageSize() * pageSize();
  const uintptr_t End = reinterpret_cast<uintptr_t>(Start) + Bytes;
  syscall(SYS_madvise, From, End - From, MADV_POPULATE_WRITE);
}

bool findResident(void *Start, size_t Bytes, unsigned char *Resident) {
  return syscall(SYS_mincore, Start, Bytes, Resident) == 0;
}

bool fenceAllThreads() {
  auto Fence = [] {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
  };
  return Fence() ||
         (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
                  0) == 0 &&
          Fence());
}

static bool mapWhereFree(void *At, size_t Bytes, int Flags, int Fd,
                         uint64_t Offset) {
#ifndef MAP_FIXED_NOREPLACE
  constexpr int MAP_FIXED_NOREPLACE = 0x100000; // Linux 4.17
#endif
  void *Got = rawMap(At, Bytes, PROT_READ | PROT_WRITE,
                     Flags | MAP_FIXED_NOREPLACE, Fd, Offset);
  if (Got == At) {
    noteOwnPages(At, roundUp(Bytes, kPage));
    return true;
  }
  if (Got) // older kernels treat the address as a hint
    syscall(SYS_munmap, Got, Bytes);
  if (Got || errno == EEXIST)
    errno = ENOMEM;
  return false;
}

bool mapFile(void *At, size_t Bytes, int Fd, uint64_t Offset) {
  return mapWhereFree(At, Bytes, MAP_SHARED, Fd, Offset);
}

bool mapNewPagesAt(void *At, size_t Bytes) {
  return mapWhereFree(At, Bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                      -1, 0);
}

bool mapPrivateCopy(void *At, size_t Bytes, int Fd) {
  return rawMap(At, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, Fd,
                0) != nullptr;
}

bool mapCopyInMemory(void *At, size_t Bytes) {
  void *Copy = mapPages(Bytes);
  if (!Copy)
    return false;
  memcpy(Copy, At, Bytes);
  if (syscall(SYS_mremap, Copy, roundUp(Bytes, kPage), roundUp(Bytes, kPage),
              MREMAP_MAYMOVE | MREMAP_FIXED, At) != -1) {
    forgetOwnPages(Copy, roundUp(Bytes, kPage));
    return true;
  }
  unmapPages(Copy, Bytes);
  return false;
}

bool mapPagesAt(void *At, size_t Bytes) {
  return mapOwn(At, Bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
                0) != nullptr;
}

static constinit bool ProbesByCopying = false;

void probeByCopying() { ProbesByCopying = true; }

bool isReadable(const void *Address) {
  if (ProbesByCopying) {
    uint64_t Copy;
    return readOwnMemory(&Copy, reinterpret_cast<uintptr_t>(Address),
                         sizeof(Copy)) == sizeof(Copy);
  }
  // rt_sigprocmask reads the set, unless it is null, before it looks at `how`.
  const SavedErrno Kept;
  long Result = syscall(SYS_rt_sigprocmask, ~0, Address, nullptr, 8);
  bool Readable = Address && (Result == 0 || errno != EFAULT);
  return Readable;
}

void syncPages(void *Start, size_t Bytes) {
  syscall(SYS_msync, Start, Bytes, MS_SYNC);
}

bool protectPages(void *Start, size_t Bytes, Access Allowed) {
  const int Protection = Allowed == Access::None   ? PROT_NONE
                         : Allowed == Access::Read ? PROT_READ
                                                   : PROT_READ | PROT_WRITE;
  return syscall(SYS_mprotect, Start, Bytes, Protection) == 0;
}

} // namespace inmem::rt

//===- Mappings.h - Pages of memory ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime lives inside malloc: its memory comes from mmap alone. All calls
// are raw system calls, so that a program that interposes mmap, or a hook on
// it, never sees the runtime's own memory.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_MAPPINGS_H
#define INMEM_RUNTIME_MAPPINGS_H

#include "platform/Compiler.h"

namespace inmem::rt {

struct AddressRange {
  uintptr_t Start = 0, End = 0;
  bool contains(uintptr_t Address) const {
    return Address - Start < End - Start;
  }
};

/// The smallest page size; the unit of the trace and of tables.
inline constexpr size_t kPage = 4096;
/// This system's page size, a multiple of kPage.
#if defined(__x86_64__)
constexpr size_t pageSize() { return kPage; }
#else
size_t pageSize();
#endif
constexpr size_t roundUp(size_t N, size_t To) { return (N + To - 1) / To * To; }

/// Zeroed private pages, or null. Keeps errno: a successful allocation of the
/// program's must not set it. \p Bytes is rounded up to pages, which cost
/// nothing until touched (MAP_NORESERVE).
void *mapPages(size_t Bytes);
/// As mapPages(), for memory that is used from end to end: in 2 MB pages if the
/// system has them.
void *mapHugePages(size_t Bytes);
/// Address space without memory behind it, or null.
void *reserveAddresses(size_t Bytes);
/// Finds unused addresses in the middle of a TiB, or, if the process may not
/// map that much, half a TiB below its mappings. A mapping that grows upwards
/// from there meets no other for long. Reserves nothing, since RLIMIT_AS would
/// count it, even when set later. Sets \p Bytes to the room for growth: half a
/// TiB, or an eighth of the address space that the process may map, or half of
/// it if that is at most 64 MiB. \returns null below 16 MiB
void *findAddresses(uint64_t &Bytes);
void unmapPages(void *Start, size_t Bytes);
/// From now on unmapped and moved pages leave readable zeros behind. A
/// single-threaded process may then keep reading pages that it once found
/// mapped.
void keepAddressesReadable();
/// Grows a mapping of mapPages, moving it if necessary; null and no change if
/// the system refuses.
void *growPages(void *Start, size_t Bytes, size_t NewBytes);
/// Copies from \p From in this process. \returns the number of readable bytes,
/// or kNotPermitted if the kernel does not allow it
inline constexpr long kNotPermitted = -2;
long readOwnMemory(void *To, uintptr_t From, size_t Bytes);
/// Like mapPages, but zeroed in a forked child (MADV_WIPEONFORK). If the kernel
/// does not support that, the child gets a copy.
void *mapPagesWipedByFork(size_t Bytes);
/// \p Wipe: whether forks from now on zero these pages in the child.
void wipePagesByFork(void *Start, size_t Bytes, bool Wipe);
/// Zeroes private pages by returning their memory. Drops pages of a shared
/// mapping, which keep their contents in the file. \returns \p Bytes, or 0
size_t dropPages(void *Start, size_t Bytes);
/// Prefaults pages for writing if the kernel supports it; raises no signal.
void populatePages(void *Start, size_t Bytes);
/// Bit 0 of \p Resident[i]: page i from \p Start is in memory.
bool findResident(void *Start, size_t Bytes, unsigned char *Resident);
/// A full memory barrier on every thread of the process; false if the kernel
/// does not support it.
bool fenceAllThreads();
/// Maps \p Bytes of \p Fd from \p Offset, shared, at the fixed address \p At.
/// Fails with ENOMEM if something is mapped there already.
bool mapFile(void *At, size_t Bytes, int Fd, uint64_t Offset);
/// As mapFile(), with zeroed private pages.
bool mapNewPagesAt(void *At, size_t Bytes);
/// Maps a private copy of \p Fd's first \p Bytes at the fixed address \p At,
/// atomically: a concurrent store reaches either the file or the copy.
bool mapPrivateCopy(void *At, size_t Bytes, int Fd);
/// As mapPrivateCopy(), but copies the pages mapped there to memory. Stores of
/// other threads during the copy may be lost. False when out of memory.
bool mapCopyInMemory(void *At, size_t Bytes);
/// Maps zeroed private pages at the fixed address \p At, replacing present
/// mappings.
bool mapPagesAt(void *At, size_t Bytes);
/// Writes a shared mapping's pages to disk.
void syncPages(void *Start, size_t Bytes);

enum class Access { None, Read, ReadWrite };
/// Changes the access to whole pages.
bool protectPages(void *Start, size_t Bytes, Access Allowed);

/// True if the 8 bytes at \p Address, which is 8-byte aligned, are readable. A
/// system call; keeps errno.
bool isReadable(const void *Address);
/// Makes isReadable() copy the bytes from now on, because memcheck reports
/// undefined bytes passed to the usual system call. Sandboxes may forbid the
/// one that copies.
void probeByCopying();

} // namespace inmem::rt

#endif

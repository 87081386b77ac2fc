//===- HeapFormat.h - The file of a heap snapshot ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by runtime/heap, read by heap/. A header, then sections of numbers as
// in VarintFormat.h, each one record after the other. "+1" marks numbers of
// which 0 means "none"; signed ones are zigzag.
//
//   objects     address / 8, as distance from the one before; size; site;
//               type +1; age in µs +1; hash of the content: 1 and 8 bytes, or
//               0; number of edges; of each edge: target as signed distance in
//               objects, label * 8 + EdgeKind. In order of addresses.
//   roots       RootKind; file or thread: label; offset in that file, or
//               address; object
//   containers  object +1 (0: a root's); label; type's name: label; elements;
//               capacity; bytes of an element; buckets
//   types       name: label; size; align; flags; number of fields; of each:
//               name, type's name: labels; offset; size; kind; bit
//   sites       site; type +1; function, file: labels; line; column; kind
//   callers     site; function, file: labels; line; column: the program's line
//               that led to a site in a library or a wrapper
//   inlined     site; function: label. Of sites that are in inlined functions
//   of
//               a library: these, from the one with the call to the outermost
//   variables   name: label, as the linker has it; RootKind; file or thread:
//               label; offset in that file, or address; size; type +1
//   named       roots in variables, again: variable; offset in
//               it, +1 (0: found by its type); way: label; object
//   held        containers in variables: variable; then as of containers, from
//               the label on
//   adopted     object; type: what a pointer says of a block that nothing else
//               is known of
//   labels      length, bytes; numbered from 0, which is empty
//   pages       the process's pages with memory behind them, or swapped out:
//               distance from the end of the record before, in pages; pages;
//               PageFlags. In order of addresses.
//   regions     RegionKind; address; bytes; label; detail, by kind. They may
//               overlap: a page belongs to the first kind that has it.
//   chunks      of the C library's heaps, without the objects' chunks:
//               distance from the end of the record before, signed, in 8 bytes;
//               bytes / 8; ChunkState
//   spans       of each object, in their order: bytes that the allocator has
//               given it in front of it; and behind its requested size
//   counts      site; blocks that it has allocated, ever
//
// The last five explain resident memory (runtime/heap/ResidentPages.h). A chunk
// of glibc's at P has the addresses from P + 8 on: its size, and the program's
// part, which includes the first word of the next chunk.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_HEAPFORMAT_H
#define INMEM_TRACE_HEAPFORMAT_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::heap {

inline constexpr char kMagic[8] = {'I', 'N', 'M', 'H', 'E', 'A', 'P', '1'};
inline constexpr uint32_t kVersion = 1;

enum class EdgeKind : uint8_t {
  Pointer = 0, ///< a member of pointer type
  Guess = 1,   ///< a word that looks like an address
  Inner = 2,   ///< between the parts of a container
  Weak = 3,    ///< from a weak_ptr
  Element = 4  ///< from a container to an element
};
enum class RootKind : uint8_t {
  Global = 0,
  Stack = 1,
  ThreadLocal = 2,
  Register = 3
};

/// Reasons why blocks, and the pointers in them, may be missing.
enum HeaderFlags : uint64_t {
  kFlagSampled = 1,   ///< every=, sample_bytes=
  kFlagFiltered = 2,  ///< include=, exclude=, min_size=
  kFlagStopped = 4,   ///< recording was off for a while, or began late
  kFlagMapped = 8,    ///< not a reason: mappings were recorded (mmap=on)
  kFlagAttached = 16, ///< `inmem attach`: older blocks are not recorded
  /// Not such a reason: the snapshot is for `inmem resident` alone, without
  /// edges, roots, variables, containers and hashes.
  kFlagNoGraph = 32
};

/// Names of CommandKind::Heap as used by `inmem resident`: a snapshot without
/// references between blocks, and one with a child that tries remedies.
inline constexpr char kResidentCommand[] = "resident",
                      kVerifyCommand[] = "verify";

/// Bytes of a line in the answer to `inmem resident --verify`.
inline constexpr size_t kTrialLine = 24;

/// The state of a run of pages.
enum PageFlags : uint64_t {
  kPageFile = 1,    ///< the page is a file's or shared memory's
  kPageHuge = 2,    ///< part of a huge page
  kPageSwapped = 4, ///< not in memory
  kPageZero = 8     ///< all of its bytes are 0
};

/// Features of the kernel that ran the process; without one, the figure is 0
/// because the kernel does not have it.
enum KernelFeatures : uint64_t {
  kKernelAsked = 1, ///< the other flags are valid
  kKernelHuge = 2,  ///< transparent huge pages
  kKernelKsm = 4,
  kKernelSwap = 8, ///< swap space exists
  kKernelHugetlb = 16
};
inline constexpr uint64_t kNotKnown = UINT64_MAX;

/// The main heap, if the program has called sbrk since the heap grew: its end
/// is not returned to the system.
inline constexpr uint64_t kArenaGrownByOthers = uint64_t{1} << 32;

/// The owner of a range of addresses. Lower kinds take precedence, except
/// Mapped and Allocator: see precedenceOf().
enum class RegionKind : uint8_t {
  Excluded = 0,  ///< memory of the snapshot itself or the kernel
  Own = 1,       ///< of inmem's runtime
  Stack = 2,     ///< label: thread and name; detail: its id
  Arena = 3,     ///< a heap of the C library; detail: 0: the main one, or
                 ///< kArenaGrownByOthers
  Image = 4,     ///< a loaded file; detail: 1 executable, 2 writable
  Shared = 5,    ///< memfd, System V and other shared memory
  File = 6,      ///< another mapped file
  Anonymous = 7, ///< any other memory; label: its name, if any
  Mapped = 8,    ///< mapped by the program itself (mmap=on); detail: site
  Allocator = 9  ///< mapped by a malloc other than the C library's (mmap=on)
};

/// The lowest takes precedence. Mapped and Allocator rank between File and
/// Anonymous, so a mapped file or shared memory counts as such, and other
/// mapped memory counts for the call that mapped it.
constexpr unsigned precedenceOf(RegionKind Kind) {
  const auto Number = static_cast<unsigned>(Kind);
  return Kind == RegionKind::Mapped || Kind == RegionKind::Allocator
             ? static_cast<unsigned>(RegionKind::File) * 2 + 1
             : Number * 2;
}

/// The state of a piece of a C library's heap that belongs to no object.
enum class ChunkState : uint8_t {
  Unrecorded = 0, ///< in use, but not recorded
  Cached = 1,     ///< in a thread's cache
  Fast = 2,       ///< free, in a list of small chunks that are not merged
  Free = 3,       ///< free, in a bin
  Top = 4,        ///< free, the end of a heap
  Header = 5      ///< the allocator's own data
};

/// The allocator that serves malloc.
enum class AllocatorKind : uint64_t {
  Unknown = 0,
  Glibc = 1,        ///< `chunks` describes its heaps
  GlibcUnknown = 2, ///< a version with an unknown heap layout
  Jemalloc = 3,
  Tcmalloc = 4,
  Mimalloc = 5
};

struct Section {
  uint64_t At;    ///< offset in the file
  uint64_t Count; ///< records
};

struct Header {
  char Magic[8];
  uint32_t Version;
  uint32_t HeaderBytes;
  uint64_t Pid;
  uint64_t UnixNs;
  uint64_t PauseNs; ///< time the program was stopped
  uint64_t Bytes;   ///< total size of all objects
  uint64_t Edges;
  uint64_t FileBytes; ///< 0 if the file is incomplete
  Section Objects, Roots, Containers, Types, Sites, Adopted, Labels;
  uint64_t Flags;                 ///< HeaderFlags; missing in older files
  Section Variables, Named, Held; ///< missing in older files
  Section Callers;                ///< missing in older files
  /// Missing in older files.
  Section PageRuns, Regions, Chunks, Spans, Counts;
  uint64_t PageBytes; ///< 0: no residency recorded
  AllocatorKind Allocator;
  uint64_t PageTableBytes; ///< 0 if unknown
  /// Huge pages of hugetlbfs, which the kernel does not count as RSS.
  uint64_t HugetlbBytes;
  Section Inlined; ///< missing in older files
  /// Pages that are merged with equal ones (KSM), or kNotKnown; and
  /// KernelFeatures. Older files end their header before them.
  uint64_t KsmBytes, Kernel;
};
static_assert(offsetof(Header, Flags) == 64 + 7 * 16);
static_assert(offsetof(Header, PageRuns) ==
              offsetof(Header, Flags) + 8 + 4 * 16);
static_assert(offsetof(Header, Inlined) ==
              offsetof(Header, PageRuns) + 5 * 16 + 4 * 8);
static_assert(offsetof(Header, KsmBytes) == offsetof(Header, Inlined) + 16);
static_assert(sizeof(Header) == offsetof(Header, Inlined) + 2 * 16);

} // namespace inmem::heap

#endif

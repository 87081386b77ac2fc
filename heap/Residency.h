//===- Residency.h - Each resident byte has an owner ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides the pages that a process has in memory among its blocks, its
// allocator, its files and the rest. Each page is counted once, so that the
// parts add up to RSS. docs/resident.md has the rules.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_HEAP_RESIDENCY_H
#define INMEM_HEAP_RESIDENCY_H

#include "heap/HeapFile.h"

#include <array>
#include <map>
#include <optional>

namespace inmem::heap {

/// A part of resident memory, in the order of display.
enum class Part : uint8_t {
  Live,     ///< bytes that the program requested, in live blocks
  Rounding, ///< bytes that the allocator gave them beyond the request, and
            ///< headers
  Pinned,   ///< free, but on a page with a block
  Trim,     ///< free: malloc_trim(0) returns it
  Kept,     ///< free or owned by the allocator, and kept
  Mapped,   ///< the program's own mappings and shared memory
  Files,
  Stacks,
  Binaries, ///< code and data of loaded files
  Inmem,    ///< the runtime's memory
  Unknown
};
inline constexpr size_t kParts = static_cast<size_t>(Part::Unknown) + 1;
/// As in JSON: "live", "rounding", …
const char *nameOf(Part P);

/// A type and the line of the program that allocates it.
struct Line {
  std::string_view Type; ///< empty: unknown
  uint32_t Site = 0;     ///< one of the line's sites
  uint64_t Blocks = 0, LiveBytes = 0;
  uint64_t Allocated = 0;     ///< blocks allocated so far; 0 if unknown
  uint64_t SpanBytes = 0;     ///< with rounding and headers, resident or not
  uint64_t ResidentBytes = 0; ///< resident part of LiveBytes
  /// On whole pages of a block that are untouched or contain only zeros.
  uint64_t UntouchedBytes = 0;
  uint64_t HoldsBack = 0; ///< its share of the free bytes next to its blocks
  uint64_t TimedBlocks = 0, AgeUs = 0; ///< AgeUs: the sum of their ages

  /// At least 95 % of its blocks are alive.
  bool survives() const { return Allocated && Blocks * 100 >= Allocated * 95; }
};

/// Pages whose blocks all belong to the same lines.
struct PinnedPages {
  std::vector<uint32_t> Lines; ///< sorted
  uint64_t Pages = 0;
  uint64_t Free = 0; ///< bytes
};

/// Memory of one owner outside blocks.
struct Owner {
  Part Of = Part::Unknown;
  std::string_view
      Name;          ///< a file, a thread, a name of a mapping; may be empty
  uint32_t Site = 0; ///< site that mapped it; 0 if unknown
  uint64_t Bytes = 0;
  uint64_t Deepest = 0; ///< stacks: bytes from the deepest page to the end
};

struct Residency {
  uint64_t PageBytes = 0, RssBytes = 0;
  std::array<uint64_t, kParts> Bytes = {};
  uint64_t HugeBytes = 0, SwappedBytes = 0;
  /// Pages of zeros in huge pages. Without huge pages they would not exist.
  uint64_t HugeZeroBytes = 0;
  /// A part of Unknown: in use in the allocator's heaps, but not recorded.
  uint64_t UnrecordedBytes = 0, UnrecordedBlocks = 0;
  /// Parts of Kept. The last is for allocators other than glibc's: memory that
  /// they mapped without blocks in it, such as their tables.
  uint64_t CachedBytes = 0, TopBytes = 0, BlocklessBytes = 0;
  std::vector<Line> Lines; ///< largest HoldsBack first
  /// Line numbers by site. A site of several types has one of their numbers.
  std::map<uint32_t, uint32_t> LineOfSite;
  std::vector<PinnedPages> Sets;
  std::vector<Owner> Owners; ///< the largest first

  uint64_t bytes(Part P) const { return Bytes[static_cast<size_t>(P)]; }
};

/// A page of the allocator's or of anonymous memory.
struct HeapPage {
  uint64_t Number = 0;
  uint32_t Region = 0;         ///< +1; 0: none
  uint32_t Name = 0;           ///< label of its mapping; 0: none
  uint32_t Live = 0, Used = 0; ///< requested bytes, without and with rounding
  uint32_t Unrecorded = 0, Header = 0, Cached = 0, Top = 0;
  uint32_t Free = 0; ///< bytes in chunks known to be free
  bool IsZero = false, IsHuge = false, IsTrimmed = false;
};

/// Requires Heap::hasResidency(). \p Pages, unless null, receives the pages of
/// the heap in order of addresses. Fails if there are more pages than it
/// handles (256 GiB).
trace::Result<Residency> explain(const Heap &H,
                                 std::vector<HeapPage> *Pages = nullptr);

/// A change that returns memory, with its promise.
struct Remedy {
  enum class Kind : uint8_t { Trim, Place, Copy, NoHugePages, Decay };
  Kind What = Kind::Trim;
  uint64_t SavesBytes = 0;
  std::vector<uint32_t> Lines; ///< for Place and Copy
  /// Bytes returned when it was tried; none if it was not.
  std::optional<uint64_t> MeasuredBytes = {};
};
const char *nameOf(Remedy::Kind What);

/// The remedies that are worth naming, the most valuable first. All promises
/// apply to the moment of the snapshot.
std::vector<Remedy> remedies(const Heap &H, const Residency &R);

/// Bytes that are returned if all blocks of \p Lines are moved elsewhere, less
/// the bytes that they need there.
int64_t savingOf(const Residency &R, const std::vector<uint32_t> &Lines);

} // namespace inmem::heap

#endif

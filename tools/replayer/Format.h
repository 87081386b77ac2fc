//===- Format.h - A script for the replayer ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `inmem replay` writes it and the replayer maps it. It contains a header, the
// steps of each thread in order, one thread after the other, and the turns,
// which determine whose steps come when.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_REPLAYER_FORMAT_H
#define INMEM_TOOLS_REPLAYER_FORMAT_H

#include <cstdint>

namespace inmem::replayer {

inline constexpr uint64_t kMagic = 0x3159414c504552; // "REPLAY1"

enum class StepKind : uint8_t {
  Allocate = 0,
  Zeroed = 1,     ///< calloc
  Reallocate = 2, ///< realloc: the block keeps its number
  Free = 3
};

struct Step {
  uint32_t Block;
  StepKind Kind;
  uint8_t Class;       ///< an inmem_place_class
  uint16_t IsReserved; ///< 1: only the first page is written
  uint64_t Size;
};
static_assert(sizeof(Step) == 16);

enum class TurnKind : uint32_t {
  Run = 0,
  Begin = 1, ///< the main thread starts the thread
  End = 2    ///< the main thread waits for its end
};

struct Turn {
  uint32_t Thread; ///< 0: the main one
  TurnKind Kind;
  uint64_t First, Count; ///< range in Steps
};
static_assert(sizeof(Turn) == 24);

struct Header {
  uint64_t Magic;
  uint32_t Threads, Blocks;
  uint64_t Steps, Turns;
};
static_assert(sizeof(Header) == 32);

/// The replayer's output in bytes: the resident size at the peak, at the end,
/// and after malloc_trim(0), each minus the size at the start.
inline constexpr char kResult[] = "%lld %lld %lld\n";

/// Exit codes other than 0.
enum ReplayerExit : int {
  kBadScript = 2,
  kWrongAllocator = 3, ///< the requested allocator's symbol is missing
  kOutOfMemory = 4,
  kNoMeasure = 5 ///< /proc cannot be read
};

} // namespace inmem::replayer

#endif

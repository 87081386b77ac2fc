//===- Supply.h - Slabs that no shard has -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The range of addresses, and the empty slabs in it. A few of those keep their
// pages (warm); the pages of all others (cold) went back to the system.
//
// The range consists of extents of four slabs. A mixed slab is a whole extent.
// Uniform ones are quarters; quarters of one extent that are all empty become a
// whole again, so that pages of either kind serve the other.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLACE_SUPPLY_H
#define INMEM_PLACE_SUPPLY_H

#include "Lock.h"
#include "Slab.h"

namespace inmem::place {

class Supply {
public:
  /// An empty slab, not prepared; null if there is no memory, or no room.
  Slab *take(bool Mixed);
  void give(Slab *S);
  /// Bytes of slabs that shards have.
  size_t bytesTaken();

  Lock Guard; ///< for fork
private:
  struct Stock {
    Slab *Quarters = nullptr, *Wholes = nullptr;
    size_t Count = 0; ///< in quarters
  };

  void chooseRange();
  bool mapAt(uintptr_t Address, size_t Bytes);
  bool growRange(size_t Bytes);
  static void push(Stock &To, Slab *S, bool Whole);
  static void remove(Stock &From, Slab *S, bool Whole);
  /// As push; quarters that are complete become a whole.
  static void put(Stock &To, Slab *S, bool Whole);
  static Slab *get(Stock &From, bool Whole);
  bool addExtent();
  void noteInVain(const Slab &S, bool Whole);
  void coolDown();

  Stock Warm, Cold;
  size_t Kept = 0;        ///< so many quarters may be warm beyond kLeastWarm
  uint64_t InVainNs = 0;  ///< when pages were last given back in vain
  uintptr_t Fresh = 0;    ///< end of extents that were used
  size_t HeaderBytes = 0; ///< mapped below the range
  bool Tried = false;     ///< to find room for the range
  bool Closed = false;    ///< what follows the range belongs to somebody else
};

/// Zero when the program starts.
extern Supply TheSupply;

} // namespace inmem::place

#endif

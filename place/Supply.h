//===- Supply.h - The range and its empty slabs -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Empty slabs belong to no shard. A few of them keep their pages (warm); the
// others have returned theirs to the system (cold).
//
// The range consists of extents of 256 KiB. A large slab takes a whole extent,
// any other a quarter. When all quarters of an extent are empty, they
// become a whole again, so pages of one kind can serve the other.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLACE_SUPPLY_H
#define INMEM_PLACE_SUPPLY_H

#include "FutexLock.h"
#include "Slab.h"

namespace inmem::place {

class Supply {
public:
  /// A warm slab that still needs preparing; null if there is none.
  Slab *takeWarm(bool Whole);
  /// A slab with returned or never used pages; null if there is no memory.
  Slab *takeCold(bool Whole);
  void give(Slab *S);
  /// Returns the pages of all warm slabs. \returns whether there were any
  bool trim();
  /// Bytes of the slabs that shards own.
  size_t bytesTaken();

  Lock Guard; ///< public for fork
private:
  struct Stock {
    Slab *Quarters = nullptr, *Wholes = nullptr;
    size_t Count = 0; ///< number of quarters
  };

  void chooseRange();
  bool mapAt(uintptr_t Address, size_t Bytes);
  bool growHeaders(uintptr_t End, size_t &Mapped, size_t Needed);
  bool growRange(size_t Bytes);
  static void push(Stock &To, Slab *S, bool Whole);
  static void remove(Stock &From, Slab *S, bool Whole);
  /// Like push, but four empty quarters become a whole.
  static void put(Stock &To, Slab *S, bool Whole);
  static void divide(Stock &From, Slab *First);
  static Slab *lowestWhole(const Stock &From);
  static Slab *bestQuarter(const Stock &From);
  static Slab *get(Stock &From, bool Whole);
  bool addExtent();
  void noteWanted(const Slab &S, bool Whole);
  void coolDown();
  void coolTo(size_t Quarters, Moment When);

  Stock Warm, Cold;
  size_t WantedSoon = 0, WantedLate = 0; ///< quarters wanted again recently
  size_t Kept = 0;        ///< quarters that may stay warm beyond kLeastWarm
  uint64_t TooSoonNs = 0; ///< when pages were last returned too soon
  uintptr_t Fresh = 0;    ///< end of the extents that were ever used
  size_t ExtentBytes = 0, QuarterBytes = 0; ///< mapped bytes of headers
  bool Tried = false;                       ///< looked for free addresses
  bool Closed = false; ///< the addresses after the range are taken
};

extern Supply TheSupply;

} // namespace inmem::place

#endif

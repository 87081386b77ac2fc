//===- BlockSearch.h - Where code keeps a block ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small abstract interpretation: tracks the registers and stack slots that
// hold the block, along each path from the call to a return. Compilers spill
// the block, copy it and test it for null. A function that stores into the
// block, or calls another one on it, constructs an object in it and is not a
// wrapper.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_UNWIND_BLOCKSEARCH_H
#define INMEM_RUNTIME_UNWIND_BLOCKSEARCH_H

#include "unwind/UnwindTables.h"

#include <stdint.h>

namespace inmem::rt {

/// The registers, by number, and slots of the frame that hold a block. Offsets
/// from the stack pointer count from its value when the call returned.
struct Holders {
  struct InFrame {
    unsigned Base; ///< register number of the stack or frame pointer
    int32_t Offset;
  };
  static constexpr unsigned kMostSlots = 6;
  uint32_t Registers = 0;
  unsigned Slots = 0;
  InFrame At[kMostSlots] = {};
  int32_t Sp = 0;
  bool KnowsSp = true;

  bool has(unsigned Register) const {
    return Register < 32 && (Registers >> Register & 1) != 0;
  }
  void set(unsigned Register, bool Holds) {
    if (Register >= 32)
      return;
    const uint32_t Bit = uint32_t{1} << Register;
    Registers = Holds ? Registers | Bit : Registers & ~Bit;
  }
  bool isIn(InFrame Slot) const {
    for (unsigned I = 0; I < Slots; ++I)
      if (At[I].Base == Slot.Base && At[I].Offset == Slot.Offset)
        return true;
    return false;
  }
  /// A hash of the registers and slots that hold the block.
  uint64_t key() const {
    constexpr uint64_t kMix = 0x9e3779b97f4a7c15;
    uint64_t Out = Registers;
    for (unsigned I = 0; I < Slots; ++I) // the order does not matter
      Out +=
          (uint64_t{At[I].Base} << 32 | static_cast<uint32_t>(At[I].Offset)) *
          kMix;
    return Out;
  }
  void setSlot(InFrame Slot, bool Holds) {
    unsigned I = 0;
    while (I < Slots &&
           !(At[I].Base == Slot.Base && At[I].Offset == Slot.Offset))
      ++I;
    if (Holds && I < kMostSlots) {
      At[I] = Slot;
      Slots += I == Slots;
    } else if (!Holds && I < Slots) {
      At[I] = At[--Slots];
    }
  }
};

/// The name by which the file around \p Code imports \p Entry of its table, or
/// null.
const char *importedAt(uintptr_t Code, uintptr_t Entry);

/// True if \p Name is a function that fills memory, or queries its size, and
/// keeps no pointer to it.
bool onlyFills(const char *Name);

/// True if a function with this name (null: unknown) gets the size of a block
/// in two arguments.
bool hasTwoSizes(const char *Name);

/// The distance for which a search follows a block.
enum class Follow : uint8_t {
  Memory, ///< until the block becomes an object
  Objects ///< also as an object, with addresses inside it
};

/// A path that is still to be followed.
struct Path {
  uintptr_t At;
  Holders Block;
};
constexpr unsigned kMostPaths = 16, kMostInstructions = 400;

/// Follows the code after a call, path by path. The derived class interprets an
/// architecture's instructions.
template <class Architecture> class Search {
public:
  /// True if some path from \p From, where \p Block holds the block, returns
  /// it.
  bool returnsFrom(uintptr_t From, const Holders &Block) {
    add(From, Block);
    while (Count > 0) {
      Current = Paths[--Count];
      while (Left > 0 && follow()) {
      }
      if (Found || Left == 0)
        break;
    }
    return Found;
  }

protected:
  /// Adds the target \p At of a branch. Code is examined again only if other
  /// registers or slots hold the block there.
  void add(uintptr_t At, const Holders &Block) {
    if (At < Start || At >= End || Count == kMostPaths)
      return;
    const uint64_t Key = (uint64_t{At} << 32) ^ Block.key();
    for (unsigned I = 0; I < SeenCount; ++I)
      if (Seen[I] == Key)
        return;
    if (SeenCount < kMostSeen)
      Seen[SeenCount++] = Key;
    Paths[Count++] = {At, Block};
  }
  bool isInside(uintptr_t At) const { return At >= Start && At < End; }

  Holders &block() { return Current.Block; }

  /// True if objects are followed, too.
  bool objects() const { return What == Follow::Objects; }

  /// True if the function at \p Entry gets the block in the register \p First
  /// and returns it untouched.
  bool isGivenBack(uintptr_t Entry, unsigned First) {
    if (IsCallee || Entry == 0)
      return false;
    const AddressRange Function = functionRange(Entry);
    if (Function.Start != Entry)
      return false;
    Holders Argument;
    Argument.set(First, true);
    Architecture Callee(Function.Start, Function.End, Follow::Memory);
    Callee.IsCallee = true;
    return Callee.returnsFrom(Entry, Argument);
  }

  uintptr_t Start, End;
  Path Current = {};
  bool Found = false;

private:
  friend Architecture;
  Search(uintptr_t Start, uintptr_t End, Follow What)
      : Start(Start), End(End), What(What) {}

  /// Follows one instruction. False if the path ends.
  bool follow() {
    --Left;
    return isInside(Current.At) &&
           static_cast<Architecture *>(this)->execute(Current.At);
  }

  static constexpr unsigned kMostSeen = 64;
  Follow What;
  bool IsCallee = false; ///< a callee: its own callees are not followed
  Path Paths[kMostPaths];
  unsigned Count = 0, Left = kMostInstructions, SeenCount = 0;
  uint64_t Seen[kMostSeen];
};

} // namespace inmem::rt

#endif

//===- AArch64BlockSearch.h - A block in AArch64 code ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodings: Arm Architecture Reference Manual for A-profile, C4.1.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_UNWIND_AARCH64BLOCKSEARCH_H
#define INMEM_RUNTIME_UNWIND_AARCH64BLOCKSEARCH_H

#include "platform/Image.h"
#include "unwind/BlockSearch.h"

#include <string.h>

namespace inmem::rt::aarch64 {

constexpr unsigned kFp = 29, kSp = 31;
constexpr unsigned kResult = 0; ///< holds a function's result

inline uint32_t codeAt(uintptr_t At) {
  uint32_t Code;
  memcpy(&Code, reinterpret_cast<const void *>(At), sizeof Code);
  return Code;
}
inline unsigned field(uint32_t Code, unsigned From, unsigned Bits) {
  return Code >> From & ((1u << Bits) - 1);
}
/// A signed field.
inline int64_t number(uint32_t Code, unsigned From, unsigned Bits) {
  const int64_t Sign = int64_t{1} << (Bits - 1);
  return (static_cast<int64_t>(field(Code, From, Bits)) ^ Sign) - Sign;
}
inline unsigned destination(uint32_t Code) { return field(Code, 0, 5); }
inline unsigned base(uint32_t Code) { return field(Code, 5, 5); }

/// The target of a branch at \p At over a distance of \p Words.
inline uintptr_t targetOf(uintptr_t At, int64_t Words) {
  return At + static_cast<uintptr_t>(Words * 4);
}

/// True for a conditional branch; sets its target.
inline bool isConditional(uint32_t Code, uintptr_t At, uintptr_t &Target) {
  if ((Code & 0xff000010) == 0x54000000 || // b.cond
      (Code & 0x7e000000) == 0x34000000) { // cbz, cbnz
    Target = targetOf(At, number(Code, 5, 19));
    return true;
  }
  if ((Code & 0x7e000000) == 0x36000000) { // tbz, tbnz
    Target = targetOf(At, number(Code, 5, 14));
    return true;
  }
  return false;
}
inline bool isBranch(uint32_t Code) { return Code >> 26 == 0x05; }
inline bool isCall(uint32_t Code) {
  return Code >> 26 == 0x25 || (Code & 0xfefff000) == 0xd63f0000;
}
inline bool isReturn(uint32_t Code) {
  return (Code & 0xfffff01f) == 0xd65f0000 || (Code & 0xfffffbff) == 0xd65f0bff;
}
/// True for a 64-bit mov between registers.
inline bool isMove(uint32_t Code) { return (Code & 0xffe0ffe0) == 0xaa0003e0; }

/// The import to which the stub of a linkage table at \p Stub leads; null:
/// another function. adrp x16; ldr x17, [x16, n]; add x16; br x17.
inline const char *importOf(uintptr_t Stub) {
  constexpr unsigned kBytes = 16;
  constexpr uint32_t kLanding = 0xd503245f; // bti c
  Image File;
  if (!Image::around(Stub, File) || !File.isReadable(Stub, kBytes))
    return nullptr;
  if (codeAt(Stub) == kLanding)
    Stub += 4;
  const uint32_t Page = codeAt(Stub), Load = codeAt(Stub + 4);
  if ((Page & 0x9f00001f) != 0x90000010 || (Load & 0xffc003ff) != 0xf9400211)
    return nullptr;
  const int64_t Pages = number(Page, 5, 19) * 4 + field(Page, 29, 2);
  return importedAt(Stub, (Stub & ~uintptr_t{4095}) +
                              static_cast<uintptr_t>(Pages * 4096) +
                              field(Load, 10, 12) * 8);
}

class ReturnSearch : public Search<ReturnSearch> {
public:
  ReturnSearch(uintptr_t Start, uintptr_t End, Follow What)
      : Search(Start, End, What) {}

  bool execute(uintptr_t &At) {
    const uintptr_t Here = At;
    const uint32_t Code = codeAt(Here);
    uintptr_t Target = 0;
    At += 4;
    if (isReturn(Code)) {
      Found = block().has(0);
      return false;
    }
    if (isConditional(Code, Here, Target)) {
      add(Target, block());
      return true;
    }
    if (isBranch(Code)) {
      At = targetOf(Here, number(Code, 0, 26));
      return isInside(At) || leave(At);
    }
    if (isCall(Code))
      return call(Code, Here);
    if ((Code & 0xfe000000) == 0xd6000000 || (Code & 0xff000000) == 0xd4000000)
      return false; // br, traps
    if ((Code & 0x0a000000) == 0x08000000)
      return move(Code);
    compute(Code);
    return true;
  }

private:
  /// Handles a jump out of the function: a function that fills memory returns
  /// the block.
  bool leave(uintptr_t Target) {
    const char *Name = block().has(0) ? importOf(Target) : nullptr;
    Found = Name ? onlyFills(Name) : block().has(0) && isGivenBack(Target, 0);
    return false;
  }

  bool call(uint32_t Code, uintptr_t At) {
    const bool OnBlock = block().has(0);
    const uintptr_t Target =
        Code >> 26 == 0x25 ? targetOf(At, number(Code, 0, 26)) : 0;
    const char *Name = OnBlock && Target ? importOf(Target) : nullptr;
    const bool IsBack =
        Name ? onlyFills(Name) : OnBlock && isGivenBack(Target, 0);
    if (OnBlock && !IsBack && !objects())
      return false;                             // the block becomes an object
    block().Registers &= ~uint32_t{0x4007ffff}; // x0 to x18, x30
    block().set(0, IsBack); // the callee returns its first argument
    return true;
  }

  Holders::InFrame slot(unsigned Base, int64_t Offset) {
    return {Base,
            static_cast<int32_t>(Offset) + (Base == kSp ? block().Sp : 0)};
  }
  bool isFrame(unsigned Base) {
    return Base == kFp || (Base == kSp && block().KnowsSp);
  }
  void store(unsigned Register, unsigned Base, int64_t Offset) {
    if (isFrame(Base))
      block().setSlot(slot(Base, Offset),
                      Register != kSp && block().has(Register));
  }
  void load(unsigned Register, unsigned Base, int64_t Offset) {
    if (Register != kSp) // xzr
      block().set(Register, isFrame(Base) && block().isIn(slot(Base, Offset)));
  }

  /// Loads and stores.
  bool move(uint32_t Code) {
    const unsigned First = destination(Code), Base = base(Code);
    const bool Loads = (Code >> 22 & 1) != 0, IsVector = (Code >> 26 & 1) != 0;
    if (!Loads && Base != kSp && block().has(Base))
      return objects();                      // a store into the block
    if ((Code & 0xfe000000) == 0xa8000000) { // pairs of 64 bits
      const int64_t Offset = number(Code, 15, 7) * 8;
      const unsigned Mode = field(Code, 23, 2), Second = field(Code, 10, 5);
      const bool After = Mode == 1;
      moveSp(Base, Mode == 3 ? Offset : 0);
      const int64_t At = Mode == 2 || Mode == 0 ? Offset : 0;
      if (Loads)
        load(First, Base, At), load(Second, Base, At + 8);
      else
        store(First, Base, At), store(Second, Base, At + 8);
      moveSp(Base, After ? Offset : 0);
      return true;
    }
    if ((Code & 0xff800000) == 0xf9000000) { // 64 bits, scaled offset
      const int64_t Offset = int64_t{field(Code, 10, 12)} * 8;
      Loads ? load(First, Base, Offset) : store(First, Base, Offset);
      return true;
    }
    if ((Code & 0xffa00000) == 0xf8000000 && field(Code, 10, 2) != 2) {
      const int64_t Offset = number(Code, 12, 9);
      const unsigned Mode = field(Code, 10, 2);
      moveSp(Base, Mode == 3 ? Offset : 0);
      const int64_t At = Mode == 0 ? Offset : 0;
      Loads ? load(First, Base, At) : store(First, Base, At);
      moveSp(Base, Mode == 1 ? Offset : 0);
      return true;
    }
    if (Loads && !IsVector && First != kSp)
      block().set(First, false);
    return true;
  }
  void moveSp(unsigned Base, int64_t By) {
    if (Base == kSp)
      block().Sp += static_cast<int32_t>(By);
  }

  void compute(uint32_t Code) {
    const unsigned To = destination(Code), From = base(Code);
    if (isMove(Code))
      return block().set(To, To != kSp && block().has(field(Code, 16, 5)));
    const bool Adds = (Code & 0xff800000) == 0x91000000,
               Subtracts = (Code & 0xff800000) == 0xd1000000;
    if (Adds || Subtracts) {
      const int64_t By = int64_t{field(Code, 10, 12)}
                         << (Code >> 22 & 1 ? 12 : 0);
      if (To != kSp)
        return block().set(To, From != kSp && (By == 0 || objects()) &&
                                   block().has(From));
      block().KnowsSp = block().KnowsSp && From == kSp;
      block().Sp += static_cast<int32_t>(Adds ? By : -By);
      return;
    }
    if ((Code & 0xffe00c00) == 0x9a800000) // csel
      return block().set(To,
                         block().has(From) || block().has(field(Code, 16, 5)));
    const bool IsVector = (Code & 0x0e000000) == 0x0e000000;
    if (To != kSp && !IsVector)
      block().set(To, false);
  }
};

/// The two arguments in which sizes are passed.
struct SizeArguments {
  bool Constant[2] = {};
  uint64_t First = 0;

  void read(uint32_t Code) {
    if (isCall(Code)) {
      Constant[0] = Constant[1] = false;
      return;
    }
    const unsigned To = destination(Code);
    if (To > 1 || (Code & 0x0a000000) == 0x08000000) {
      const bool Loads = (Code >> 22 & 1) != 0;
      if (To <= 1 && Loads)
        Constant[To] = false;
      return;
    }
    const bool Moves = (Code & 0x7f800000) == 0x52800000,
               Ors = (Code & 0x7f8003e0) == 0x320003e0;
    Constant[To] = Moves || Ors;
    if (To == 0)
      First = Moves ? field(Code, 5, 16) : 0;
  }
};

/// Finds the slot in which the call before \p Return stores the block, as
/// posix_memalign() does. False if the call returns the block.
inline bool storesBlock(uintptr_t Return, uintptr_t Start,
                        Holders::InFrame &Slot) {
  const uint32_t Call = codeAt(Return - 4);
  const char *Name = Call >> 26 == 0x25
                         ? importOf(targetOf(Return - 4, number(Call, 0, 26)))
                         : nullptr;
  if (!Name || strcmp(Name, "posix_memalign") != 0)
    return false;
  bool Known = false;
  for (uintptr_t At = Start; At + 4 < Return; At += 4) {
    const uint32_t Code = codeAt(At);
    const unsigned Base = base(Code);
    const bool Adds = (Code & 0xff800000) == 0x91000000,
               Subtracts = (Code & 0xff800000) == 0xd1000000;
    const bool IsMemory = (Code & 0x0a000000) == 0x08000000;
    if (isCall(Code)) {
      Known = false;
    } else if ((Adds || Subtracts) && destination(Code) == 0) {
      Known = Base == kSp || Base == kFp;
      const auto By = static_cast<int32_t>(field(Code, 10, 12));
      Slot = {Base, Adds ? By : -By};
    } else if (destination(Code) == 0 && (!IsMemory || (Code >> 22 & 1))) {
      Known = false;
    }
  }
  return Known;
}

inline bool hasConstantSize(uintptr_t Return, uintptr_t Start) {
  SizeArguments Sizes;
  for (uintptr_t At = Start; At + 4 < Return; At += 4)
    Sizes.read(codeAt(At));
  const uint32_t Call = codeAt(Return - 4);
  const char *Name = Call >> 26 == 0x25
                         ? importOf(targetOf(Return - 4, number(Call, 0, 26)))
                         : nullptr;
  const bool IsOfTwo =
      (Sizes.Constant[0] && Sizes.First == 1) || hasTwoSizes(Name);
  return Sizes.Constant[0] && (Sizes.Constant[1] || !IsOfTwo);
}

} // namespace inmem::rt::aarch64

#endif

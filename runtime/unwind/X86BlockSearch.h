//===- X86BlockSearch.h - A block in x86-64 code --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves, loads and stores of a pointer, and the effects of calls on it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_UNWIND_X86BLOCKSEARCH_H
#define INMEM_RUNTIME_UNWIND_X86BLOCKSEARCH_H

#include "platform/Image.h"
#include "unwind/BlockSearch.h"
#include "unwind/X86Decoder.h"

#include <string.h>

namespace inmem::rt::x86 {

constexpr unsigned kResult = kAx; ///< holds a function's result

inline Instruction decodeAt(uintptr_t At, uintptr_t End) {
  return Decoder(reinterpret_cast<const uint8_t *>(At),
                 reinterpret_cast<const uint8_t *>(End))
      .decode();
}

/// True if \p I only reads its operands, in memory or registers, and changes
/// nothing but the flags.
inline bool onlyCompares(const Instruction &I) {
  const unsigned Which = I.Register & 7;
  if (I.Map == 0)
    return (I.Opcode >= 0x38 && I.Opcode <= 0x3d) || I.Opcode == 0x84 ||
           I.Opcode == 0x85 || I.Opcode == 0xa8 || I.Opcode == 0xa9 ||
           ((I.Opcode == 0x80 || I.Opcode == 0x81 || I.Opcode == 0x83) &&
            Which == 7) ||
           ((I.Opcode == 0xf6 || I.Opcode == 0xf7) && Which < 2);
  // Hints, long nops, bt with a number.
  return I.Map == 1 && (I.Opcode == 0x1e || I.Opcode == 0x1f ||
                        I.Opcode == 0x18 || I.Opcode == 0xa3);
}

/// True if \p I, with an operand in memory, only loads from it.
inline bool onlyLoads(const Instruction &I) {
  if (onlyCompares(I))
    return true;
  if (I.Map == 0)
    return I.Opcode == 0x8b || I.Opcode == 0x8d || I.Opcode == 0x63 ||
           (I.Opcode < 0x40 && (I.Opcode & 6) == 2);
  return I.Map == 1 &&
         (I.Opcode == 0xb6 || I.Opcode == 0xb7 || I.Opcode == 0xbe ||
          I.Opcode == 0xbf || I.Opcode == 0x10 || I.Opcode == 0x28 ||
          I.Opcode == 0x6f);
}

/// The target of \p I, a call that returns to \p Next; 0: not in the code.
inline uintptr_t calledBy(const Instruction &I, uintptr_t Next) {
  if (I.Map != 0 || I.Opcode != 0xe8)
    return 0;
  int32_t Distance;
  memcpy(&Distance, reinterpret_cast<const void *>(Next - sizeof Distance),
         sizeof Distance);
  return Next + static_cast<uintptr_t>(intptr_t{Distance});
}

/// The import to which a stub, or a call or jump through a table, leads; null:
/// another function. \p Target: 0 if the instruction uses an entry of a table.
inline const char *importOf(const Instruction &I, uintptr_t Next,
                            uintptr_t Target) {
  if (!Target)
    return I.Opcode == 0xff && I.Base == kNoRegister && I.Direct == kNoRegister
               ? importedAt(Next, Next + static_cast<uintptr_t>(
                                             intptr_t{I.Displacement}))
               : nullptr;
  constexpr uintptr_t kLongestStub = 16;
  Image File;
  if (!Image::around(Target, File) || !File.isReadable(Target, kLongestStub))
    return nullptr;
  const auto *Code = reinterpret_cast<const uint8_t *>(Target);
  constexpr uint8_t kLanding[] = {0xf3, 0x0f, 0x1e, 0xfa}; // endbr64
  if (memcmp(Code, kLanding, sizeof kLanding) == 0)
    Code += sizeof kLanding;
  const auto Stub = reinterpret_cast<uintptr_t>(Code);
  const Instruction Jump = decodeAt(Stub, Stub + kLongestStub - 4);
  if (Jump.Length == 0 || Jump.Opcode != 0xff || (Jump.Register & 7) != 4 ||
      Jump.Base != kNoRegister || Jump.Direct != kNoRegister)
    return nullptr;
  return importedAt(Stub,
                    Stub + Jump.Length +
                        static_cast<uintptr_t>(intptr_t{Jump.Displacement}));
}

class ReturnSearch : public Search<ReturnSearch> {
public:
  ReturnSearch(uintptr_t Start, uintptr_t End, Follow What)
      : Search(Start, End, What) {}

  bool execute(uintptr_t &At) {
    const Instruction I = decodeAt(At, End);
    if (I.Length == 0)
      return false;
    const uintptr_t Next = At + I.Length;
    const uintptr_t Target =
        I.Distance ? Next + static_cast<uintptr_t>(intptr_t{I.Distance}) : 0;
    At = Next;
    switch (I.Then) {
    case Flow::Return:
      Found = block().has(kAx);
      return false;
    case Flow::Branch:
      add(Target, block());
      return true;
    case Flow::Jump:
      if (isInside(Target)) {
        At = Target;
        return true;
      }
      return leave(I, Next, Target);
    case Flow::Call:
      return call(I, Next);
    case Flow::Other:
      if (I.Map == 0 && I.Opcode == 0xc9) { // leave
        block().KnowsSp = false;
        return true;
      }
      return leave(I, Next, 0);
    case Flow::Next:
      break;
    }
    return move(I);
  }

private:
  /// Handles a jump out of the function: its target may return the block.
  bool leave(const Instruction &I, uintptr_t Next, uintptr_t Target) {
    if (block().has(kDi) && (I.Opcode == 0xe9 || I.Opcode == 0xeb ||
                             (I.Opcode == 0xff && (I.Register & 7) == 4))) {
      const char *Name = importOf(I, Next, Target);
      Found = Name ? onlyFills(Name) : isGivenBack(Target, kDi);
    }
    return false;
  }

  bool call(const Instruction &I, uintptr_t Next) {
    const bool OnBlock = block().has(kDi);
    const char *Name = OnBlock ? importOf(I, Next, calledBy(I, Next)) : nullptr;
    const bool Fills = Name && onlyFills(Name);
    const bool IsBack =
        Fills || (OnBlock && !Name && isGivenBack(calledBy(I, Next), kDi));
    if (OnBlock && !IsBack && !objects())
      return false;                    // the block becomes an object
    constexpr uint32_t kLost = 0x0fc7; // rax, rcx, rdx, rsi, rdi, r8 to r11
    block().Registers &= ~kLost;
    block().set(kAx, IsBack); // the callee returns its first argument
    return true;
  }

  /// The frame slot of an operand in memory; false if it is not in the frame.
  bool slotOf(const Instruction &I, Holders::InFrame &Slot) {
    Slot = {I.Base, I.Displacement};
    if (I.Base == kSp) {
      Slot.Offset += block().Sp;
      return block().KnowsSp;
    }
    return I.Base == kFp;
  }

  void push(bool Holds) {
    block().Sp -= 8;
    if (block().KnowsSp)
      block().setSlot({kSp, block().Sp}, Holds);
  }
  void pop(unsigned Register) {
    block().set(Register, block().KnowsSp && block().isIn({kSp, block().Sp}));
    block().Sp += 8;
  }

  /// Follows an instruction that falls through to the next one.
  bool move(const Instruction &I) {
    if (I.Map == 0 && I.Opcode >= 0x50 && I.Opcode <= 0x57) {
      push(block().has(I.Direct));
      return true;
    }
    if (I.Map == 0 && I.Opcode >= 0x58 && I.Opcode <= 0x5f) {
      pop(I.Direct);
      return true;
    }
    if (onlyCompares(I))
      return true;
    if (moveStackPointer(I))
      return true;
    if (I.HasOperand && I.Direct == kNoRegister)
      return moveMemory(I);
    if (I.HasOperand)
      return moveRegisters(I);
    moveImplied(I);
    return true;
  }

  /// Follows instructions with a register in the opcode, or an implied one.
  void moveImplied(const Instruction &I) {
    if (I.Map != 0)
      return;
    if (I.Opcode >= 0xb8 && I.Opcode <= 0xbf) // mov of an immediate
      return block().set(I.Direct, false);
    if (I.Opcode >= 0x90 && I.Opcode <= 0x97 && I.Direct != kAx) { // xchg
      const bool Held = block().has(kAx);
      block().set(kAx, block().has(I.Direct));
      return block().set(I.Direct, Held);
    }
    if (I.Opcode == 0x99) // cqo
      return block().set(kDx, false);
    if (I.Opcode >= 0xa4 && I.Opcode <= 0xaf) { // rep stos
      block().set(kDi, false);
      block().set(kSi, false);
      return block().set(kCx, false);
    }
    if (I.Opcode < 0x40 || I.Opcode == 0x98) // accumulator instructions
      block().set(kAx, false);
  }

  bool moveStackPointer(const Instruction &I) {
    const bool Constant =
        I.Map == 0 && (I.Opcode == 0x83 || I.Opcode == 0x81) && I.Direct == kSp;
    if (Constant && (I.Register == 0 || I.Register == 5)) {
      block().Sp +=
          static_cast<int32_t>(I.Register ? -I.Immediate : I.Immediate);
      return true;
    }
    if (I.Map == 0 && I.Opcode == 0x8d && I.Register == kSp &&
        I.Base == kSp) { // lea n(%rsp), %rsp
      block().Sp += I.Displacement;
      return true;
    }
    if (I.SetsSp)
      block().KnowsSp = false;
    return I.SetsSp;
  }

  bool moveMemory(const Instruction &I) {
    Holders::InFrame Slot = {};
    const bool InFrame = slotOf(I, Slot);
    if (I.Map == 0 && I.Opcode == 0x89 && InFrame) {
      block().setSlot(Slot, I.Wide && block().has(I.Register));
      return true;
    }
    if (I.Map == 0 && I.Opcode == 0x8b) {
      block().set(I.Register, InFrame && I.Wide && block().isIn(Slot));
      return true;
    }
    if (block().has(I.Base) && !onlyLoads(I))
      return objects(); // a store into the block
    if (objects() && I.Map == 0 && I.Opcode == 0x89)
      return true; // stored elsewhere
    if (objects() && I.Map == 0 && I.Opcode == 0x8d && block().has(I.Base)) {
      block().set(I.Register, true); // lea
      return true;
    }
    if (InFrame && !onlyLoads(I))
      block().setSlot(Slot, false);
    else if (I.Map == 1 && I.Opcode >= 0x40 && I.Opcode <= 0x4f) // cmov
      block().set(I.Register,
                  block().has(I.Register) || (InFrame && block().isIn(Slot)));
    else if (isForRegister(I))
      block().set(I.Register, false);
    return true;
  }

  /// True if an instruction with an operand in memory may change its register,
  /// and that is a general one.
  static bool isForRegister(const Instruction &I) {
    return I.Map == 0 || (I.Map == 1 && (I.Opcode == 0xb6 || I.Opcode == 0xb7 ||
                                         I.Opcode == 0xbe || I.Opcode == 0xbf ||
                                         I.Opcode == 0xaf));
  }

  bool moveRegisters(const Instruction &I) {
    const bool Stores = I.Map == 0 && I.Opcode == 0x89;
    if (Stores || (I.Map == 0 && I.Opcode == 0x8b)) {
      const unsigned To = Stores ? I.Direct : I.Register,
                     From = Stores ? I.Register : I.Direct;
      block().set(To, I.Wide && block().has(From));
      return true;
    }
    if (I.Map == 1 && I.Opcode >= 0x40 && I.Opcode <= 0x4f) { // cmov
      block().set(I.Register,
                  block().has(I.Register) || (I.Wide && block().has(I.Direct)));
      return true;
    }
    if (I.Map == 0)
      changeOneByte(I);
    else if (I.Map == 1)
      changeTwoBytes(I);
    return true; // vectors
  }

  void changeOneByte(const Instruction &I) {
    const unsigned Which = I.Register & 7;
    if (objects() && (I.Opcode == 0x83 || I.Opcode == 0x81) && Which == 0)
      return; // add of an immediate
    if (I.Opcode == 0xf6 || I.Opcode == 0xf7) {
      if (Which < 4)
        return block().set(I.Direct, false);
      block().set(kAx, false); // mul, div
      return block().set(kDx, false);
    }
    const bool First = I.Opcode == 0x63 || I.Opcode == 0x69 ||
                       I.Opcode == 0x6b || I.Opcode == 0x8a ||
                       (I.Opcode < 0x40 && (I.Opcode & 2) != 0);
    block().set(First ? I.Register : I.Direct, false);
    if (I.Opcode == 0x87) // xchg
      block().set(I.Register, false);
  }

  void changeTwoBytes(const Instruction &I) {
    if (isForRegister(I) || I.Opcode == 0xbc || I.Opcode == 0xbd)
      return block().set(I.Register, false);
    // setcc, bit operations, movq out of a vector; not vectors.
    if (I.Opcode == 0x7e ||
        (I.Opcode >= 0x90 && I.Opcode <= 0xc1 && I.Opcode != 0xae))
      block().set(I.Direct, false);
    if (I.Opcode == 0xb0 || I.Opcode == 0xb1 || I.Opcode == 0xc0 ||
        I.Opcode == 0xc1) { // cmpxchg, xadd
      block().set(I.Register, false);
      block().set(kAx, false);
    }
  }
};

/// The two arguments in which sizes are passed, while code is read in order.
class SizeArguments {
public:
  void read(const Instruction &I) {
    if (I.Then == Flow::Call)
      First = Second = {};
    note(I, kDi, First);
    note(I, kSi, Second);
  }
  /// True if a call of \p Name (null: unknown) gets constants.
  bool areConstant(const char *Name) const {
    const bool IsOfTwo = First.Value == 1 || hasTwoSizes(Name); // calloc(1, n)
    return First.Constant && (Second.Constant || !IsOfTwo);
  }

private:
  struct Argument {
    bool Constant = false;
    int64_t Value = 0;
  };

  static void note(const Instruction &I, unsigned Register, Argument &Of) {
    const bool IsNumber =
        I.Map == 0 && I.Direct == Register &&
        ((I.Opcode >= 0xb8 && I.Opcode <= 0xbf) || I.Opcode == 0xc7);
    const bool IsZero = I.Map == 0 && (I.Opcode == 0x31 || I.Opcode == 0x33) &&
                        I.Direct == Register && I.Register == Register;
    const bool IsPush = I.Map == 0 && I.Opcode >= 0x50 && I.Opcode <= 0x57;
    if (IsNumber || IsZero)
      Of = {true, IsZero ? 0 : I.Immediate};
    else if (!onlyCompares(I) && !IsPush &&
             (I.Direct == Register ||
              (I.HasOperand && I.Register == Register && I.Opcode != 0x89)))
      Of = {};
  }

  Argument First, Second;
};

/// Addresses within the frame that registers have, while code is read in order.
class FrameAddresses {
public:
  void read(const Instruction &I) {
    if (I.Map == 0 && I.Opcode == 0x8d) { // lea
      set(I.Register, I.Base == kSp || I.Base == kFp, {I.Base, I.Displacement});
    } else if (I.Map == 0 && I.Direct < kCount &&
               (I.Opcode == 0x89 || I.Opcode == 0x8b)) {
      const unsigned To = I.Opcode == 0x89 ? I.Direct : I.Register,
                     From = I.Opcode == 0x89 ? I.Register : I.Direct;
      const bool IsFrame = From == kSp || From == kFp;
      set(To, I.Wide && (IsFrame || Known[From]),
          IsFrame ? Holders::InFrame{From, 0} : At[From]);
    } else if (I.Then == Flow::Call) {
      for (bool &One : Known)
        One = false;
    } else if (!onlyCompares(I) && I.Opcode != 0x89) {
      if (I.HasOperand)
        set(I.Register, false, {});
      if (I.Direct < kCount)
        set(I.Direct, false, {});
    }
  }
  bool has(unsigned Register, Holders::InFrame &Slot) const {
    Slot = At[Register];
    return Known[Register];
  }

private:
  static constexpr unsigned kCount = 16;
  void set(unsigned Register, bool Is, Holders::InFrame Slot) {
    Known[Register] = Is;
    At[Register] = Slot;
  }

  bool Known[kCount] = {};
  Holders::InFrame At[kCount] = {};
};

/// Lets \p Reader read the code from \p Start to the call before \p Return, and
/// sets \p Callee to the name of the called function, or null if it is unknown.
/// \returns false if the code cannot be decoded.
template <class Registers>
bool readToCall(uintptr_t Return, uintptr_t Start, Registers &Reader,
                const char *&Callee) {
  for (uintptr_t At = Start; At < Return;) {
    const Instruction I = decodeAt(At, Return);
    if (I.Length == 0)
      return false;
    At += I.Length;
    if (At < Return) {
      Reader.read(I);
      continue;
    }
    Callee = importOf(I, Return, calledBy(I, Return));
    return true;
  }
  return false;
}

/// Finds the slot in which the call before \p Return stores the block, as
/// posix_memalign() does. False if the call returns the block.
inline bool storesBlock(uintptr_t Return, uintptr_t Start,
                        Holders::InFrame &Slot) {
  FrameAddresses Addresses;
  const char *Callee = nullptr;
  return readToCall(Return, Start, Addresses, Callee) && Callee &&
         strcmp(Callee, "posix_memalign") == 0 && Addresses.has(kDi, Slot);
}

/// True if the call before \p Return gets constants as the block's size.
inline bool hasConstantSize(uintptr_t Return, uintptr_t Start) {
  SizeArguments Sizes;
  const char *Callee = nullptr;
  return readToCall(Return, Start, Sizes, Callee) && Sizes.areConstant(Callee);
}

} // namespace inmem::rt::x86

#endif

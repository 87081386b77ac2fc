//===- Instructions.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lengths of x86-64 instructions (Intel's manual, volume 2, chapter 2 and
// appendix A) that compilers use, and what sets the stack pointer.
//
//===----------------------------------------------------------------------===//
#include "unwind/Instructions.h"

#include <string.h>

namespace inmem::rt {

#if defined(__x86_64__)
namespace {

enum class Flow : uint8_t { Next, Call, Branch, Other };

struct Instruction {
  unsigned Length; ///< 0: not known
  Flow Then;
  bool SetsSp;      ///< other than by a constant
  int32_t Distance; ///< of a Branch, a conditional jump, from its end
};

constexpr unsigned kSp = 4, kFp = 5; // as registers of an operand

class Decoder {
public:
  Decoder(const uint8_t *At, const uint8_t *End)
      : Begin(At), At(At), End(End) {}

  Instruction decode() {
    readPrefixes();
    const uint8_t Opcode = byte();
    if (Opcode == 0xc5 || Opcode == 0xc4 || Opcode == 0x62)
      vector(Opcode);
    else if (Opcode == 0x0f)
      twoBytes();
    else
      oneByte(Opcode);
    return {Ok ? static_cast<unsigned>(At - Begin) : 0, Then, SetsSp, Distance};
  }

private:
  uint8_t byte() {
    if (At == End) {
      Ok = false;
      return 0;
    }
    return *At++;
  }
  void skip(unsigned Bytes) {
    if (static_cast<size_t>(End - At) < Bytes)
      Ok = false;
    else
      At += Bytes;
  }

  void readPrefixes() {
    while (At != End) {
      const uint8_t B = *At;
      if (B == 0x66)
        Short = true;
      else if (B != 0x67 && B != 0xf2 && B != 0xf3 && B != 0x2e && B != 0x36 &&
               B != 0x3e && B != 0x26 && B != 0x64 && B != 0x65)
        break;
      ++At;
    }
    if (At != End && (*At & 0xf0) == 0x40) {
      const uint8_t Rex = *At++;
      Wide = (Rex & 8) != 0;
      HighRegister = (Rex & 4) != 0;
      HighBase = (Rex & 1) != 0;
    }
  }

  /// ModRM, with what follows it. \returns its middle field
  unsigned operand() {
    const uint8_t M = byte();
    const unsigned Mode = M >> 6, Base = M & 7;
    RegisterIsSp = (M >> 3 & 7) == kSp && !HighRegister;
    OperandIsSp = Mode == 3 && Base == kSp && !HighBase;
    OffsetFromFp = (Mode == 1 || Mode == 2) && Base == kFp && !HighBase;
    bool Wide32 = Mode == 2 || (Mode == 0 && Base == 5);
    if (Mode != 3 && Base == 4)
      Wide32 |= (byte() & 7) == 5 && Mode == 0;
    skip(Mode == 1 ? 1 : Mode != 3 && Wide32 ? 4 : 0);
    return M >> 3 & 7;
  }
  void immediate() { skip(Short ? 2 : 4); }

  void oneByte(uint8_t Op) {
    if (Op < 0x40)
      return arithmetic(Op);
    if (Op >= 0xe0)
      return lastRows(Op);
    switch (Op) {
    case 0x63:
    case 0x84 ... 0x8f:
    case 0xd0 ... 0xd3:
    case 0xd8 ... 0xdf:
      operand();
      SetsSp = setsSp(Op);
      return;
    case 0x50 ... 0x5f:
    case 0x90 ... 0x99: // pop, xchg with %rax
      SetsSp = (Op == 0x5c || Op == 0x94) && !HighBase;
      return;
    case 0xa4 ... 0xa7:
    case 0xaa ... 0xaf:
      return;
    case 0x6a:
    case 0xa8:
    case 0xb0 ... 0xb7:
      skip(1);
      return;
    case 0x68:
    case 0xa9:
      immediate();
      return;
    case 0xb8 ... 0xbf:
      skip(Wide ? 8 : Short ? 2 : 4);
      SetsSp = Op == 0xbc && !HighBase;
      return;
    case 0x69:
    case 0x6b:
    case 0x80:
    case 0x81:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xc7:
      return operandAndImmediate(Op);
    case 0x70 ... 0x7f:
      return shortBranch();
    case 0xc2:
      skip(2);
      Then = Flow::Other;
      return;
    default: // returns, leave, traps and what compilers do not use
      Then = Flow::Other;
    }
  }

  void arithmetic(uint8_t Op) {
    const unsigned Low = Op & 7;
    const bool Compares = Op >= 0x38;
    if (Low < 4) {
      operand();
      SetsSp = !Compares && (Low & 1) != 0 &&
               (Low == 1 ? OperandIsSp : RegisterIsSp);
    } else if (Low == 4) {
      skip(1);
    } else if (Low == 5) {
      immediate();
    } else {
      Ok = false;
    }
  }

  void operandAndImmediate(uint8_t Op) {
    const unsigned Which = operand();
    if (Op == 0x69 || Op == 0x81 || Op == 0xc7)
      immediate();
    else
      skip(1);
    if (Op == 0x69 || Op == 0x6b)
      SetsSp = RegisterIsSp;
    else
      SetsSp =
          OperandIsSp && !((Op == 0x81 || Op == 0x83) && keepsDistance(Which));
  }

  /// True if add, or, adc, sbb, and, sub, xor, cmp with a constant leave the
  /// result as far from the operand in all calls.
  static bool keepsDistance(unsigned Which) {
    return Which == 0 || Which == 5 || Which == 7;
  }

  /// Opcodes 63, 84 to 8f and d0 to df.
  bool setsSp(uint8_t Op) const {
    switch (Op) {
    case 0x63:
    case 0x8b:
      return RegisterIsSp;
    case 0x87: // xchg
      return RegisterIsSp || OperandIsSp;
    case 0x89:
    case 0x8f:
    case 0xd1:
    case 0xd3:
      return OperandIsSp;
    case 0x8d: // lea; from the frame pointer it restores
      return RegisterIsSp && !OffsetFromFp;
    default:
      return false;
    }
  }

  void shortBranch() { branch(1); }
  void nearBranch() { branch(4); }
  /// \p Bytes: the size of the distance, which is little-endian.
  void branch(unsigned Bytes) {
    int64_t Read = 0;
    for (unsigned I = 0; I < Bytes; ++I)
      Read |= int64_t{byte()} << 8 * I;
    const int64_t Sign = int64_t{1} << (8 * Bytes - 1);
    Distance = static_cast<int32_t>((Read ^ Sign) - Sign);
    Then = Flow::Branch;
  }

  /// Opcodes from e0 on.
  void lastRows(uint8_t Op) {
    switch (Op) {
    case 0xe0 ... 0xe3:
      shortBranch();
      return;
    case 0xe9:
      skip(4);
      Then = Flow::Other;
      return;
    case 0xeb:
      skip(1);
      Then = Flow::Other;
      return;
    case 0xfe:
      operand();
      return;
    case 0xe8:
      skip(4);
      Then = Flow::Call;
      return;
    case 0xf6:
    case 0xf7:
      if (operand() < 2)
        skip(Op == 0xf6 ? 1 : Short ? 2 : 4);
      return;
    case 0xff: {
      const unsigned Which = operand();
      SetsSp = Which < 2 && OperandIsSp;
      Then = Which == 2                ? Flow::Call
             : Which < 2 || Which == 6 ? Flow::Next
                                       : Flow::Other;
      return;
    }
    default:
      Then = Flow::Other;
    }
  }

  static bool hasImmediate(uint8_t Op) {
    return (Op >= 0x70 && Op <= 0x73) || Op == 0xa4 || Op == 0xac ||
           Op == 0xba || Op == 0xc2 || Op == 0xc4 || Op == 0xc5 || Op == 0xc6;
  }

  void twoBytes() {
    const uint8_t Op = byte();
    if (Op == 0x38 || Op == 0x3a) {
      byte();
      operand();
      skip(Op == 0x3a ? 1 : 0);
      return;
    }
    if (Op >= 0x80 && Op <= 0x8f)
      return nearBranch();
    if (Op == 0x05 || Op == 0x0b) {
      Then = Flow::Other;
      return;
    }
    if (Op == 0x77 || Op == 0xa2 || (Op >= 0xc8 && Op <= 0xcf))
      return;
    operand();
    skip(hasImmediate(Op) ? 1 : 0);
    SetsSp = Op >= 0x40 && Op <= 0x4f && RegisterIsSp; // cmov
  }

  /// VEX and EVEX.
  void vector(uint8_t First) {
    unsigned Map = 1;
    if (First == 0xc5)
      skip(1);
    else
      Map = byte() & (First == 0x62 ? 7 : 31);
    skip(First == 0xc4 ? 1 : First == 0x62 ? 2 : 0);
    const uint8_t Op = byte();
    if (Map == 1 && Op == 0x77)
      return; // vzeroupper
    operand();
    skip(Map == 3 || (Map == 1 && hasImmediate(Op)) ? 1 : 0);
  }

  const uint8_t *Begin, *At, *End;
  bool Ok = true, Short = false, Wide = false;
  bool HighRegister = false, HighBase = false; ///< r8 to r15
  bool RegisterIsSp = false, OperandIsSp = false, OffsetFromFp = false;
  Flow Then = Flow::Next;
  bool SetsSp = false;
  int32_t Distance = 0;
};

} // namespace

bool leadsToCall(uintptr_t Code, uintptr_t Return) {
  constexpr uintptr_t kFarthest = 512; // bytes
  if (Code >= Return || Return - Code > kFarthest)
    return false;
  auto *At = reinterpret_cast<const uint8_t *>(Code);
  auto *End = reinterpret_cast<const uint8_t *>(Return);
  while (At != End) {
    const Instruction I = Decoder(At, End).decode();
    if (I.Length == 0 || I.Then == Flow::Other || I.Then == Flow::Branch)
      return false;
    At += I.Length;
    if (I.Then == Flow::Call)
      return At == End;
  }
  return false;
}

bool hasFixedFrame(uintptr_t Start, uintptr_t End) {
  constexpr uintptr_t kLongest = 8 << 10;                  // bytes
  constexpr uint8_t kLanding[] = {0xf3, 0x0f, 0x1e, 0xfa}; // endbr64
  constexpr uint8_t kFrame[] = {0x55, 0x48, 0x89, 0xe5};   // push, mov to %rbp
  if (Start >= End || End - Start > kLongest)
    return false;
  auto *At = reinterpret_cast<const uint8_t *>(Start);
  auto *const Stop = reinterpret_cast<const uint8_t *>(End);
  const auto StartsWith = [&](const uint8_t (&Bytes)[4]) {
    return Stop - At > 4 && memcmp(At, Bytes, 4) == 0;
  };
  if (StartsWith(kLanding))
    At += sizeof kLanding;
  if (!StartsWith(kFrame))
    return false;
  while (At < Stop) {
    const Instruction I = Decoder(At, Stop).decode();
    if (I.Length == 0 || I.SetsSp)
      return false;
    At += I.Length;
    const uintptr_t Target = reinterpret_cast<uintptr_t>(At) +
                             static_cast<uintptr_t>(intptr_t{I.Distance});
    // A part of it that is elsewhere may set the stack pointer.
    if (I.Then == Flow::Branch && (Target < Start || Target >= End))
      return false;
  }
  return true;
}
#else
bool leadsToCall(uintptr_t Code, uintptr_t Return) {
  for (; Code < Return; Code += 4) {
    const uint32_t I = *reinterpret_cast<const uint32_t *>(Code);
    if (I >> 26 == 0x25 ||              // bl
        (I & 0xfefff000) == 0xd63f0000) // blr, with a signed address too
      return Code + 4 == Return;
    if (I >> 26 == 0x05 ||                // b
        (I & 0xff000000) == 0x54000000 || // b.cond
        (I & 0x7c000000) == 0x34000000 || // cbz, cbnz, tbz, tbnz
        (I & 0xfe000000) == 0xd6000000 || // br, ret
        (I & 0xff000000) == 0xd4000000)   // traps and system calls
      return false;
  }
  return false;
}

bool hasFixedFrame(uintptr_t, uintptr_t) { return false; }
#endif

} // namespace inmem::rt

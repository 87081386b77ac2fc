//===- X86Decoder.h - One x86-64 instruction --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the x86-64 instructions (Intel's manual, volume 2, chapter 2 and
// appendix A) that compilers use: their lengths, targets and operands. Nothing
// is allocated or locked.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_UNWIND_X86DECODER_H
#define INMEM_RUNTIME_UNWIND_X86DECODER_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt::x86 {

/// Registers as operands number them.
constexpr unsigned kAx = 0, kCx = 1, kDx = 2, kSp = 4, kFp = 5, kSi = 6,
                   kDi = 7;
constexpr unsigned kNoRegister = 16;

enum class Flow : uint8_t { Next, Call, Branch, Jump, Return, Other };

/// One instruction: its length, control flow and operands.
struct Instruction {
  unsigned Length = 0; ///< 0 if unknown
  Flow Then = Flow::Next;
  bool SetsSp = false; ///< changes the stack pointer by a non-constant
  /// The distance from the instruction's end to the target of a Branch, a
  /// conditional jump, or of a Jump; 0: the target is not in the instruction.
  int32_t Distance = 0;

  uint8_t Map = 0;    ///< 0: one byte of opcode; 1: after 0f; 2: others
  uint8_t Opcode = 0; ///< its last byte
  bool Wide = false;  ///< 64-bit operands by REX.W
  bool HasOperand = false;
  unsigned Register = 0; ///< ModRM's middle field, with REX.R
  unsigned Direct =
      kNoRegister;             ///< the other operand, or the opcode's register
  unsigned Base = kNoRegister; ///< base of a memory operand without an index
  int32_t Displacement = 0;    ///< displacement of a memory operand
  int64_t Immediate = 0;
};

/// Decodes the instruction at \p At; reads no byte from \p End on.
class Decoder {
public:
  Decoder(const uint8_t *At, const uint8_t *End)
      : Begin(At), At(At), End(End) {}

  Instruction decode() {
    readPrefixes();
    Out.Opcode = byte();
    if (Out.Opcode == 0xc5 || Out.Opcode == 0xc4 || Out.Opcode == 0x62)
      vector(Out.Opcode);
    else if (Out.Opcode == 0x0f)
      twoBytes();
    else
      oneByte(Out.Opcode);
    Out.Length = Ok ? static_cast<unsigned>(At - Begin) : 0;
    Out.Then = Then;
    Out.SetsSp = SetsSp;
    Out.Distance = Distance;
    Out.Wide = Wide;
    return Out;
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
  /// A signed little-endian number.
  int64_t number(unsigned Bytes) {
    uint64_t Read = 0;
    for (unsigned I = 0; I < Bytes; ++I)
      Read |= uint64_t{byte()} << 8 * I;
    if (Bytes == 8)
      return static_cast<int64_t>(Read);
    const uint64_t Sign = uint64_t{1} << (8 * Bytes - 1);
    return static_cast<int64_t>((Read ^ Sign) - Sign);
  }

  void readPrefixes() {
    while (At != End) {
      const uint8_t B = *At;
      if (B == 0x66)
        Short = true;
      else if (B != 0x67 && B != 0xf0 && B != 0xf2 && B != 0xf3 && B != 0x2e &&
               B != 0x36 && B != 0x3e && B != 0x26 && B != 0x64 && B != 0x65)
        break;
      ++At;
    }
    if (At != End && (*At & 0xf0) == 0x40) {
      const uint8_t Rex = *At++;
      Wide = (Rex & 8) != 0;
      HighRegister = (Rex & 4) != 0;
      HighIndex = (Rex & 2) != 0;
      HighBase = (Rex & 1) != 0;
    }
  }

  /// Reads ModRM and the bytes that belong to it. \returns its middle field
  unsigned operand() {
    const uint8_t M = byte();
    const unsigned Mode = M >> 6, Base = M & 7;
    RegisterIsSp = (M >> 3 & 7) == kSp && !HighRegister;
    OperandIsSp = Mode == 3 && Base == kSp && !HighBase;
    OffsetFromFp = (Mode == 1 || Mode == 2) && Base == kFp && !HighBase;
    bool Wide32 = Mode == 2 || (Mode == 0 && Base == 5);
    Out.HasOperand = true;
    Out.Register = (M >> 3 & 7) + (HighRegister ? 8 : 0);
    Out.Direct = Mode == 3 ? Base + (HighBase ? 8 : 0) : kNoRegister;
    Out.Base = Mode == 3 || (Mode == 0 && Base == 5)
                   ? kNoRegister
                   : Base + (HighBase ? 8 : 0);
    if (Mode != 3 && Base == 4) {
      const uint8_t Sib = byte();
      Wide32 |= (Sib & 7) == 5 && Mode == 0;
      const bool HasIndex = (Sib >> 3 & 7) != 4 || HighIndex;
      Out.Base = HasIndex || (Mode == 0 && (Sib & 7) == 5)
                     ? kNoRegister
                     : (Sib & 7) + (HighBase ? 8u : 0u);
    }
    if (Mode == 1)
      Out.Displacement = static_cast<int32_t>(number(1));
    else if (Mode != 3 && Wide32)
      Out.Displacement = static_cast<int32_t>(number(4));
    return M >> 3 & 7;
  }
  void immediate() { Out.Immediate = number(Short ? 2 : 4); }

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
      Out.Direct = (Op & 7u) + (HighBase ? 8u : 0u);
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
      Out.Immediate = number(Wide ? 8 : Short ? 2 : 4);
      SetsSp = Op == 0xbc && !HighBase;
      Out.Direct = (Op & 7u) + (HighBase ? 8u : 0u);
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
      Then = Flow::Return;
      return;
    case 0xc3:
      Then = Flow::Return;
      return;
    default: // leave, traps and instructions that compilers do not use
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
      Out.Immediate = number(1);
    if (Op == 0x69 || Op == 0x6b)
      SetsSp = RegisterIsSp;
    else
      SetsSp =
          OperandIsSp && !((Op == 0x81 || Op == 0x83) && keepsDistance(Which));
  }

  /// True if operation \p Which of add, or, adc, sbb, and, sub, xor, cmp with a
  /// constant leaves the result at the same distance from the operand in all
  /// calls.
  static bool keepsDistance(unsigned Which) {
    return Which == 0 || Which == 5 || Which == 7;
  }

  /// True if one of the opcodes 63, 84 to 8f and d0 to df sets the stack
  /// pointer.
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
    case 0x8d: // lea; relative to the frame pointer: restores SP
      return RegisterIsSp && !OffsetFromFp;
    default:
      return false;
    }
  }

  void shortBranch() { branch(1); }
  void nearBranch() { branch(4); }
  /// \p Bytes: the size of the distance, which is little-endian.
  void branch(unsigned Bytes) {
    Distance = static_cast<int32_t>(number(Bytes));
    Then = Flow::Branch;
  }

  /// Opcodes from e0 on.
  void lastRows(uint8_t Op) {
    switch (Op) {
    case 0xe0 ... 0xe3:
      shortBranch();
      return;
    case 0xe9:
    case 0xeb:
      branch(Op == 0xe9 ? 4 : 1);
      Then = Flow::Jump;
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
    const uint8_t Op = Out.Opcode = byte();
    Out.Map = 1;
    if (Op == 0x38 || Op == 0x3a) {
      Out.Map = 2;
      Out.Opcode = byte();
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
    Out.Map = 2;
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
  Instruction Out;
  bool Ok = true, Short = false, Wide = false;
  bool HighRegister = false, HighBase = false, HighIndex = false; ///< r8 to r15
  bool RegisterIsSp = false, OperandIsSp = false, OffsetFromFp = false;
  Flow Then = Flow::Next;
  bool SetsSp = false;
  int32_t Distance = 0;
};

} // namespace inmem::rt::x86

#endif

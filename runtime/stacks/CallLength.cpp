//===- CallLength.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lengths of x86-64 instructions (Intel's manual, volume 2, chapter 2 and
// appendix A), as far as compilers put them before a call.
//
//===----------------------------------------------------------------------===//
#include "stacks/CallLength.h"

namespace inmem::rt {

#if defined(__x86_64__)
namespace {

enum class Flow : uint8_t { Next, Call, Other };

struct Instruction {
  unsigned Length; ///< 0: not known
  Flow Then;
};

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
    return {Ok ? static_cast<unsigned>(At - Begin) : 0, Then};
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
    if (At != End && (*At & 0xf0) == 0x40)
      Wide = (*At++ & 8) != 0;
  }

  /// ModRM, with what follows it. \returns its middle field
  unsigned operand() {
    const uint8_t M = byte();
    const unsigned Mode = M >> 6, Base = M & 7;
    bool Wide32 = Mode == 2 || (Mode == 0 && Base == 5);
    if (Mode != 3 && Base == 4)
      Wide32 |= (byte() & 7) == 5 && Mode == 0;
    skip(Mode == 1 ? 1 : Mode != 3 && Wide32 ? 4 : 0);
    return M >> 3 & 7;
  }
  void immediate() { skip(Short ? 2 : 4); }

  void oneByte(uint8_t Op) {
    const unsigned Low = Op & 7;
    if (Op < 0x40) {
      if (Low < 4)
        operand();
      else if (Low == 4)
        skip(1);
      else if (Low == 5)
        immediate();
      else
        Ok = false;
      return;
    }
    if (Op >= 0xe8)
      return lastRow(Op);
    switch (Op) {
    case 0x63:
    case 0x84 ... 0x8f:
    case 0xd0 ... 0xd3:
    case 0xd8 ... 0xdf:
      operand();
      return;
    case 0x50 ... 0x5f:
    case 0x90 ... 0x99:
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
    case 0x69:
    case 0x81:
    case 0xc7:
      operand();
      immediate();
      return;
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xc6:
      operand();
      skip(1);
      return;
    case 0xb8 ... 0xbf:
      skip(Wide ? 8 : Short ? 2 : 4);
      return;
    default: // jumps, returns, traps and what compilers do not use
      Then = Flow::Other;
    }
  }

  /// Opcodes from e8 on.
  void lastRow(uint8_t Op) {
    switch (Op) {
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
    if ((Op >= 0x80 && Op <= 0x8f) || Op == 0x05 || Op == 0x0b) {
      Then = Flow::Other;
      return;
    }
    if (Op == 0x77 || Op == 0xa2 || (Op >= 0xc8 && Op <= 0xcf))
      return;
    operand();
    skip(hasImmediate(Op) ? 1 : 0);
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
  Flow Then = Flow::Next;
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
    if (I.Length == 0 || I.Then == Flow::Other)
      return false;
    At += I.Length;
    if (I.Then == Flow::Call)
      return At == End;
  }
  return false;
}
#else
bool leadsToCall(uintptr_t Code, uintptr_t Return) {
  // bl and blr; other branches end it.
  for (; Code < Return; Code += 4) {
    const uint32_t I = *reinterpret_cast<const uint32_t *>(Code);
    if (I >> 26 == 0x25 || (I & 0xfffffc1f) == 0xd63f0000)
      return Code + 4 == Return;
    if ((I & 0x1c000000) == 0x14000000)
      return false;
  }
  return false;
}
#endif

} // namespace inmem::rt

//===- Instruction.h - The effect of an instruction on pointers -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of x86-64 and AArch64 in one form, reduced to the movement of
// pointers. Registers have DWARF's numbers.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_INSTRUCTION_H
#define INMEM_DEBUGINFO_INSTRUCTION_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace inmem::debuginfo {

inline constexpr unsigned kRegisters = 32;
inline constexpr uint8_t kNoRegister = 0xff;

struct Instruction {
  enum class Kind : uint8_t {
    Other,         ///< changes the registers in Written
    Copy,          ///< To = From
    Constant,      ///< To = Value
    Sum,           ///< To = Base + Offset
    SumOfTwo,      ///< To = Base + From; kNoRegister: + an operand in memory
    Load,          ///< To = 8 bytes at Base + Offset
    Store,         ///< 8 bytes at Base + Offset = From
    StoreElement,  ///< 8 bytes at Base + Offset + any multiple of 8 = From
    StoreConstant, ///< 8 bytes at Base + Offset = Value
    Test,   ///< tests From == 0; kNoRegister: the 8 bytes at Base + Offset
    Call,   ///< calls Value; 0 if unknown
    Jump,   ///< jumps to Value; 0 if unknown
    Branch, ///< jumps to Value or continues
    Return
  };
  /// The condition on which a Branch jumps.
  enum class When : uint8_t {
    Unknown,
    Zero,   ///< if From is 0; kNoRegister: the last Test's operand
    NotZero ///< if that operand is not 0
  };
  Kind Does = Kind::Other;
  When If = When::Unknown;
  uint8_t To = kNoRegister, From = kNoRegister;
  /// kNoRegister: the address is Value.
  uint8_t Base = kNoRegister;
  uint8_t Length = 0;        ///< in bytes
  int8_t StackMove = 0;      ///< stack pointer change before a store through it
  int8_t StackMoveAfter = 0; ///< stack pointer change after a load through it
  int64_t Offset = 0;
  uint64_t Value = 0;
  uint32_t Written = 0; ///< bit mask of other registers that it changes
};

/// Facts of a machine's calling convention.
struct CallingConvention {
  uint8_t Result, StackPointer, FramePointer;
  std::span<const uint8_t> Arguments;
  uint32_t Kept; ///< bit mask of registers that calls preserve
};

class Decoder {
public:
  /// \param Machine EM_X86_64 or EM_AARCH64
  explicit Decoder(int Machine);
  ~Decoder();
  Decoder(const Decoder &) = delete;
  Decoder &operator=(const Decoder &) = delete;

  /// True if this build decodes the machine's code.
  bool works() const { return State != nullptr; }
  /// The instruction at \p Address; none if \p Bytes do not encode one.
  std::optional<Instruction> decode(std::span<const unsigned char> Bytes,
                                    uint64_t Address);
  const CallingConvention &convention() const { return *Convention; }

private:
  struct Engine;
  std::unique_ptr<Engine> State;
  const CallingConvention *Convention;
};

} // namespace inmem::debuginfo

#endif

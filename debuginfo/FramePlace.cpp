//===- FramePlace.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/FramePlace.h"

#include "debuginfo/Instruction.h"

#include <array>

namespace inmem::debuginfo {

namespace {

/// Registers that hold addresses in the frame, in the order of the code.
class FrameReader {
public:
  explicit FrameReader(const CallingConvention &Of) : Convention(Of) {
    forget();
  }

  void read(const Instruction &I) {
    using Kind = Instruction::Kind;
    switch (I.Does) {
    case Kind::Copy:
      Known[I.To] = Known[I.From];
      break;
    case Kind::Sum:
      Known[I.To] = Known[I.Base];
      if (Known[I.To])
        Known[I.To]->Offset += I.Offset;
      break;
    case Kind::Store:
      stack().Offset += I.StackMove;
      break;
    case Kind::Load:
      if (I.To != kNoRegister)
        Known[I.To].reset();
      stack().Offset += I.StackMoveAfter;
      break;
    case Kind::Call:
      for (unsigned R = 0; R < kRegisters; ++R)
        if (!(Convention.Kept >> R & 1))
          Known[R].reset();
      break;
    case Kind::Jump: // code after it is reached from elsewhere
    case Kind::Return:
      forget();
      break;
    default:
      if (I.To != kNoRegister)
        Known[I.To].reset();
      for (unsigned R = 0; R < kRegisters; ++R)
        if (I.Written >> R & 1)
          Known[R].reset();
      break;
    }
    if (!Known[Convention.StackPointer]) // realigned
      Known[Convention.StackPointer] = Address{Realigned--, 0};
  }

  std::optional<FramePlace> place(uint8_t Register) const {
    const auto &Of = Known[Register];
    const auto DistanceFrom = [&](uint8_t Base) -> std::optional<int64_t> {
      const auto &From = Known[Base];
      return From && From->Base == Of->Base
                 ? std::optional(Of->Offset - From->Offset)
                 : std::nullopt;
    };
    if (!Of)
      return std::nullopt;
    const FramePlace Out{DistanceFrom(Convention.StackPointer),
                         DistanceFrom(Convention.FramePointer)};
    return Out.FromStack || Out.FromFrame ? std::optional(Out) : std::nullopt;
  }

private:
  struct Address {
    int Base; ///< a register's value at function entry
    int64_t Offset;
  };

  Address &stack() { return *Known[Convention.StackPointer]; }
  void forget() {
    Known = {};
    for (const uint8_t R : {Convention.StackPointer, Convention.FramePointer})
      Known[R] = Address{R, 0};
  }

  const CallingConvention &Convention;
  std::array<std::optional<Address>, kRegisters> Known;
  int Realigned = -1;
};

} // namespace

std::optional<FramePlace> framePlaceOf(ProgramFile &File, Decoder &Decode,
                                       uint64_t Start, uint64_t Call,
                                       unsigned Number) {
  constexpr uint64_t kFarthest = 64 << 10; // bytes
  const CallingConvention &Convention = Decode.convention();
  if (!Decode.works() || Call - Start >= kFarthest ||
      Number >= Convention.Arguments.size())
    return std::nullopt;
  FrameReader Read(Convention);
  for (uint64_t At = Start; At <= Call;) {
    const auto I = Decode.decode(File.bytesAt(At), At);
    if (!I || I->Length == 0)
      return std::nullopt;
    At += I->Length;
    if (At == Call + 1)
      return I->Does == Instruction::Kind::Call
                 ? Read.place(Convention.Arguments[Number])
                 : std::nullopt;
    Read.read(*I);
  }
  return std::nullopt;
}

} // namespace inmem::debuginfo

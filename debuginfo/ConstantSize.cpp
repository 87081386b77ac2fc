//===- ConstantSize.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/ConstantSize.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace inmem::debuginfo {

namespace {

/// The start of an instruction a short distance before \p Call, taken from the
/// unwind table's rows because symbols may be stripped.
uint64_t instructionBefore(ProgramFile &File, uint64_t Call) {
  constexpr uint64_t kFarthest = 256;
  Dwarf_CFI *Table = File.unwindTable();
  uint64_t Start = Call + 1;
  while (Table && Call - Start + 1 < kFarthest) {
    Dwarf_Frame *Frame = nullptr;
    Dwarf_Addr RowStart = 0, RowEnd = 0;
    if (dwarf_cfi_addrframe(Table, Start - 1, &Frame) != 0)
      break;
    const int Register = dwarf_frame_info(Frame, &RowStart, &RowEnd, nullptr);
    free(Frame);
    if (Register < 0 || RowStart >= Start)
      break;
    Start = RowStart;
  }
  return Start;
}

bool hasTwoSizes(std::string_view Callee) {
  constexpr std::string_view kNames[] = {"calloc", "aligned_alloc", "memalign",
                                         "realloc", "reallocarray"};
  return std::ranges::find(kNames, Callee) != std::end(kNames);
}

/// The first two arguments of the next call, if they are constant.
class Arguments {
public:
  explicit Arguments(const CallingConvention &Of) : Convention(Of) {}

  void read(const Instruction &I) {
    using Kind = Instruction::Kind;
    // Other code jumps to the instructions after a jump.
    if (I.Does == Kind::Call || I.Does == Kind::Return || I.Does == Kind::Jump)
      Known = {};
    for (size_t N = 0; N < Known.size(); ++N) {
      const uint8_t Register = Convention.Arguments[N];
      if (I.Does == Kind::Constant && I.To == Register)
        Known[N] = I.Value;
      else if (I.To == Register || (I.Written >> Register & 1))
        Known[N].reset();
    }
  }
  bool areConstant(std::string_view Callee) const {
    // Arguments as of calloc(1, Size), whatever the function's name.
    const bool HasTwo = Known[0] == 1 || hasTwoSizes(Callee);
    return Known[0] && (Known[1] || !HasTwo);
  }

private:
  const CallingConvention &Convention;
  std::array<std::optional<uint64_t>, 2> Known;
};

} // namespace

bool hasConstantSize(ProgramFile &File, Decoder &Decode, uint64_t Call,
                     const char *Callee) {
  if (!Decode.works())
    return false;
  Arguments Read(Decode.convention());
  for (uint64_t At = instructionBefore(File, Call); At <= Call;) {
    const auto I = Decode.decode(File.bytesAt(At), At);
    if (!I)
      return false;
    At += I->Length;
    if (At == Call + 1)
      return Read.areConstant(Callee ? Callee : "");
    Read.read(*I);
  }
  return false;
}

} // namespace inmem::debuginfo

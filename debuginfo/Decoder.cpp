//===- Decoder.cpp - Instructions, by capstone ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/Instruction.h"

#include <capstone/capstone.h>
#include <elf.h>

namespace inmem::debuginfo {

namespace {

constexpr uint8_t kX86Arguments[] = {5, 4, 1, 2, 8, 9};
constexpr CallingConvention kX86 = {0, 7, 6, kX86Arguments,
                                    1u << 3 | 1u << 6 | 1u << 7 | 1u << 12 |
                                        1u << 13 | 1u << 14 | 1u << 15};
constexpr uint8_t kArmArguments[] = {0, 1, 2, 3, 4, 5, 6, 7};
constexpr CallingConvention kArm = {0, 31, 29, kArmArguments,
                                    0x3ffu << 19 | 1u << 29 | 1u << 31};

/// DWARF's number of an x86-64 register, of any of its widths of at least 4
/// bytes if \p Whole.
uint8_t x86Register(unsigned Register, bool Whole) {
  static constexpr unsigned kWide[] = {
      X86_REG_RAX, X86_REG_RDX, X86_REG_RCX, X86_REG_RBX,
      X86_REG_RSI, X86_REG_RDI, X86_REG_RBP, X86_REG_RSP,
      X86_REG_R8,  X86_REG_R9,  X86_REG_R10, X86_REG_R11,
      X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15};
  static constexpr unsigned kNarrow[][3] = {
      {X86_REG_EAX, X86_REG_AX, X86_REG_AL},
      {X86_REG_EDX, X86_REG_DX, X86_REG_DL},
      {X86_REG_ECX, X86_REG_CX, X86_REG_CL},
      {X86_REG_EBX, X86_REG_BX, X86_REG_BL},
      {X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
      {X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
      {X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
      {X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
      {X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
      {X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
      {X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
      {X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
      {X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
      {X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
      {X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
      {X86_REG_R15D, X86_REG_R15W, X86_REG_R15B}};
  for (uint8_t I = 0; I < 16; ++I) {
    if (Register == kWide[I])
      return I;
    for (const unsigned Narrow : kNarrow[I])
      if (!Whole && Register == Narrow)
        return I;
  }
  return kNoRegister;
}

uint8_t armRegister(unsigned Register, bool Whole) {
  if (Register >= ARM64_REG_X0 && Register <= ARM64_REG_X28)
    return static_cast<uint8_t>(Register - ARM64_REG_X0);
  if (Register == ARM64_REG_X29)
    return 29;
  if (Register == ARM64_REG_X30)
    return 30;
  if (Register == ARM64_REG_SP)
    return 31;
  if (!Whole && Register >= ARM64_REG_W0 && Register <= ARM64_REG_W30)
    return static_cast<uint8_t>(Register - ARM64_REG_W0);
  return kNoRegister;
}

/// Sets the location of an operand in memory. \returns false if it has an
/// index, or is in another segment
bool setPlace(Instruction &Out, const cs_insn &I, const x86_op_mem &Memory) {
  if (Memory.segment != X86_REG_INVALID || Memory.index != X86_REG_INVALID)
    return false;
  if (Memory.base == X86_REG_RIP)
    Out.Value = I.address + I.size + static_cast<uint64_t>(Memory.disp);
  else if (Memory.base == X86_REG_INVALID)
    Out.Value = static_cast<uint64_t>(Memory.disp);
  else
    Out.Base = x86Register(Memory.base, true);
  Out.Offset = Out.Base == kNoRegister ? 0 : Memory.disp;
  return true;
}

/// As above, of a pointer in an array.
bool setElement(Instruction &Out, const x86_op_mem &Memory) {
  if (Memory.segment != X86_REG_INVALID || Memory.scale != 8)
    return false;
  Out.Base = x86Register(Memory.base, true);
  Out.Offset = Memory.disp;
  return Out.Base != kNoRegister;
}

void readMove(Instruction &Out, const cs_insn &I) {
  const cs_x86 &X = I.detail->x86;
  const cs_x86_op &To = X.operands[0], &From = X.operands[1];
  if (X.op_count != 2)
    return;
  if (To.type == X86_OP_REG && From.type == X86_OP_REG) {
    Out.To = x86Register(To.reg, true);
    Out.From = x86Register(From.reg, true);
    if (Out.To != kNoRegister && Out.From != kNoRegister)
      Out.Does = Instruction::Kind::Copy;
  } else if (To.type == X86_OP_REG && From.type == X86_OP_IMM) {
    Out.To = x86Register(To.reg, false);
    Out.Value = static_cast<uint64_t>(From.imm);
    if (Out.To != kNoRegister && To.size >= 4)
      Out.Does = Instruction::Kind::Constant;
  } else if (To.type == X86_OP_REG && From.type == X86_OP_MEM) {
    Out.To = x86Register(To.reg, true);
    if (Out.To != kNoRegister && setPlace(Out, I, From.mem))
      Out.Does = Instruction::Kind::Load;
  } else if (To.type == X86_OP_MEM && To.size == 8) {
    if (From.type == X86_OP_REG) {
      Out.From = x86Register(From.reg, true);
      if (Out.From != kNoRegister && setPlace(Out, I, To.mem))
        Out.Does = Instruction::Kind::Store;
      else if (Out.From != kNoRegister && setElement(Out, To.mem))
        Out.Does = Instruction::Kind::StoreElement;
    } else if (From.type == X86_OP_IMM && setPlace(Out, I, To.mem) &&
               Out.Base != kNoRegister) {
      Out.Value = static_cast<uint64_t>(From.imm);
      Out.Does = Instruction::Kind::StoreConstant;
    }
  }
}

void readSum(Instruction &Out, const cs_insn &I) {
  const cs_x86 &X = I.detail->x86;
  const cs_x86_op &To = X.operands[0], &By = X.operands[1];
  Out.To = To.type == X86_OP_REG ? x86Register(To.reg, true) : kNoRegister;
  if (Out.To == kNoRegister || X.op_count != 2)
    return;
  const auto ToSumOf = [&](unsigned A, unsigned B) {
    Out.Base = x86Register(A, true);
    Out.From = x86Register(B, true);
    if (Out.Base != kNoRegister && Out.From != kNoRegister)
      Out.Does = Instruction::Kind::SumOfTwo;
  };
  if (I.id == X86_INS_LEA) {
    if (By.mem.index != X86_REG_INVALID && By.mem.scale == 1)
      return ToSumOf(By.mem.base, By.mem.index);
    if (!setPlace(Out, I, By.mem))
      return;
    Out.Does = Out.Base == kNoRegister ? Instruction::Kind::Constant
                                       : Instruction::Kind::Sum;
  } else if (By.type == X86_OP_REG && I.id == X86_INS_ADD) {
    ToSumOf(To.reg, By.reg);
  } else if (By.type == X86_OP_MEM && I.id == X86_INS_ADD) {
    Out.Base = Out.To;
    Out.Does = Instruction::Kind::SumOfTwo;
  } else if (By.type == X86_OP_IMM) {
    Out.Does = Instruction::Kind::Sum;
    Out.Base = Out.To;
    Out.Offset = I.id == X86_INS_ADD ? By.imm : -By.imm;
  }
}

/// test r, r; cmp r, 0; cmp memory, 0
void readTest(Instruction &Out, const cs_insn &I) {
  const cs_x86 &X = I.detail->x86;
  const cs_x86_op &Of = X.operands[0], &With = X.operands[1];
  if (X.op_count != 2 || Of.size != 8)
    return;
  const bool IsZero =
      I.id == X86_INS_CMP && With.type == X86_OP_IMM && With.imm == 0;
  const bool IsItself = I.id == X86_INS_TEST && Of.type == X86_OP_REG &&
                        With.type == X86_OP_REG && Of.reg == With.reg;
  if (!IsZero && !IsItself)
    return;
  if (Of.type == X86_OP_REG)
    Out.From = x86Register(Of.reg, true);
  else if (Of.type != X86_OP_MEM || !setPlace(Out, I, Of.mem))
    return;
  Out.Does = Instruction::Kind::Test;
}

void readX86(Instruction &Out, const cs_insn &I, csh Handle) {
  const cs_x86 &X = I.detail->x86;
  const auto Target = [&] {
    return X.op_count > 0 && X.operands[0].type == X86_OP_IMM
               ? static_cast<uint64_t>(X.operands[0].imm)
               : uint64_t{0};
  };
  using Kind = Instruction::Kind;
  switch (I.id) {
  case X86_INS_MOV:
  case X86_INS_MOVABS:
    readMove(Out, I);
    break;
  case X86_INS_LEA:
  case X86_INS_ADD:
  case X86_INS_SUB:
    readSum(Out, I);
    break;
  case X86_INS_TEST:
  case X86_INS_CMP:
    readTest(Out, I);
    break;
  case X86_INS_PUSH:
    Out.Does = Kind::Store;
    Out.Base = 7;
    Out.StackMove = -8;
    Out.From = X.operands[0].type == X86_OP_REG
                   ? x86Register(X.operands[0].reg, true)
                   : kNoRegister;
    return;
  case X86_INS_POP:
    Out.Does = Kind::Load;
    Out.Base = 7;
    Out.StackMoveAfter = 8;
    Out.To = X.operands[0].type == X86_OP_REG
                 ? x86Register(X.operands[0].reg, true)
                 : kNoRegister;
    return;
  case X86_INS_CALL:
    Out.Does = Kind::Call;
    Out.Value = Target();
    // Through a slot, as in code without a PLT.
    if (X.op_count > 0 && X.operands[0].type == X86_OP_MEM &&
        X.operands[0].mem.base == X86_REG_RIP)
      setPlace(Out, I, X.operands[0].mem), Out.Offset = 1;
    return;
  case X86_INS_JMP:
    Out.Does = Kind::Jump;
    Out.Value = Target();
    return;
  case X86_INS_RET:
    Out.Does = Kind::Return;
    return;
  case X86_INS_HLT:
  case X86_INS_UD2:
    Out.Does = Kind::Jump;
    return;
  default:
    if (cs_insn_group(Handle, &I, CS_GRP_JUMP)) {
      Out.Does = Kind::Branch;
      Out.Value = Target();
      Out.If = I.id == X86_INS_JE    ? Instruction::When::Zero
               : I.id == X86_INS_JNE ? Instruction::When::NotZero
                                     : Instruction::When::Unknown;
      return;
    }
    break;
  }
  if (Out.Does != Kind::Other)
    return;
  cs_regs Read, Written;
  uint8_t Reads = 0, Writes = 0;
  if (cs_regs_access(Handle, &I, Read, &Reads, Written, &Writes) == CS_ERR_OK)
    for (uint8_t N = 0; N < Writes; ++N)
      if (const uint8_t R = x86Register(Written[N], false); R != kNoRegister)
        Out.Written |= 1u << R;
}

/// Sets the location that a load or store of one register uses.
bool setPlace(Instruction &Out, const arm64_op_mem &Memory) {
  if (Memory.index != ARM64_REG_INVALID)
    return false;
  Out.Base = armRegister(Memory.base, true);
  Out.Offset = Memory.disp;
  return Out.Base != kNoRegister;
}

bool readArmData(Instruction &Out, const cs_insn &I) {
  const cs_arm64 &A = I.detail->arm64;
  const cs_arm64_op *Ops = A.operands;
  using Kind = Instruction::Kind;
  const auto Register = [&](unsigned N, bool Whole) {
    return A.op_count > N && Ops[N].type == ARM64_OP_REG
               ? armRegister(Ops[N].reg, Whole)
               : kNoRegister;
  };
  const uint8_t First = Register(0, true), Second = Register(1, true);
  switch (I.id) {
  case ARM64_INS_MOV:
    if (First != kNoRegister && Second != kNoRegister) {
      Out = {.Does = Kind::Copy, .To = First, .From = Second};
      return true;
    }
    [[fallthrough]];
  case ARM64_INS_MOVZ:
  case ARM64_INS_ADRP:
  case ARM64_INS_ADR:
    if (Register(0, false) != kNoRegister && A.op_count > 1 &&
        Ops[1].type == ARM64_OP_IMM && Ops[1].shift.value == 0) {
      Out = {.Does = Kind::Constant, .To = Register(0, false)};
      Out.Value = static_cast<uint64_t>(Ops[1].imm);
      return true;
    }
    return false;
  case ARM64_INS_ADD:
  case ARM64_INS_SUB:
    if (First == kNoRegister || Second == kNoRegister || A.op_count < 3)
      return false;
    if (const uint8_t Third = Register(2, true); I.id == ARM64_INS_ADD &&
                                                 Third != kNoRegister &&
                                                 Ops[2].shift.value == 0) {
      Out = {
          .Does = Kind::SumOfTwo, .To = First, .From = Third, .Base = Second};
      return true;
    }
    if (Ops[2].type != ARM64_OP_IMM)
      return false;
    Out = {.Does = Kind::Sum, .To = First, .Base = Second};
    Out.Offset = (I.id == ARM64_INS_ADD ? Ops[2].imm : -Ops[2].imm)
                 << Ops[2].shift.value;
    return true;
  case ARM64_INS_CMP:
    if (First == kNoRegister || A.op_count != 2 ||
        Ops[1].type != ARM64_OP_IMM || Ops[1].imm != 0)
      return false;
    Out = {.Does = Kind::Test, .From = First};
    return true;
  case ARM64_INS_LDR:
  case ARM64_INS_LDUR:
  case ARM64_INS_STR:
  case ARM64_INS_STUR:
    if (I.id == ARM64_INS_STR && First != kNoRegister && A.op_count > 1 &&
        Ops[1].type == ARM64_OP_MEM && Ops[1].mem.index != ARM64_REG_INVALID &&
        Ops[1].shift.value == 3) {
      Out = {.Does = Kind::StoreElement, .From = First};
      Out.Base = armRegister(Ops[1].mem.base, true);
      return Out.Base != kNoRegister;
    }
    if (First == kNoRegister || A.writeback || A.op_count < 2 ||
        Ops[1].type != ARM64_OP_MEM || !setPlace(Out, Ops[1].mem))
      return false;
    if (I.id == ARM64_INS_LDR || I.id == ARM64_INS_LDUR)
      Out.Does = Kind::Load, Out.To = First;
    else
      Out.Does = Kind::Store, Out.From = First;
    return true;
  default:
    return false;
  }
}

void readArm(Instruction &Out, const cs_insn &I, csh Handle) {
  const cs_arm64 &A = I.detail->arm64;
  using Kind = Instruction::Kind;
  const auto Target = [&] {
    for (uint8_t N = 0; N < A.op_count; ++N)
      if (A.operands[N].type == ARM64_OP_IMM)
        Out.Value = static_cast<uint64_t>(A.operands[N].imm);
  };
  switch (I.id) {
  case ARM64_INS_BL:
  case ARM64_INS_BLR:
    Out.Does = Kind::Call;
    Target();
    return;
  case ARM64_INS_RET:
    Out.Does = Kind::Return;
    return;
  case ARM64_INS_BR:
    Out.Does = Kind::Jump;
    return;
  case ARM64_INS_B:
    Out.Does = A.cc == ARM64_CC_INVALID || A.cc == ARM64_CC_AL ? Kind::Jump
                                                               : Kind::Branch;
    Out.If = A.cc == ARM64_CC_EQ   ? Instruction::When::Zero
             : A.cc == ARM64_CC_NE ? Instruction::When::NotZero
                                   : Instruction::When::Unknown;
    Target();
    return;
  case ARM64_INS_CBZ:
  case ARM64_INS_CBNZ:
    Out.Does = Kind::Branch;
    Out.From = A.op_count == 2 && A.operands[0].type == ARM64_OP_REG
                   ? armRegister(A.operands[0].reg, true)
                   : kNoRegister;
    if (Out.From != kNoRegister)
      Out.If = I.id == ARM64_INS_CBZ ? Instruction::When::Zero
                                     : Instruction::When::NotZero;
    Target();
    return;
  case ARM64_INS_TBZ:
  case ARM64_INS_TBNZ:
    Out.Does = Kind::Branch;
    if (A.op_count == 3)
      Out.Value = static_cast<uint64_t>(A.operands[2].imm);
    return;
  default:
    break;
  }
  if (readArmData(Out, I))
    return;
  Out = {};
  cs_regs Read, Written;
  uint8_t Reads = 0, Writes = 0;
  if (cs_regs_access(Handle, &I, Read, &Reads, Written, &Writes) == CS_ERR_OK)
    for (uint8_t N = 0; N < Writes; ++N)
      if (const uint8_t R = armRegister(Written[N], false); R != kNoRegister)
        Out.Written |= 1u << R;
}

} // namespace

struct Decoder::Engine {
  csh Handle = 0;
  cs_insn *Room = nullptr;
  bool Arm = false;
  ~Engine() {
    if (Room)
      cs_free(Room, 1);
    cs_close(&Handle);
  }
};

Decoder::Decoder(int Machine)
    : Convention(Machine == EM_AARCH64 ? &kArm : &kX86) {
  const bool Arm = Machine == EM_AARCH64;
  csh Handle = 0;
  if ((Arm || Machine == EM_X86_64) &&
      cs_open(Arm ? CS_ARCH_ARM64 : CS_ARCH_X86,
              Arm ? CS_MODE_LITTLE_ENDIAN : CS_MODE_64, &Handle) == CS_ERR_OK) {
    State = std::make_unique<Engine>();
    State->Handle = Handle;
    State->Arm = Arm;
    cs_option(Handle, CS_OPT_DETAIL, CS_OPT_ON);
    State->Room = cs_malloc(Handle);
  }
}

Decoder::~Decoder() = default;

std::optional<Instruction> Decoder::decode(std::span<const unsigned char> Bytes,
                                           uint64_t Address) {
  const uint8_t *At = Bytes.data();
  size_t Left = Bytes.size();
  uint64_t Next = Address;
  if (!cs_disasm_iter(State->Handle, &At, &Left, &Next, State->Room))
    return std::nullopt;
  Instruction Out;
  if (State->Arm)
    readArm(Out, *State->Room, State->Handle);
  else
    readX86(Out, *State->Room, State->Handle);
  Out.Length = static_cast<uint8_t>(State->Room->size);
  return Out;
}

} // namespace inmem::debuginfo

//===- BlockFlow.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/BlockFlow.h"

#include "debuginfo/LibraryRules.h"
#include "debuginfo/PathState.h"
#include "debuginfo/TypeNames.h"

#include <algorithm>
#include <cstdlib>
#include <dwarf.h>
#include <string_view>
#include <tuple>

namespace inmem::debuginfo {

namespace {

constexpr unsigned kLongestPath = 160, kMostSteps = 900;
/// The stack pointer's offset if the frame address is at an unknown distance.
constexpr int64_t kStack = -(int64_t{1} << 40);

class Follower {
public:
  /// \param EntersCallees whether to follow callees for their results
  Follower(const ReceivingCode &Of, std::vector<BlockFact> &Into,
           bool EntersCallees)
      : Code(Of), Convention(Of.Decode.convention()), Out(Into),
        EntersCallees(EntersCallees) {}

  /// \param Register holds the block
  void run(uint64_t From, uint8_t Register, int64_t Offset) {
    Path First{From, 0, {}, {}};
    First.Registers[Register] = {Value::Kind::Block, Offset, {}};
    findFrame(First);
    run(std::move(First));
  }
  /// \param Where the location in the frame that holds the block
  void run(uint64_t From, const FramePlace &Where, int64_t Offset) {
    Path First{From, 0, {}, {}};
    findFrame(First);
    const auto Put = [&](uint8_t Register, std::optional<int64_t> Distance) {
      const Value &Base = First.Registers[Register];
      if (Distance && Base.What == Value::Kind::Frame)
        First.Slots[Base.Offset + *Distance] = {Value::Kind::Block, Offset, {}};
    };
    Put(Convention.StackPointer, Where.FromStack);
    Put(Convention.FramePointer, Where.FromFrame);
    run(std::move(First));
  }

private:
  void run(Path &&First) {
    Waiting.push_back(std::move(First));
    while (!Waiting.empty() && Steps < kMostSteps) {
      Path Next = std::move(Waiting.back());
      Waiting.pop_back();
      follow(Next);
    }
  }

  /// Sets the registers that locate the frame: the one that has the canonical
  /// frame address, and the stack pointer.
  void findFrame(Path &P) {
    // With a frame pointer, unoptimized code and code of realigned frames
    // address variables by either register. The distance between the two is
    // unknown, but each variable uses only one.
    P.Registers[Convention.StackPointer] = {Value::Kind::Frame, kStack, {}};
    Dwarf_CFI *Table = Code.File.unwindTable();
    Dwarf_Frame *Frame = nullptr;
    if (!Table || dwarf_cfi_addrframe(Table, P.At, &Frame) != 0)
      return;
    Dwarf_Op *Ops = nullptr;
    size_t Count = 0;
    if (dwarf_frame_cfa(Frame, &Ops, &Count) == 0 && Count == 1 &&
        Ops[0].atom == DW_OP_bregx && Ops[0].number < kRegisters)
      P.Registers[Ops[0].number] = {
          Value::Kind::Frame, -static_cast<int64_t>(Ops[0].number2), {}};
    free(Frame);
  }

  void follow(Path &P) {
    for (; P.Step < kLongestPath && Steps < kMostSteps; ++P.Step, ++Steps) {
      // Known code counts as new if the block is in another location.
      if (!holdsBlock(P) ||
          !Seen.emplace(P.At, registersWithBlock(P), slotsWithBlock(P)).second)
        return;
      compareVariables(P);
      const auto Bytes = Code.File.bytesAt(P.At);
      const auto I =
          Bytes.empty() ? std::nullopt : Code.Decode.decode(Bytes, P.At);
      if (!I || !execute(P, *I))
        return;
    }
  }

  static bool isInBlock(const Value &V) {
    return V.What == Value::Kind::Block || V.What == Value::Kind::Within;
  }

  static uint64_t registersWithBlock(const Path &P) {
    uint64_t Mask = 0;
    for (unsigned R = 0; R < kRegisters; ++R)
      Mask |= uint64_t{isInBlock(P.Registers[R])} << R;
    return Mask;
  }

  static std::vector<int64_t> slotsWithBlock(const Path &P) {
    std::vector<int64_t> Out;
    for (const auto &[Offset, V] : P.Slots)
      if (isInBlock(V))
        Out.push_back(Offset);
    return Out;
  }

  static bool holdsBlock(const Path &P) {
    return std::ranges::any_of(P.Registers, isInBlock) ||
           std::ranges::any_of(P.Slots, [](const auto &Slot) {
             return isInBlock(Slot.second);
           });
  }

  BlockFact &add(BlockFact::Kind What, const Path &P, int64_t Offset) {
    BlockFact &F = Out.emplace_back();
    F.What = What;
    F.Step = P.Step;
    F.Offset = Offset;
    return F;
  }

  /// The value in \p Place before the next instruction.
  Value valueAt(const Path &P, const VariablePlace &Place) const {
    using Kind = VariablePlace::Kind;
    if (Place.How == Kind::Frame)
      return slot(P, Place.Offset);
    const Value &In = P.Registers[Place.Register];
    if (Place.How == Kind::Register)
      return In;
    if (Place.How == Kind::Memory)
      return In.What == Value::Kind::Frame ? slot(P, In.Offset + Place.Offset)
                                           : Value{};
    Value Sum = In;
    Sum.Offset += Place.Offset;
    return Sum;
  }

  static Value slot(const Path &P, int64_t Offset) {
    const auto Found = P.Slots.find(Offset);
    return Found == P.Slots.end() ? Value{} : Found->second;
  }

  void compareVariables(const Path &P) {
    for (const uint32_t Number : Code.Places.near(P.At)) {
      const VariablePlace &Place = Code.Places[Number];
      const Value V = valueAt(P, Place);
      if (!isInBlock(V) || !Place.covers(P.At))
        continue;
      const bool Within = V.What == Value::Kind::Within;
      const int64_t Offset = Within ? kStack : V.Offset;
      if (!Known.insert({Place.Variable.addr, Offset}).second)
        continue;
      BlockFact &F = add(BlockFact::Kind::Variable, P, Offset);
      F.Variable = &Place;
      F.Within = Within;
    }
  }

  /// The pointer variable in register \p Register, or from which the register
  /// is computed, or at \p Slot of the frame, as a value.
  std::optional<Value> variableIn(const Path &P, uint8_t Register,
                                  std::optional<int64_t> Slot) const {
    std::optional<Value> Computed;
    for (const uint32_t Number : Code.Places.near(P.At)) {
      const VariablePlace &Place = Code.Places[Number];
      const bool IsSum = !Slot && Place.How == VariablePlace::Kind::Sum &&
                         Place.Register == Register;
      if ((!IsSum && !isIn(P, Place, Register, Slot)) || (IsSum && Computed) ||
          !Place.covers(P.At))
        continue;
      std::optional<Value> Is = pointerIn(Place);
      if (!IsSum && Is)
        return Is;
      if (Is) {
        Is->Offset = -Place.Offset;
        Computed = Is;
      }
    }
    return Computed;
  }

  static bool isIn(const Path &P, const VariablePlace &Place, uint8_t Register,
                   std::optional<int64_t> Slot) {
    using Kind = VariablePlace::Kind;
    if (!Slot)
      return Place.How == Kind::Register && Place.Register == Register;
    if (Place.How == Kind::Frame)
      return Place.Offset == *Slot;
    const Value &Base = P.Registers[Place.Register];
    return Place.How == Kind::Memory && Base.What == Value::Kind::Frame &&
           Base.Offset + Place.Offset == *Slot;
  }

  /// The value of a pointer variable: an address of its type's object.
  std::optional<Value> pointerIn(const VariablePlace &Place) const {
    const auto To = pointee(typeOf(Place.Variable), /*References=*/true);
    const auto Type = To ? stripped(*To) : std::nullopt;
    if (Type && isClassType(*Type))
      return Value{Value::Kind::Object, 0, *Type};
    if (Type && pointee(Type))
      return Value{Value::Kind::Pointer, 0, **To, nullptr, parameter(Place)};
    return std::nullopt;
  }

  /// The number of a variable among the function's parameters, from 1; 0 if it
  /// is not a parameter.
  unsigned parameter(const VariablePlace &Of) const {
    if (!Code.Function || Of.Function.addr != Code.Function->addr)
      return 0;
    unsigned Number = 0;
    for (Dwarf_Die Child : childrenOf(*Code.Function)) {
      Number += dwarf_tag(&Child) == DW_TAG_formal_parameter;
      if (Child.addr == Of.Variable.addr)
        return dwarf_tag(&Child) == DW_TAG_formal_parameter ? Number : 0;
    }
    return 0;
  }

  /// True for the pointer at an address, or one in the array there.
  static bool isElement(const Value &V) {
    return V.What == Value::Kind::Pointer && V.Offset % 8 == 0;
  }

  /// An object, or a pointer, that a pointer of \p Type points to.
  static Value targetOf(std::optional<Dwarf_Die> Type) {
    const auto To = pointee(Type);
    const auto Plain = To ? stripped(*To) : std::nullopt;
    if (!Plain)
      return {};
    if (isClassType(*Plain))
      return {Value::Kind::Object, 0, *Plain};
    return pointee(Plain) ? Value{Value::Kind::Pointer, 0, **To} : Value{};
  }

  Value base(const Path &P, uint8_t Register) const {
    Value V = P.Registers[Register];
    if (V.What == Value::Kind::Unknown)
      if (const auto Typed = variableIn(P, Register, std::nullopt))
        return *Typed;
    return V;
  }

  /// The address that an instruction uses.
  Value address(const Path &P, const Instruction &I) const {
    if (I.Base == kNoRegister)
      return {Value::Kind::Constant, static_cast<int64_t>(I.Value), {}};
    Value V = base(P, I.Base);
    V.Offset += I.Offset;
    return V;
  }

  Value load(const Path &P, const Value &From) const {
    switch (From.What) {
    case Value::Kind::Frame: {
      Value V = slot(P, From.Offset);
      if (V.What == Value::Kind::Unknown)
        if (const auto Typed = variableIn(P, kNoRegister, From.Offset))
          return *Typed;
      return V;
    }
    case Value::Kind::Constant: {
      const auto Address = static_cast<uint64_t>(From.Offset);
      const auto Stored = Code.File.storedAt(Address);
      if (const auto Type = globalAt(Address))
        if (const Value V = targetOf(Type); V.What != Value::Kind::Unknown)
          return V;
      if (Stored.Address)
        return {Value::Kind::Constant, static_cast<int64_t>(Stored.Address)};
      if (Stored.Symbol)
        return {Value::Kind::Constant, 0, {}, Stored.Symbol};
      return {};
    }
    case Value::Kind::Object:
      return From.Offset < 0
                 ? Value{}
                 : targetOf(pointerAt(From.Type,
                                      static_cast<uint64_t>(From.Offset)));
    case Value::Kind::Pointer:
      return isElement(From) ? targetOf(From.Type) : Value{};
    default:
      return {};
    }
  }

  /// The type of the global variable at an address, or of its member there.
  std::optional<Dwarf_Die> globalAt(uint64_t Address) const {
    auto Behind = Code.Globals.upper_bound(Address);
    if (Behind == Code.Globals.begin())
      return std::nullopt;
    const auto &[Start, Variable] = *--Behind;
    const auto Type = stripped(typeOf(Variable));
    return Type && Address - Start < sizeOf(Type)
               ? pointerAt(*Type, Address - Start)
               : std::nullopt;
  }

  /// The type of the member at an offset of the frame, of a variable that is an
  /// object.
  std::optional<Dwarf_Die> memberOfFrame(const Path &P, int64_t Offset) const {
    using Kind = VariablePlace::Kind;
    for (const uint32_t Number : Code.Places.near(P.At)) {
      const VariablePlace &Place = Code.Places[Number];
      int64_t Start = Place.Offset;
      if (Place.How == Kind::Memory &&
          P.Registers[Place.Register].What == Value::Kind::Frame)
        Start += P.Registers[Place.Register].Offset;
      else if (Place.How != Kind::Frame)
        continue;
      const auto Type = stripped(typeOf(Place.Variable));
      if (Offset < Start || !Type || pointee(Type) ||
          static_cast<uint64_t>(Offset - Start) >= sizeOf(Type) ||
          !Place.covers(P.At))
        continue;
      return pointerAt(*Type, static_cast<uint64_t>(Offset - Start));
    }
    return std::nullopt;
  }

  void store(Path &P, const Instruction &I) {
    const Value What = I.From == kNoRegister ? Value{} : P.Registers[I.From];
    Value To = address(P, I);
    if (To.What == Value::Kind::Unknown && What.What == Value::Kind::Block)
      if (const auto Of = Code.Origins ? Code.Origins->objectIn(I.Base, P.At)
                                       : std::nullopt)
        To = {Value::Kind::Object, Of->Offset + I.Offset, Of->Class};
    store(P, To, What);
  }

  void store(Path &P, const Value &To, const Value &What) {
    if (To.What == Value::Kind::Frame) {
      P.Slots[To.Offset] = What;
      if (What.What == Value::Kind::Block)
        if (const auto Type = memberOfFrame(P, To.Offset))
          add(BlockFact::Kind::Member, P, What.Offset).Type = Type;
      return;
    }
    if (To.What == Value::Kind::Block && To.Offset == 0 &&
        What.What == Value::Kind::Constant) {
      BlockFact &F = add(BlockFact::Kind::Vtable, P, 0);
      F.Address = static_cast<uint64_t>(What.Offset);
      F.Import = What.Symbol;
    }
    if (What.What != Value::Kind::Block)
      return;
    const bool ForCaller =
        To.What == Value::Kind::Pointer && To.Offset == 0 && To.Parameter != 0;
    if (To.What != Value::Kind::Block && !ForCaller)
      add(BlockFact::Kind::Kept, P, What.Offset);
    std::optional<Dwarf_Die> Type;
    if (To.What == Value::Kind::Constant) {
      Type = globalAt(static_cast<uint64_t>(To.Offset));
    } else if (To.What == Value::Kind::Object && To.Offset >= 0) {
      const auto Members =
          pointersAt(To.Type, static_cast<uint64_t>(To.Offset));
      for (const Dwarf_Die &Member : Members) {
        BlockFact &F = add(BlockFact::Kind::Member, P, What.Offset);
        F.Type = Member;
        F.Alternatives = Members.size() > 1 ? P.At : 0;
      }
    } else if (isElement(To)) {
      Type = To.Type;
    }
    if (ForCaller) {
      BlockFact &F = add(BlockFact::Kind::Stored, P, What.Offset);
      F.Argument = To.Parameter - 1;
      F.Type = Type;
    }
    if (Type)
      add(BlockFact::Kind::Member, P, What.Offset).Type = Type;
  }

  /// As store(), of an array of pointers: an element is like the first.
  void storeElement(Path &P, const Instruction &I) {
    Value To = address(P, I);
    To.Parameter = 0; // not the caller's variable
    if (To.What >= Value::Kind::Constant)
      store(P, To, P.Registers[I.From]);
  }

  void passArguments(Path &P, uint64_t Callee, const char *Import) {
    for (unsigned N = 0; N < Convention.Arguments.size(); ++N) {
      const Value &V = P.Registers[Convention.Arguments[N]];
      if (V.What == Value::Kind::Frame &&
          slot(P, V.Offset).What == Value::Kind::Block)
        add(BlockFact::Kind::Kept, P, slot(P, V.Offset).Offset);
      if (V.What == Value::Kind::Block) {
        BlockFact &F = add(BlockFact::Kind::Argument, P, V.Offset);
        F.Argument = N;
        F.Address = Callee;
        F.Import = Import;
        if (const Value &Second = P.Registers[Convention.Arguments[1]];
            Second.What == Value::Kind::Constant)
          F.Second = static_cast<uint64_t>(Second.Offset),
          F.SecondImport = Second.Symbol;
      }
    }
  }

  /// \returns false if the path ends
  bool call(Path &P, const Instruction &I) {
    const bool BySlot = I.Offset == 1;
    const char *Import = nullptr;
    uint64_t Callee = 0;
    if (BySlot) {
      const auto Stored = Code.File.storedAt(I.Value);
      Import = Stored.Symbol;
      Callee = Stored.Address;
    } else if (I.Value) {
      Callee = I.Value;
      Import = Code.File.importAt(Callee);
    }
    passArguments(P, Callee, Import);
    const char *Name = Import;
    if (!Name && Callee)
      if (const auto *Symbol = Code.File.symbolAt(Callee))
        Name = Symbol->Name;
    if (Name && neverReturns(Name))
      return false;
    const Value First = P.Registers[Convention.Arguments[0]];
    const std::optional<Value> Back = EntersCallees && !Import && Callee
                                          ? argumentBack(P, Callee)
                                          : std::nullopt;
    for (unsigned R = 0; R < kRegisters; ++R)
      if (!(Convention.Kept >> R & 1))
        P.Registers[R] = {};
    if (Name && returnsItsArgument(Name))
      P.Registers[Convention.Result] = First;
    else if (Back)
      P.Registers[Convention.Result] = *Back;
    return true;
  }

  /// A jump to another function, whose result is this one's.
  void leave(Path &P, uint64_t Callee) {
    const char *Import = Code.File.importAt(Callee);
    passArguments(P, Callee, Import);
    if (const auto Back =
            EntersCallees && !Import ? argumentBack(P, Callee) : std::nullopt)
      add(BlockFact::Kind::Returned, P, Back->Offset);
  }

  /// The block, if the function at \p Callee gets it and returns it.
  std::optional<Value> argumentBack(const Path &P, uint64_t Callee) {
    for (unsigned N = 0; N < Convention.Arguments.size(); ++N) {
      const uint8_t Register = Convention.Arguments[N];
      const Value &V = P.Registers[Register];
      if (V.What != Value::Kind::Block)
        continue;
      const auto [Answer, New] = Code.Returned.try_emplace({Callee, N});
      if (New) {
        Variables None;
        std::vector<BlockFact> Facts;
        const ReceivingCode Inner{Code.File,    Code.Decode,   nullptr, None,
                                  Code.Globals, Code.Returned, nullptr};
        Follower(Inner, Facts, false).run(Callee, Register, 0);
        for (const BlockFact &F : Facts)
          if (F.What == BlockFact::Kind::Returned && !Answer->second)
            Answer->second = F.Offset;
      }
      if (Answer->second)
        return Value{Value::Kind::Block, V.Offset + *Answer->second, {}};
    }
    return std::nullopt;
  }

  bool isInFunction(uint64_t Address) const {
    return !Code.Function || dwarf_haspc(Code.Function, Address) > 0;
  }

  /// \returns false if the path ends because the block's address is null on it
  bool branch(const Path &P, const Instruction &I) {
    using When = Instruction::When;
    const Value &Of = I.From == kNoRegister ? P.Tested : P.Registers[I.From];
    const bool IsBlock = Of.What == Value::Kind::Block;
    if (!(IsBlock && I.If == When::Zero) && I.Value && isInFunction(I.Value)) {
      Path Other = P;
      Other.At = I.Value;
      ++Other.Step;
      Waiting.push_back(std::move(Other));
    }
    return !(IsBlock && I.If == When::NotZero);
  }

  /// \returns false if the path ends
  bool execute(Path &P, const Instruction &I) {
    using Does = Instruction::Kind;
    const uint64_t Next = P.At + I.Length;
    switch (I.Does) {
    case Does::Copy:
      P.Registers[I.To] = P.Registers[I.From];
      break;
    case Does::Constant:
      P.Registers[I.To] = {
          Value::Kind::Constant, static_cast<int64_t>(I.Value), {}};
      break;
    case Does::Sum: {
      Value V = base(P, I.Base);
      V.Offset += I.Offset;
      P.Registers[I.To] = V;
      break;
    }
    case Does::SumOfTwo: {
      const bool Second =
          I.From != kNoRegister && isInBlock(P.Registers[I.From]);
      const bool In = isInBlock(P.Registers[I.Base]) != Second;
      P.Registers[I.To] = In ? Value{Value::Kind::Within} : Value{};
      break;
    }
    case Does::Load:
      if (const Value V = load(P, address(P, I)); I.To != kNoRegister)
        P.Registers[I.To] = V;
      if (I.StackMoveAfter)
        P.Registers[Convention.StackPointer].Offset += I.StackMoveAfter;
      break;
    case Does::Store:
      if (I.StackMove)
        P.Registers[Convention.StackPointer].Offset += I.StackMove;
      store(P, I);
      break;
    case Does::StoreElement:
      storeElement(P, I);
      break;
    case Does::StoreConstant:
      store(P, address(P, I),
            {Value::Kind::Constant, static_cast<int64_t>(I.Value), {}});
      break;
    case Does::Call:
      if (!call(P, I))
        return false;
      break;
    case Does::Return:
      if (const Value &V = P.Registers[Convention.Result];
          V.What == Value::Kind::Block)
        add(BlockFact::Kind::Returned, P, V.Offset);
      return false;
    case Does::Jump:
      if (I.Value && isInFunction(I.Value)) {
        P.At = I.Value;
        return true;
      }
      if (I.Value)
        leave(P, I.Value);
      return false;
    case Does::Branch:
      if (!branch(P, I))
        return false;
      break;
    case Does::Test:
      P.Tested =
          I.From == kNoRegister ? load(P, address(P, I)) : P.Registers[I.From];
      break;
    case Does::Other:
      for (unsigned R = 0; R < kRegisters; ++R)
        if (I.Written >> R & 1)
          P.Registers[R] = {};
      break;
    }
    // Other instructions may set flags.
    if (I.Does == Does::Sum || I.Does == Does::SumOfTwo ||
        I.Does == Does::Call || I.Does == Does::Other)
      P.Tested = {};
    P.At = Next;
    return true;
  }

  const ReceivingCode &Code;
  const CallingConvention &Convention;
  std::vector<BlockFact> &Out;
  bool EntersCallees;
  std::vector<Path> Waiting;
  /// Addresses, with the registers and slots that hold the block there.
  std::set<std::tuple<uint64_t, uint64_t, std::vector<int64_t>>> Seen;
  std::set<std::pair<const void *, int64_t>> Known;
  unsigned Steps = 0;
};

} // namespace

std::vector<BlockFact> followBlock(const ReceivingCode &Code, uint64_t Return,
                                   const FramePlace *Where, int64_t Offset) {
  std::vector<BlockFact> Out;
  if (Code.Decode.works() && Where)
    Follower(Code, Out, true).run(Return, *Where, Offset);
  else if (Code.Decode.works())
    Follower(Code, Out, true)
        .run(Return, Code.Decode.convention().Result, Offset);
  std::ranges::stable_sort(Out, {}, &BlockFact::Step);
  return Out;
}

} // namespace inmem::debuginfo

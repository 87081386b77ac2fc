//===- Variables.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/Variables.h"

#include "debuginfo/TypeNames.h"

#include <dwarf.h>

namespace inmem::debuginfo {

namespace {

/// The register that an operation names, as DWARF numbers them; none above 31.
std::optional<uint8_t> registerOf(const Dwarf_Op &Op, uint8_t First) {
  const unsigned Number = Op.atom - unsigned{First};
  return Op.atom >= First && Number < 32
             ? std::optional(static_cast<uint8_t>(Number))
             : std::nullopt;
}

int64_t signedOf(Dwarf_Word Number) { return static_cast<int64_t>(Number); }

/// Reads a location of a few operations. \returns false for other forms
bool readPlace(const Dwarf_Op *Ops, size_t Count,
               const std::optional<VariablePlace> &FrameBase,
               VariablePlace &Out) {
  using Kind = VariablePlace::Kind;
  if (Count == 0)
    return false;
  const bool IsValue = Count == 2 && Ops[1].atom == DW_OP_stack_value;
  if (Count > 1 && !IsValue)
    return false;
  if (const auto In = registerOf(Ops[0], DW_OP_reg0); In && Count == 1) {
    Out.How = Kind::Register;
    Out.Register = *In;
    Out.Offset = 0;
    return true;
  }
  if (const auto Base = registerOf(Ops[0], DW_OP_breg0)) {
    Out.How = IsValue ? Kind::Sum : Kind::Memory;
    Out.Register = *Base;
    Out.Offset = signedOf(Ops[0].number);
    return true;
  }
  if (Ops[0].atom == DW_OP_fbreg && FrameBase && Count == 1) {
    Out.How = FrameBase->How;
    Out.Register = FrameBase->Register;
    Out.Offset = FrameBase->Offset + signedOf(Ops[0].number);
    return true;
  }
  if (Ops[0].atom == DW_OP_call_frame_cfa && Count == 1) {
    Out.How = Kind::Frame;
    Out.Offset = 0;
    return true;
  }
  return false;
}

std::optional<VariablePlace> frameBaseOf(Dwarf_Die Function) {
  Dwarf_Attribute Attribute;
  Dwarf_Op *Ops = nullptr;
  size_t Count = 0;
  VariablePlace Out{};
  if (!dwarf_attr_integrate(&Function, DW_AT_frame_base, &Attribute))
    return std::nullopt;
  // DWARF 2 has no operation for the canonical frame address. It lists the
  // address's locations.
  if (dwarf_getlocation(&Attribute, &Ops, &Count) != 0) {
    Dwarf_Addr Base = 0, Start = 0, End = 0;
    if (dwarf_getlocations(&Attribute, 0, &Base, &Start, &End, &Ops, &Count) <=
            0 ||
        Count != 1 || !registerOf(Ops[0], DW_OP_breg0))
      return std::nullopt;
    Out.How = VariablePlace::Kind::Frame;
    return Out;
  }
  if (!readPlace(Ops, Count, std::nullopt, Out))
    return std::nullopt;
  if (Out.How == VariablePlace::Kind::Register)
    Out.How = VariablePlace::Kind::Memory;
  return Out;
}

class Collector {
public:
  Collector(Dwarf_Die Function, std::vector<VariablePlace> &Into)
      : FrameBase(frameBaseOf(Function)), Out(Into) {
    add(Function, Function, 0);
  }

private:
  void add(Dwarf_Die Of, Dwarf_Die Function, unsigned Depth) {
    constexpr unsigned kDeepest = 256;
    Dwarf_Die Child;
    if (Depth > kDeepest || dwarf_child(&Of, &Child) != 0)
      return;
    do
      switch (dwarf_tag(&Child)) {
      case DW_TAG_formal_parameter:
      case DW_TAG_variable:
        addPlaces(Child, Of, Function);
        break;
      case DW_TAG_inlined_subroutine:
        add(Child, Child, Depth + 1);
        break;
      case DW_TAG_lexical_block:
      case DW_TAG_try_block:
      case DW_TAG_catch_block:
        add(Child, Function, Depth + 1);
        break;
      default:
        break;
      }
    while (dwarf_siblingof(&Child, &Child) == 0);
  }

  void addPlaces(Dwarf_Die Variable, Dwarf_Die Block, Dwarf_Die Function) {
    Dwarf_Attribute Attribute;
    if (!dwarf_attr(&Variable, DW_AT_location, &Attribute))
      return;
    Dwarf_Addr Base = 0, Start = 0, End = 0;
    Dwarf_Op *Ops = nullptr;
    size_t Count = 0;
    for (ptrdiff_t At = 0;
         (At = dwarf_getlocations(&Attribute, At, &Base, &Start, &End, &Ops,
                                  &Count)) > 0;) {
      VariablePlace Place{};
      if (!readPlace(Ops, Count, FrameBase, Place))
        continue;
      Place.Variable = Variable;
      Place.Function = Function;
      if (Start == 0 && End == ~Dwarf_Addr{0})
        Place.Block = Block;
      Place.Start = Start;
      Place.End = End;
      Out.push_back(Place);
    }
  }

  std::optional<VariablePlace> FrameBase;
  std::vector<VariablePlace> &Out;
};

/// The address of a location's operation. clang may write it as an index into a
/// table.
std::optional<Dwarf_Addr> addressOf(Dwarf_Attribute &Of, const Dwarf_Op &Op) {
  if (Op.atom == DW_OP_addr)
    return Op.number;
  Dwarf_Attribute Indexed;
  Dwarf_Addr Out = 0;
  if ((Op.atom == DW_OP_addrx || Op.atom == DW_OP_GNU_addr_index) &&
      dwarf_getlocation_attr(&Of, &Op, &Indexed) == 0 &&
      dwarf_formaddr(&Indexed, &Out) == 0)
    return Out;
  return std::nullopt;
}

void addGlobals(Dwarf_Die Of, unsigned Depth,
                std::map<Dwarf_Addr, Dwarf_Die> &Out) {
  constexpr unsigned kDeepest = 16;
  Dwarf_Die Child;
  if (Depth > kDeepest || dwarf_child(&Of, &Child) != 0)
    return;
  do {
    const int Tag = dwarf_tag(&Child);
    Dwarf_Attribute Attribute;
    Dwarf_Op *Ops = nullptr;
    size_t Count = 0;
    if (Tag == DW_TAG_namespace)
      addGlobals(Child, Depth + 1, Out);
    else if (Tag == DW_TAG_variable &&
             dwarf_attr(&Child, DW_AT_location, &Attribute) &&
             dwarf_getlocation(&Attribute, &Ops, &Count) == 0 && Count == 1) {
      if (const auto Address = addressOf(Attribute, Ops[0]))
        Out.try_emplace(*Address, Child);
    }
  } while (dwarf_siblingof(&Child, &Child) == 0);
}

/// The offset of a member or base class; none if it depends on the object.
std::optional<uint64_t> offsetOf(Dwarf_Die Member, bool InUnion) {
  if (numberOf(Member, DW_AT_external) || numberOf(Member, DW_AT_virtuality))
    return std::nullopt;
  if (const auto At = numberOf(Member, DW_AT_data_member_location))
    return At;
  Dwarf_Attribute Attribute;
  Dwarf_Op *Ops = nullptr;
  size_t Count = 0;
  if (!dwarf_attr(&Member, DW_AT_data_member_location, &Attribute))
    return InUnion ? std::optional<uint64_t>(0) : std::nullopt;
  if (dwarf_getlocation(&Attribute, &Ops, &Count) == 0 && Count == 1 &&
      Ops[0].atom == DW_OP_plus_uconst) // DWARF 2
    return Ops[0].number;
  return std::nullopt;
}

/// Adds the types of pointers at \p Offset of an object to \p Out.
void addPointersAt(std::optional<Dwarf_Die> Object, uint64_t Offset,
                   unsigned Depth, std::vector<Dwarf_Die> &Out) {
  constexpr unsigned kDeepest = 32;
  auto Type = stripped(Object);
  if (!Type || Depth > kDeepest)
    return;
  if (pointee(Type, /*References=*/true)) {
    if (Offset == 0)
      Out.push_back(*Type);
    return;
  }
  const int Kind = dwarf_tag(&*Type);
  if (Kind == DW_TAG_array_type) {
    const auto Element = referenceOf(*Type, DW_AT_type);
    if (const uint64_t Size = sizeOf(Element); Size != 0)
      addPointersAt(Element, Offset % Size, Depth + 1, Out);
    return;
  }
  if (!isClassType(*Type))
    return;
  for (Dwarf_Die Child : childrenOf(*Type)) {
    const int Tag = dwarf_tag(&Child);
    if (Tag != DW_TAG_member && Tag != DW_TAG_inheritance)
      continue;
    const auto At = offsetOf(Child, Kind == DW_TAG_union_type);
    const auto Member = typeOf(Child);
    if (At && Offset >= *At && Offset - *At < sizeOf(stripped(Member)))
      addPointersAt(Member, Offset - *At, Depth + 1, Out);
  }
}

} // namespace

bool VariablePlace::covers(Dwarf_Addr Address) const {
  if (!Block)
    return Start <= Address && Address < End;
  Dwarf_Die Of = *Block;
  return dwarf_haspc(&Of, Address) > 0;
}

Variables::Variables(Dwarf_Die Function) {
  Collector(Function, All);
  for (uint32_t I = 0; I < All.size(); ++I) {
    if (!All[I].Block) {
      Index.add(All[I].Start, All[I].End, I);
      continue;
    }
    Dwarf_Die Block = *All[I].Block;
    Dwarf_Addr Base = 0, Start = 0, End = 0;
    for (ptrdiff_t At = 0;
         (At = dwarf_ranges(&Block, At, &Base, &Start, &End)) > 0;)
      Index.add(Start, End, I);
  }
}

std::map<Dwarf_Addr, Dwarf_Die> globalsOf(Dwarf_Die Unit) {
  std::map<Dwarf_Addr, Dwarf_Die> Out;
  addGlobals(Unit, 0, Out);
  return Out;
}

std::vector<Dwarf_Die> declaredGlobals(Dwarf_Die Unit) {
  std::vector<Dwarf_Die> Out;
  for (Dwarf_Die Child : childrenOf(Unit))
    if (dwarf_tag(&Child) == DW_TAG_variable &&
        numberOf(Child, DW_AT_declaration) && numberOf(Child, DW_AT_external))
      Out.push_back(Child);
  return Out;
}

std::vector<Dwarf_Die> pointersAt(Dwarf_Die Type, uint64_t Offset) {
  std::vector<Dwarf_Die> Out;
  addPointersAt(Type, Offset, 0, Out);
  return Out;
}

std::optional<Dwarf_Die> pointerAt(Dwarf_Die Type, uint64_t Offset) {
  const std::vector<Dwarf_Die> All = pointersAt(Type, Offset);
  return All.size() == 1 ? std::optional(All.front()) : std::nullopt;
}

std::optional<uint64_t> openEndOf(Dwarf_Die Class) {
  std::optional<uint64_t> Last;
  bool IsArray = false;
  for (Dwarf_Die Child : childrenOf(Class)) {
    if (dwarf_tag(&Child) != DW_TAG_member)
      continue;
    const auto At = offsetOf(Child, false);
    const auto Type = stripped(typeOf(Child));
    if (!At || !Type || (Last && *At < *Last))
      continue;
    Last = At;
    IsArray = dwarf_tag(const_cast<Dwarf_Die *>(&*Type)) == DW_TAG_array_type;
    if (isClassType(*Type))
      if (const auto Inner = openEndOf(*Type)) {
        Last = *At + *Inner;
        IsArray = true;
      }
  }
  return IsArray ? Last : std::nullopt;
}

} // namespace inmem::debuginfo

//===- UnitBytes.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/UnitBytes.h"

#include <algorithm>
#include <cstring>
#include <dwarf.h>
#include <optional>

namespace inmem::debuginfo {

namespace {

using Bytes = UnitBytes::Bytes;

template <class T> bool take(Bytes From, size_t &At, T &Out) {
  if (At > From.size() || From.size() - At < sizeof Out)
    return false;
  std::memcpy(&Out, &From[At], sizeof Out);
  At += sizeof Out;
  return true;
}

/// A LEB128 number, signed or unsigned.
bool takeLeb(Bytes From, size_t &At, uint64_t &Out) {
  Out = 0;
  for (unsigned Shift = 0; At < From.size() && Shift < 70; Shift += 7) {
    const unsigned char Byte = From[At++];
    if (Shift < 64)
      Out |= uint64_t{Byte & 0x7fu} << Shift;
    if (!(Byte & 0x80))
      return true;
  }
  return false;
}

/// Appends a number whose bytes are the same in both forms of LEB128.
void putLeb(std::vector<unsigned char> &To, uint64_t Number) {
  for (; Number >= 0x40; Number >>= 7)
    To.push_back(static_cast<unsigned char>(Number & 0x7f) | 0x80);
  To.push_back(static_cast<unsigned char>(Number));
}

/// The size of forms of fixed size; none for others.
std::optional<uint64_t> bytesOf(uint64_t Form, unsigned AddressSize) {
  switch (Form) {
  case DW_FORM_implicit_const:
  case DW_FORM_flag_present:
    return 0;
  case DW_FORM_addr:
    return AddressSize;
  case DW_FORM_data1:
  case DW_FORM_flag:
  case DW_FORM_ref1:
  case DW_FORM_strx1:
  case DW_FORM_addrx1:
    return 1;
  case DW_FORM_data2:
  case DW_FORM_ref2:
  case DW_FORM_strx2:
  case DW_FORM_addrx2:
    return 2;
  case DW_FORM_strx3:
  case DW_FORM_addrx3:
    return 3;
  case DW_FORM_data4:
  case DW_FORM_ref4:
  case DW_FORM_strx4:
  case DW_FORM_addrx4:
  case DW_FORM_strp:
  case DW_FORM_line_strp:
  case DW_FORM_strp_sup:
  case DW_FORM_ref_sup4:
  case DW_FORM_ref_addr:
  case DW_FORM_sec_offset:
  case DW_FORM_GNU_ref_alt:
  case DW_FORM_GNU_strp_alt:
    return 4;
  case DW_FORM_data8:
  case DW_FORM_ref8:
  case DW_FORM_ref_sup8:
    return 8;
  case DW_FORM_data16:
    return 16;
  default:
    return std::nullopt;
  }
}

} // namespace

bool UnitBytes::readTable() {
  size_t At = TableAt;
  for (uint64_t Code = 0; takeLeb(Abbreviations, At, Code);) {
    if (Code == 0) {
      TableEnd = At;
      return true;
    }
    uint64_t Tag = 0;
    unsigned char HasChildren = 0;
    if (!takeLeb(Abbreviations, At, Tag) ||
        !take(Abbreviations, At, HasChildren))
      return false;
    Abbreviation New;
    for (;;) {
      New.End = At;
      Form One = {};
      uint64_t Value = 0;
      if (!takeLeb(Abbreviations, At, One.Attribute) ||
          !takeLeb(Abbreviations, At, One.Number) ||
          (One.Number == DW_FORM_implicit_const &&
           !takeLeb(Abbreviations, At, Value)))
        return false;
      if (One.Attribute == 0 && One.Number == 0)
        break;
      New.Forms.push_back(One);
    }
    Table.try_emplace(Code, std::move(New));
  }
  return false;
}

bool UnitBytes::skip(uint64_t Number, size_t &At,
                     std::set<uint64_t> &Signatures) const {
  const auto Leap = [&](uint64_t By) {
    if (At > Unit.size() || By > Unit.size() - At)
      return false;
    At += By;
    return true;
  };
  if (const auto Size = bytesOf(Number, AddressSize))
    return Leap(*Size);
  uint64_t Length = 0;
  switch (Number) {
  case DW_FORM_ref_sig8: {
    uint64_t Signature = 0;
    if (!take(Unit, At, Signature))
      return false;
    Signatures.insert(Signature);
    return true;
  }
  case DW_FORM_sdata:
  case DW_FORM_udata:
  case DW_FORM_ref_udata:
  case DW_FORM_strx:
  case DW_FORM_addrx:
  case DW_FORM_loclistx:
  case DW_FORM_rnglistx:
  case DW_FORM_GNU_addr_index:
  case DW_FORM_GNU_str_index:
    return takeLeb(Unit, At, Length);
  case DW_FORM_block:
  case DW_FORM_exprloc:
    return takeLeb(Unit, At, Length) && Leap(Length);
  case DW_FORM_block1:
  case DW_FORM_block2:
  case DW_FORM_block4: {
    const unsigned Width = Number == DW_FORM_block1   ? 1
                           : Number == DW_FORM_block2 ? 2
                                                      : 4;
    if (At > Unit.size() || Unit.size() - At < Width)
      return false;
    std::memcpy(&Length, &Unit[At], Width); // little-endian
    return Leap(Width + Length);
  }
  case DW_FORM_string: {
    const auto Rest = Unit.subspan(std::min(At, Unit.size()));
    const auto End = std::ranges::find(Rest, 0);
    return End != Rest.end() &&
           Leap(static_cast<uint64_t>(End - Rest.begin()) + 1);
  }
  case DW_FORM_indirect:
    return takeLeb(Unit, At, Length) && Length != DW_FORM_indirect &&
           skip(Length, At, Signatures);
  default:
    return false;
  }
}

bool UnitBytes::read(bool OfTypes, std::set<uint64_t> &Signatures) {
  size_t At = 0;
  uint32_t Length = 0, Offset = 0;
  uint16_t Version = 0;
  unsigned char Kind = OfTypes ? DW_UT_type : DW_UT_compile, Size = 0;
  if (!take(Unit, At, Length) || Length > Unit.size() - 4 ||
      !take(Unit, At, Version) || (Version != 4 && Version != 5))
    return false;
  Unit = Unit.first(size_t{4} + Length);
  if (Version == 5 && (!take(Unit, At, Kind) || !take(Unit, At, Size)))
    return false;
  TableField = At;
  if (!take(Unit, At, Offset) || (Version == 4 && !take(Unit, At, Size)))
    return false;
  AddressSize = Size;
  TableAt = Offset;
  if (Kind == DW_UT_type || Kind == DW_UT_split_type)
    At += 12; // type signature and offset
  else if (Kind == DW_UT_skeleton || Kind == DW_UT_split_compile)
    At += 8;
  if (!readTable())
    return false;
  while (At < Unit.size()) {
    uint64_t Code = 0;
    if (!takeLeb(Unit, At, Code))
      return false;
    if (Code == 0)
      continue;
    if (Root == 0)
      Root = Code;
    const auto Entry = Table.find(Code);
    if (Entry == Table.end())
      return false;
    for (const Form &F : Entry->second.Forms)
      if (!skip(F.Number, At, Signatures))
        return false;
  }
  return Root != 0;
}

std::vector<unsigned char> UnitBytes::abbreviationsWith(unsigned Attribute,
                                                        uint64_t Value) const {
  const Bytes Of = Abbreviations.subspan(TableAt, TableEnd - TableAt);
  const size_t Place = Table.find(Root)->second.End - TableAt;
  std::vector<unsigned char> Out(Of.begin(),
                                 Of.begin() + static_cast<ptrdiff_t>(Place));
  putLeb(Out, Attribute);
  putLeb(Out, DW_FORM_implicit_const);
  putLeb(Out, Value);
  Out.insert(Out.end(), Of.begin() + static_cast<ptrdiff_t>(Place), Of.end());
  return Out;
}

} // namespace inmem::debuginfo

//===- UnitLines.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/UnitLines.h"

#include <algorithm>
#include <iterator>

namespace inmem::debuginfo {

UnitLines::UnitLines(Dwarf_Die Unit,
                     const std::map<Dwarf_Addr, Dwarf_Addr> &Code) {
  Dwarf_Files *Named = nullptr;
  size_t Count = 0;
  if (dwarf_getsrcfiles(&Unit, &Named, &Count) == 0)
    for (size_t I = 0; I < Count; ++I) {
      const char *Name = dwarf_filesrc(Named, I, nullptr, nullptr);
      Files.emplace_back(Name ? Name : "");
    }
  Dwarf_Lines *Lines = nullptr;
  if (dwarf_getsrclines(&Unit, &Lines, &Count) != 0)
    return;
  const auto IsKept = [&Code](Dwarf_Addr Address) {
    if (Code.empty() || Address < Code.begin()->first)
      return Code.empty();
    const auto Behind = Code.upper_bound(Address);
    return Behind != Code.begin() && Address <= std::prev(Behind)->second;
  };
  std::map<const char *, uint32_t> Known;
  for (size_t I = 0; I < Count; ++I) {
    Dwarf_Line *Line = dwarf_onesrcline(Lines, I);
    Row R = {};
    if (dwarf_lineaddr(Line, &R.Address) != 0 || !IsKept(R.Address))
      continue;
    int Number = 0, Column = 0;
    bool IsEnd = false;
    dwarf_lineno(Line, &Number);
    dwarf_linecol(Line, &Column);
    dwarf_lineendsequence(Line, &IsEnd);
    const char *Name = dwarf_linesrc(Line, nullptr, nullptr);
    const auto [At, New] =
        Known.try_emplace(Name, static_cast<uint32_t>(Sources.size()));
    if (New)
      Sources.emplace_back(Name ? Name : "");
    R.File = At->second;
    R.Number = Number > 0 ? static_cast<uint32_t>(Number) : 0;
    R.Column = Column > 0 ? static_cast<uint32_t>(Column) & 0x7fffffff : 0;
    R.IsEnd = IsEnd;
    Rows.push_back(R);
  }
  Rows.shrink_to_fit();
}

std::optional<UnitLines::Line> UnitLines::at(Dwarf_Addr Address) const {
  const auto Behind =
      std::ranges::upper_bound(Rows, Address, {}, &Row::Address);
  if (Behind == Rows.begin() || std::prev(Behind)->IsEnd)
    return std::nullopt;
  const Row &R = *std::prev(Behind);
  return Line{Sources[R.File], R.Number, R.Column};
}

const std::string &UnitLines::file(size_t Number) const {
  static const std::string kUnknown;
  return Number < Files.size() ? Files[Number] : kUnknown;
}

void LineReader::endSession() {
  if (Session)
    dwarf_end(Session);
  Session = nullptr;
}

const UnitLines &LineReader::of(Dwarf_Die Unit) {
  if (const UnitLines *Known = Units.find(Unit.cu))
    return *Known;
  std::map<Dwarf_Addr, Dwarf_Addr> Code;
  Dwarf_Addr Base = 0, Start = 0, End = 0;
  for (ptrdiff_t At = 0;
       (At = dwarf_ranges(&Unit, At, &Base, &Start, &End)) > 0;)
    if (Start > 1 && Start < End) // linkers put discarded code at 0 or 1
      Code[Start] = std::max(Code[Start], End);
  // libdw frees a unit's lines only when their session ends. For a program with
  // 109 MB of debug information, short sessions took a report's heap from 359
  // to 186 MiB.
  constexpr unsigned kMostUses = 8;
  Elf *Of = dwarf_getelf(dwarf_cu_getdwarf(Unit.cu));
  if (Of != File || Uses == kMostUses)
    endSession();
  if (!Session) {
    Session = dwarf_begin_elf(Of, DWARF_C_READ, nullptr);
    File = Of;
    Uses = 0;
  }
  ++Uses;
  Dwarf_Die Same;
  if (Session && dwarf_offdie(Session, dwarf_dieoffset(&Unit), &Same)) {
    UnitLines Read(Same, Code);
    if (!Read.empty())
      return Units.get(Unit.cu, std::move(Read)).first;
  }
  // A unit of a .dwo file may need its skeleton, which only its own session
  // has.
  return Units.get(Unit.cu, Unit, Code).first;
}

} // namespace inmem::debuginfo

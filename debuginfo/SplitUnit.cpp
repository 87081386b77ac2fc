//===- SplitUnit.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/SplitUnit.h"

#include "debuginfo/UnitBytes.h"

#include <algorithm>
#include <cstring>
#include <dwarf.h>
#include <elf.h>
#include <set>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace inmem::debuginfo {

namespace {

using enum SplitPackage::Part;
using Bytes = SplitPackage::Bytes;
using Buffer = std::vector<unsigned char>;

void append(Buffer &To, Bytes Data) {
  To.insert(To.end(), Data.begin(), Data.end());
}
void put(Buffer &To, size_t At, uint32_t Number) {
  std::memcpy(&To[At], &Number, sizeof Number);
}

/// Collects the sections of a .dwo file.
class Builder {
public:
  explicit Builder(const SplitPackage &Of) : Package(Of) {}

  /// \returns false if the data is damaged
  bool add(const SplitPackage::Row &Unit) {
    IsOld = Unit.Version == 2;
    append(Locations, Unit.Parts[kLocations]);
    append(Ranges, Unit.Parts[kRanges]);
    append(Lines, Unit.Parts[kLines]);
    append(Abbreviations, Unit.Parts[kAbbreviations]);
    Own = Unit.Parts[kAbbreviations].data();
    addStrings(Unit.Parts[kStringOffsets]);
    if (!addUnit(Unit, Info))
      return false;
    while (!Wanted.empty()) {
      const uint64_t Signature = *Wanted.begin();
      Wanted.erase(Wanted.begin());
      if (!Added.insert(Signature).second)
        continue;
      if (const auto *Row = Package.types(Signature);
          Row && !addUnit(*Row, IsOld ? Types : Info))
        return false;
    }
    return true;
  }

  int write() const;

private:
  bool addUnit(const SplitPackage::Row &Row, Buffer &Into);
  uint32_t addStrings(Bytes Offsets);
  uint32_t abbreviationsOf(const SplitPackage::Row &Row, const UnitBytes &Unit);

  const SplitPackage &Package;
  bool IsOld = false;
  const unsigned char *Own = nullptr; ///< abbreviations of the first unit
  Buffer Info, Types, Abbreviations, StringOffsets, Strings, Locations, Ranges,
      Lines;
  std::unordered_map<uint32_t, uint32_t> KnownStrings; ///< new offsets by old
  std::map<const unsigned char *, uint32_t> Bases;     ///< string offset bases
  std::map<std::tuple<const unsigned char *, uint64_t, uint64_t>, uint32_t>
      Tables; ///< offsets of copied abbreviation tables
  std::set<uint64_t> Wanted, Added;
};

/// Copies the offsets of strings, and the strings. \returns the position of the
/// first offset
uint32_t Builder::addStrings(Bytes Offsets) {
  const auto [Known, New] = Bases.try_emplace(Offsets.data());
  if (!New)
    return Known->second;
  const size_t Header = IsOld ? 0 : 8;
  const size_t Start = StringOffsets.size();
  const Bytes All = Package.strings();
  append(StringOffsets, Offsets);
  for (size_t At = Start + Header; At + 4 <= StringOffsets.size(); At += 4) {
    uint32_t Old = 0;
    std::memcpy(&Old, &StringOffsets[At], sizeof Old);
    const auto [To, IsNew] =
        KnownStrings.try_emplace(Old, static_cast<uint32_t>(Strings.size()));
    if (IsNew) {
      const Bytes Rest = Old < All.size() ? All.subspan(Old) : Bytes();
      const auto End = std::ranges::find(Rest, 0);
      Strings.insert(Strings.end(), Rest.begin(), End);
      Strings.push_back(0);
    }
    put(StringOffsets, At, To->second);
  }
  return Known->second = static_cast<uint32_t>(Start + Header);
}

/// The offset of a unit's abbreviations. If the unit is not of the first unit's
/// file, its first entry gets the offset of its strings.
uint32_t Builder::abbreviationsOf(const SplitPackage::Row &Row,
                                  const UnitBytes &Unit) {
  const Bytes All = Row.Parts[kAbbreviations];
  if (All.data() == Own)
    return static_cast<uint32_t>(Unit.abbreviationsAt());
  const auto [Known, New] =
      Tables.try_emplace({All.data(), Unit.abbreviationsAt(), Unit.rootCode()});
  if (!New)
    return Known->second;
  Known->second = static_cast<uint32_t>(Abbreviations.size());
  const uint32_t Base = addStrings(Row.Parts[kStringOffsets]);
  append(Abbreviations, Unit.abbreviationsWith(DW_AT_str_offsets_base, Base));
  return Known->second;
}

bool Builder::addUnit(const SplitPackage::Row &Row, Buffer &Into) {
  UnitBytes Unit(Row.Parts[kUnit], Row.Parts[kAbbreviations]);
  if (!Unit.read(IsOld && &Into == &Types, Wanted))
    return false;
  const size_t Start = Into.size();
  append(Into, Row.Parts[kUnit]);
  put(Into, Start + Unit.abbreviationsField(), abbreviationsOf(Row, Unit));
  return true;
}

int Builder::write() const {
  const std::pair<const char *, const Buffer *> Sections[] = {
      {".debug_info.dwo", &Info},
      {".debug_types.dwo", &Types},
      {".debug_abbrev.dwo", &Abbreviations},
      {".debug_str_offsets.dwo", &StringOffsets},
      {".debug_str.dwo", &Strings},
      {IsOld ? ".debug_loc.dwo" : ".debug_loclists.dwo", &Locations},
      {".debug_rnglists.dwo", &Ranges},
      {".debug_line.dwo", &Lines}};
  Elf64_Ehdr Elf = {};
  std::memcpy(Elf.e_ident, ELFMAG, SELFMAG);
  Elf.e_ident[EI_CLASS] = ELFCLASS64;
  Elf.e_ident[EI_DATA] = ELFDATA2LSB;
  Elf.e_ident[EI_VERSION] = EV_CURRENT;
  Elf.e_type = ET_REL;
  Elf.e_machine = EM_X86_64; // the value does not matter
  Elf.e_version = EV_CURRENT;
  Elf.e_ehsize = sizeof Elf;
  Elf.e_shentsize = sizeof(Elf64_Shdr);
  Buffer Out(sizeof Elf), Names(1);
  std::vector<Elf64_Shdr> Headers(1);
  const auto Add = [&](const char *Name, uint32_t Type, const Buffer &Data) {
    Elf64_Shdr H = {};
    H.sh_name = static_cast<uint32_t>(Names.size());
    H.sh_type = Type;
    H.sh_offset = Out.size();
    H.sh_addralign = 1;
    append(Names, {reinterpret_cast<const unsigned char *>(Name),
                   std::strlen(Name) + 1});
    const Buffer &Is = Type == SHT_STRTAB ? Names : Data;
    H.sh_size = Is.size();
    append(Out, Is);
    Headers.push_back(H);
  };
  for (const auto &[Name, Data] : Sections)
    if (!Data->empty())
      Add(Name, SHT_PROGBITS, *Data);
  Add(".shstrtab", SHT_STRTAB, {});
  Out.resize((Out.size() + 7) / 8 * 8);
  Elf.e_shoff = Out.size();
  Elf.e_shnum = static_cast<uint16_t>(Headers.size());
  Elf.e_shstrndx = static_cast<uint16_t>(Headers.size() - 1);
  append(Out, {reinterpret_cast<const unsigned char *>(Headers.data()),
               Headers.size() * sizeof(Elf64_Shdr)});
  std::memcpy(Out.data(), &Elf, sizeof Elf);
  const int Fd = memfd_create("inmem-dwo", MFD_CLOEXEC);
  for (size_t At = 0; Fd >= 0 && At < Out.size();) {
    const ssize_t Written = ::write(Fd, &Out[At], Out.size() - At);
    if (Written <= 0) {
      close(Fd);
      return -1;
    }
    At += static_cast<size_t>(Written);
  }
  return Fd;
}

} // namespace

int splitUnit(const SplitPackage &Package, const SplitPackage::Row &Of) {
  Builder One(Package);
  return One.add(Of) ? One.write() : -1;
}

} // namespace inmem::debuginfo

//===- SplitPackage.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/SplitPackage.h"

#include "debuginfo/SplitUnit.h"
#include "debuginfo/ZstdSections.h"

#include <cstring>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace inmem::debuginfo {

namespace {

using Bytes = SplitPackage::Bytes;

template <class T> T numberAt(Bytes From, size_t At) {
  T Out;
  std::memcpy(&Out, &From[At], sizeof Out);
  return Out;
}

/// The part that a column of a table is for; none for other sections.
std::optional<unsigned> partOf(uint32_t Column, unsigned Version,
                               bool OfTypes) {
  using enum SplitPackage::Part;
  if (Version == 5)
    return Column < kParts && Column != 2 ? std::optional(Column)
                                          : std::nullopt;
  switch (Column) {
  case 1:
    return OfTypes ? std::nullopt : std::optional<unsigned>(kUnit);
  case 2:
    return OfTypes ? std::optional<unsigned>(kUnit) : std::nullopt;
  case 3:
  case 4:
  case 5:
  case 6:
    return Column;
  default:
    return std::nullopt; // macros
  }
}

const char *nameOf(unsigned Part, unsigned Version, bool OfTypes) {
  using enum SplitPackage::Part;
  switch (Part) {
  case kUnit:
    return OfTypes && Version == 2 ? ".debug_types.dwo" : ".debug_info.dwo";
  case kAbbreviations:
    return ".debug_abbrev.dwo";
  case kLines:
    return ".debug_line.dwo";
  case kLocations:
    return Version == 2 ? ".debug_loc.dwo" : ".debug_loclists.dwo";
  case kStringOffsets:
    return ".debug_str_offsets.dwo";
  case kRanges:
    return ".debug_rnglists.dwo";
  default:
    return ".debug_macro.dwo";
  }
}

} // namespace

SplitPackage::~SplitPackage() {
  elf_end(File);
  if (Fd >= 0)
    close(Fd);
}

/// The data of all sections of that name, decompressed.
std::vector<Bytes> SplitPackage::sections(std::string_view Name) {
  std::vector<Bytes> Out;
  size_t Names = 0;
  if (elf_getshdrstrndx(File, &Names) != 0)
    return Out;
  for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
    GElf_Shdr Header;
    const char *Own = gelf_getshdr(S, &Header)
                          ? elf_strptr(File, Names, Header.sh_name)
                          : nullptr;
    if (!Own || Name != Own)
      continue;
    if (Header.sh_offset > FileSize ||
        Header.sh_size > FileSize - Header.sh_offset) {
      Damage = std::string(Name) + " ends at byte " +
               std::to_string(Header.sh_offset + Header.sh_size) +
               ", the file at " + std::to_string(FileSize);
      return {};
    }
    if (Header.sh_flags & SHF_COMPRESSED)
      elf_compress(S, 0, 0);
    const Elf_Data *Data = elf_getdata(S, nullptr);
    if (Data && Data->d_buf)
      Out.emplace_back(static_cast<const unsigned char *>(Data->d_buf),
                       Data->d_size);
    else if (Header.sh_size != 0)
      Damage = std::string(Name) + " cannot be read";
  }
  return Out;
}

/// The first section of that name; empty if there is none.
Bytes SplitPackage::section(std::string_view Name) {
  const std::vector<Bytes> All = sections(Name);
  return All.empty() ? Bytes() : All.front();
}

/// \returns false, and sets Damage, if the data is not a table or refers to
/// parts that the file lacks
bool SplitPackage::readTable(Bytes Table, bool OfTypes,
                             std::map<uint64_t, Row> &Out) {
  constexpr size_t kHeader = 16;
  const char *Name = OfTypes ? ".debug_tu_index" : ".debug_cu_index";
  if (Table.empty())
    return Damage.empty();
  const auto Bad = [&](const std::string &What) {
    if (Damage.empty())
      Damage = std::string(Name) + What;
    return false;
  };
  if (Table.size() < kHeader)
    return Bad(" is too short");
  const unsigned Version = numberAt<uint16_t>(Table, 0);
  const uint64_t Columns = numberAt<uint32_t>(Table, 4),
                 Rows = numberAt<uint32_t>(Table, 8),
                 Slots = numberAt<uint32_t>(Table, 12);
  if (Version != 2 && Version != 5)
    return Bad(" has version " + std::to_string(Version) +
               ", and 2 and 5 are known");
  if (Columns > 64 || Rows > Slots ||
      Table.size() < kHeader + Slots * 12 + (2 * Rows + 1) * Columns * 4)
    return Bad(" ends before its last row");
  const size_t Numbers = kHeader + Slots * 8, Heads = Numbers + Slots * 4,
               Starts = Heads + Columns * 4,
               Sizes = Starts + Rows * Columns * 4;
  std::array<Bytes, kParts> Sections;
  for (uint64_t C = 0; C < Columns; ++C)
    if (const auto Part =
            partOf(numberAt<uint32_t>(Table, Heads + C * 4), Version, OfTypes))
      Sections[*Part] = section(nameOf(*Part, Version, OfTypes));
  if (!Damage.empty())
    return false;
  for (uint64_t Slot = 0; Slot < Slots; ++Slot) {
    const uint32_t Number = numberAt<uint32_t>(Table, Numbers + Slot * 4);
    if (Number == 0)
      continue;
    if (Number > Rows)
      return Bad(" has no row " + std::to_string(Number));
    Row New;
    New.Version = Version;
    for (uint64_t C = 0; C < Columns; ++C) {
      const auto Part =
          partOf(numberAt<uint32_t>(Table, Heads + C * 4), Version, OfTypes);
      const size_t Cell = ((Number - 1) * Columns + C) * 4;
      const uint64_t Start = numberAt<uint32_t>(Table, Starts + Cell),
                     Size = numberAt<uint32_t>(Table, Sizes + Cell);
      if (!Part || Size == 0)
        continue;
      const Bytes Whole = Sections[*Part];
      if (Start > Whole.size() || Size > Whole.size() - Start)
        return Bad(" refers to byte " + std::to_string(Start + Size) + " of " +
                   nameOf(*Part, Version, OfTypes) + ", which has " +
                   std::to_string(Whole.size()));
      New.Parts[*Part] = Whole.subspan(Start, Size);
    }
    Out.emplace(numberAt<uint64_t>(Table, kHeader + Slot * 8), New);
  }
  return true;
}

/// A package without units; null if the file is not a complete ELF file.
std::unique_ptr<SplitPackage> SplitPackage::begin(int Fd) {
  std::unique_ptr<SplitPackage> Out(new SplitPackage);
  Out->Fd = Fd;
  if (const int Plain = withoutZstd(Fd); Plain >= 0) {
    close(Fd);
    Out->Fd = Plain;
  }
  struct stat Status;
  if (fstat(Out->Fd, &Status) != 0 || !S_ISREG(Status.st_mode))
    return nullptr;
  Out->FileSize = static_cast<uint64_t>(Status.st_size);
  elf_version(EV_CURRENT);
  Out->File = elf_begin(Out->Fd, ELF_C_READ_MMAP_PRIVATE, nullptr);
  size_t Sections = 0;
  if (!Out->File || elf_kind(Out->File) != ELF_K_ELF ||
      elf_getshdrnum(Out->File, &Sections) != 0 || Sections < 2)
    return nullptr;
  Out->Strings = Out->section(".debug_str.dwo");
  return Out;
}

std::unique_ptr<SplitPackage> SplitPackage::open(const std::string &Path,
                                                 std::string &Problem) {
  const int Fd = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return nullptr;
  std::unique_ptr<SplitPackage> Out = begin(Fd);
  if (!Out) {
    Problem = Path + ": not a whole ELF file";
    return nullptr;
  }
  const bool Read =
      Out->Damage.empty() &&
      Out->readTable(Out->section(".debug_cu_index"), false, Out->Units) &&
      Out->readTable(Out->section(".debug_tu_index"), true, Out->Types);
  if (!Read || Out->Units.empty()) {
    Problem =
        Path + ": " +
        (Out->Damage.empty() ? "no units in .debug_cu_index" : Out->Damage);
    return nullptr;
  }
  return Out;
}

/// Adds the units of a .dwo file. \param OfTypes those of .debug_types
bool SplitPackage::readUnits(bool OfTypes) {
  constexpr unsigned char kSplitCompile = 5, kSplitType = 6; // DW_UT_…
  // Each type unit has its own section.
  for (Bytes All : sections(nameOf(kUnit, OfTypes ? 2 : 5, OfTypes)))
    while (!All.empty()) {
      constexpr size_t kHeader = 24;
      if (All.size() < kHeader)
        return false;
      const uint64_t Size = 4 + uint64_t{numberAt<uint32_t>(All, 0)};
      const unsigned Version = numberAt<uint16_t>(All, 4);
      if (Size < kHeader || Size > All.size() || (Version != 4 && Version != 5))
        return false;
      Row New;
      New.Version = Version == 5 ? 5 : 2;
      for (unsigned Part = kAbbreviations; Part < kParts; ++Part)
        if (Part != kMacros)
          New.Parts[Part] = section(nameOf(Part, New.Version, OfTypes));
      New.Parts[kUnit] = All.first(Size);
      const bool HasKind = Version == 5;
      const bool IsType = HasKind ? All[6] == kSplitType : OfTypes;
      if (HasKind && !IsType && All[6] != kSplitCompile)
        return false;
      // The signature or identifier. Version 4 has the identifier in an
      // attribute.
      const uint64_t Id =
          HasKind || IsType ? numberAt<uint64_t>(All, HasKind ? 12 : 11) : 0;
      (IsType ? Types : Units).emplace(Id, New);
      All = All.subspan(Size);
    }
  return true;
}

std::unique_ptr<SplitPackage> SplitPackage::ofUnits(int Fd) {
  std::unique_ptr<SplitPackage> Out = begin(Fd);
  if (!Out || !Out->readUnits(false) || !Out->readUnits(true) ||
      !Out->Damage.empty() || Out->Units.size() != 1 || Out->Types.empty())
    return nullptr;
  Out->IsOneUnit = true;
  return Out;
}

const SplitPackage::Row *SplitPackage::rowOf(uint64_t Id) const {
  const auto At = Units.find(IsOneUnit ? Units.begin()->first : Id);
  return At == Units.end() ? nullptr : &At->second;
}

const SplitPackage::Row *SplitPackage::types(uint64_t Signature) const {
  const auto At = Types.find(Signature);
  return At == Types.end() ? nullptr : &At->second;
}

int SplitPackage::unit(uint64_t Id) const {
  const Row *Of = rowOf(Id);
  return Of ? splitUnit(*this, *Of) : -1;
}

} // namespace inmem::debuginfo

//===- SplitFiles.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/SplitFiles.h"

#include "debuginfo/ElfCopy.h"
#include "debuginfo/ZstdSections.h"

#include <cstring>
#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <unistd.h>

namespace inmem::debuginfo {

namespace {

/// Calls \p Do with each skeleton unit, its first entry and its identifier.
template <class Function> void forSkeletons(Dwarf *In, Function Do) {
  Dwarf_CU *Unit = nullptr;
  Dwarf_Half Version = 0;
  uint8_t Type = 0;
  Dwarf_Die First;
  while (dwarf_get_units(In, Unit, &Unit, &Version, &Type, &First, nullptr) ==
         0) {
    uint64_t Id = 0;
    if (Type == DW_UT_skeleton &&
        dwarf_cu_info(Unit, nullptr, nullptr, nullptr, nullptr, &Id, nullptr,
                      nullptr) == 0)
      Do(First, Id);
  }
}

/// True if the file has a table of addresses, as every program with skeletons
/// does.
bool hasAddressTable(Elf *File) {
  size_t Names = 0;
  bool Out = false;
  if (File && elf_getshdrstrndx(File, &Names) == 0)
    for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
      GElf_Shdr H;
      const char *Name =
          gelf_getshdr(S, &H) ? elf_strptr(File, Names, H.sh_name) : nullptr;
      Out |= Name && std::strcmp(Name, ".debug_addr") == 0;
    }
  return Out;
}

Dwarf_Attribute *nameOf(Dwarf_Die &Skeleton, Dwarf_Attribute &Into) {
  Dwarf_Attribute *Out = dwarf_attr(&Skeleton, DW_AT_dwo_name, &Into);
  return Out ? Out : dwarf_attr(&Skeleton, DW_AT_GNU_dwo_name, &Into);
}

std::string textOf(Dwarf_Attribute *Of) {
  const char *Text = Of ? dwarf_formstring(Of) : nullptr;
  return Text ? Text : "";
}

/// Changes names of .dwo files in a copy of a file.
class Renamer {
public:
  Renamer(ElfCopy &Of, std::string To) : File(Of), Name(std::move(To)) {}

  /// \returns false if it has no room for the name
  bool rename(Dwarf_Die Skeleton) {
    Dwarf_Attribute Attribute;
    if (!nameOf(Skeleton, Attribute))
      return false;
    uint8_t Width = 4;
    dwarf_cu_info(Skeleton.cu, nullptr, nullptr, nullptr, nullptr, nullptr,
                  nullptr, &Width);
    switch (Attribute.form) {
    case DW_FORM_string:
      return write(Attribute);
    case DW_FORM_strp:
      return File.put(".debug_info", Attribute.valp, Width,
                      textIn(".debug_str"));
    case DW_FORM_line_strp:
      return File.put(".debug_info", Attribute.valp, Width,
                      textIn(".debug_line_str"));
    default:
      return putIndexed(Skeleton, Attribute, Width);
    }
  }

private:
  /// The offset of the name in a section of strings.
  uint64_t textIn(const char *Section) {
    const auto [At, New] = Places.try_emplace(Section);
    if (New)
      At->second = File.append(Section, Name);
    return At->second;
  }

  /// A name in the unit itself: slashes make it as long as the old one.
  bool write(const Dwarf_Attribute &Of) {
    const size_t Length = std::strlen(reinterpret_cast<const char *>(Of.valp));
    if (Length < Name.size())
      return false;
    return File.put(".debug_info", Of.valp,
                    std::string(Length - Name.size(), '/') + Name);
  }

  /// A name by its number in the table of the unit's strings.
  bool putIndexed(Dwarf_Die Skeleton, const Dwarf_Attribute &Of,
                  uint8_t Width) {
    uint64_t Index = 0;
    const unsigned char *At = Of.valp;
    switch (Of.form) {
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
      std::memcpy(&Index, At, Of.form - DW_FORM_strx1 + 1u); // little-endian
      break;
    case DW_FORM_strx:
      for (unsigned Shift = 0; Shift < 63; Shift += 7) {
        Index |= uint64_t{*At & 0x7fu} << Shift;
        if (!(*At++ & 0x80))
          break;
      }
      break;
    default:
      return false;
    }
    Dwarf_Attribute Attribute;
    Dwarf_Word Base = 0;
    if (!dwarf_attr(&Skeleton, DW_AT_str_offsets_base, &Attribute) ||
        dwarf_formudata(&Attribute, &Base) != 0)
      Base = Width == 8 ? 16 : 8;
    return File.put(".debug_str_offsets", Base + Index * Width, Width,
                    textIn(".debug_str"));
  }

  ElfCopy &File;
  std::string Name;
  std::map<std::string, uint64_t> Places;
};

} // namespace

SplitFiles::~SplitFiles() {
  for (const int Fd : {Slot, Empty})
    if (Fd >= 0)
      close(Fd);
}

/// A unit's file, in a form that libdw reads; -1 if there is none. \param
/// Changed is set to whether the form differs from the file
int SplitFiles::openUnit(const Skeleton &Of, bool &Changed) const {
  const bool IsAbsolute = Of.Name.starts_with('/');
  Changed = false;
  for (const std::string &In : {Folder, Of.Folder}) {
    const std::string Path = IsAbsolute ? Of.Name : In + '/' + Of.Name;
    const int Fd = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
    if (Fd < 0)
      continue;
    int Other = -1;
    if (const auto Types = SplitPackage::ofUnits(dup(Fd)))
      Other = Types->unit(0);
    if (Other < 0)
      Other = withoutZstd(Fd);
    if (Other < 0)
      return Fd;
    close(Fd);
    Changed = true;
    return Other;
  }
  return -1;
}

/// True if there is a package, or a unit file that libdw cannot read.
bool SplitFiles::isNeeded(const std::vector<std::string> &Programs) {
  for (const std::string &Program : Programs) {
    std::string Problem;
    PackagePath = Program + ".dwp";
    Package = SplitPackage::open(PackagePath, Problem);
    if (!Problem.empty())
      Problems(Problem);
    if (Package)
      return true;
  }
  for (const auto &[Id, One] : Skeletons) {
    bool Changed = false;
    const int Fd = openUnit(One, Changed);
    if (Fd >= 0)
      close(Fd);
    if (Changed)
      return true;
  }
  return false;
}

int SplitFiles::prepare(Dwarf *Session, int Fd, const std::string &Path,
                        const std::vector<std::string> &Programs) {
  if (!hasAddressTable(dwarf_getelf(Session)))
    return -1;
  forSkeletons(Session, [&](Dwarf_Die &First, uint64_t Id) {
    Dwarf_Attribute Name, Directory;
    Skeletons[Id] = {textOf(nameOf(First, Name)),
                     textOf(dwarf_attr(&First, DW_AT_comp_dir, &Directory))};
  });
  Folder = Path.substr(0, Path.rfind('/') + 1) + '.';
  if (Skeletons.empty() || !isNeeded(Programs))
    return -1;
  Slot = memfd_create("inmem-dwo", MFD_CLOEXEC);
  Empty = memfd_create("inmem-dwo", MFD_CLOEXEC);
  if (Slot < 0 || Empty < 0)
    return -1;
  ElfCopy File(Session, Fd);
  // All skeletons name the same descriptor. attach() duplicates the file of one
  // unit onto it, just before libdw opens that unit.
  Renamer Names(File, "/proc/self/fd/" + std::to_string(Slot));
  forSkeletons(Session, [&](Dwarf_Die &First, uint64_t Id) {
    if (!Names.rename(First))
      Skeletons.erase(Id);
  });
  return File.write();
}

void SplitFiles::attach(Dwarf_Die Unit) {
  uint8_t Type = 0;
  uint64_t Id = 0;
  if (Slot < 0 ||
      dwarf_cu_info(Unit.cu, nullptr, &Type, nullptr, nullptr, &Id, nullptr,
                    nullptr) != 0 ||
      Type != DW_UT_skeleton || !Attached.insert(Id).second)
    return;
  int Fd = Package ? Package->unit(Id) : -1;
  if (Fd < 0 && Package && Package->has(Id))
    Problems(PackagePath + ": a unit cannot be read");
  const auto One = Skeletons.find(Id);
  bool Ignored = false;
  if (Fd < 0 && One != Skeletons.end())
    Fd = openUnit(One->second, Ignored);
  if (Fd < 0)
    return;
  Dwarf_Die Split;
  if (dup2(Fd, Slot) >= 0)
    dwarf_cu_info(Unit.cu, nullptr, nullptr, nullptr, &Split, nullptr, nullptr,
                  nullptr);
  close(Fd);
  // An empty file replaces it, so that libdw cannot read it for another unit.
  dup2(Empty, Slot);
}

} // namespace inmem::debuginfo

//===- TypeTable.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/TypeTable.h"

#include "inmem/type_table.h"

#include <cstring>
#include <gelf.h>

namespace inmem::debuginfo {

namespace {

std::string_view sectionNamed(Elf *File, std::string_view Wanted) {
  size_t Names = 0;
  if (!File || elf_getshdrstrndx(File, &Names) != 0)
    return {};
  for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
    GElf_Shdr Header;
    if (!gelf_getshdr(S, &Header) || Header.sh_type == SHT_NOBITS)
      continue;
    const char *Name = elf_strptr(File, Names, Header.sh_name);
    const Elf_Data *Data = elf_rawdata(S, nullptr);
    if (Name && Wanted == Name && Data && Data->d_buf)
      return {static_cast<const char *>(Data->d_buf), Data->d_size};
  }
  return {};
}

/// The text at \p Offset, or empty.
std::string_view textAt(std::string_view Names, uint32_t Offset) {
  if (Offset >= Names.size())
    return {};
  const std::string_view Rest = Names.substr(Offset);
  const size_t End = Rest.find('\0');
  return End == std::string_view::npos ? std::string_view()
                                       : Rest.substr(0, End);
}

} // namespace

TypeTable::TypeTable(ProgramFile &Of) {
  std::string_view Rest = sectionNamed(Of.elf(), INMEM_SECTION_TYPE_TABLE);
  const std::string_view Names =
      sectionNamed(Of.elf(), INMEM_SECTION_TYPE_NAMES);
  inmem_typed_call Call;
  for (; Rest.size() >= sizeof Call; Rest.remove_prefix(sizeof Call)) {
    std::memcpy(&Call, Rest.data(), sizeof Call);
    if (Call.return_address == 0)
      continue; // the linker dropped this code
    Entry New;
    New.Type = textAt(Names, Call.type);
    New.File = textAt(Names, Call.file);
    New.Size = Call.size;
    New.Line = Call.line;
    New.IsPassed = Call.flags & INMEM_TYPED_CALL_PASSED;
    New.MayAllocate = Call.flags & INMEM_TYPED_CALL_MAY;
    const auto [At, IsNew] = Entries.try_emplace(Call.return_address, New);
    // Several functions share one body.
    if (!IsNew && At->second.Type != New.Type)
      At->second = {};
  }
}

const TypeTable::Entry *TypeTable::find(uint64_t Address) const {
  const auto At = Entries.find(Address);
  return At == Entries.end() ||
                 (At->second.Type.empty() && !At->second.IsPassed)
             ? nullptr
             : &At->second;
}

} // namespace inmem::debuginfo

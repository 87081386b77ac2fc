//===- ElfFile.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/ElfFile.h"

#include "platform/Mappings.h"

#include <string.h>

namespace inmem::rt {

ElfFile::ElfFile(const char *Path) : Fd(openForReading(Path)) {
  if (Fd < 0 || !read(0, &Header, sizeof Header) ||
      memcmp(Header.e_ident, ELFMAG, SELFMAG) != 0 ||
      Header.e_ident[EI_CLASS] != ELFCLASS64 ||
      Header.e_shentsize != sizeof(ElfW(Shdr)) ||
      Header.e_phentsize != sizeof(ElfW(Phdr)))
    Good = false;
}

bool ElfFile::isBuildOf(const uint8_t *BuildId, uint32_t Bytes) const {
  if (Bytes == 0)
    return true;
  for (unsigned I = 0; I < segments(); ++I) {
    ElfW(Phdr) P;
    if (!segment(I, P))
      return false;
    if (P.p_type != PT_NOTE)
      continue;
    for (uint64_t At = P.p_offset, End = At + P.p_filesz; At < End;) {
      struct {
        ElfW(Nhdr) Note;
        char Name[4];
      } N;
      if (!read(At, &N, sizeof N))
        break;
      uint64_t Data = At + sizeof N.Note + roundUp(N.Note.n_namesz, 4);
      uint8_t Id[32];
      if (N.Note.n_type == NT_GNU_BUILD_ID && N.Note.n_namesz == 4 &&
          memcmp(N.Name, "GNU", 4) == 0)
        return N.Note.n_descsz == Bytes && Bytes <= sizeof Id &&
               read(Data, Id, Bytes) && memcmp(Id, BuildId, Bytes) == 0;
      At = Data + roundUp(N.Note.n_descsz, 4);
    }
  }
  return false;
}

bool ElfFile::findSymbols(ElfW(Word) Table, ElfW(Shdr) & Symbols,
                          ElfW(Shdr) & Strings) const {
  for (unsigned I = 0; I < sections(); ++I)
    if (section(I, Symbols) && Symbols.sh_type == Table)
      return Symbols.sh_entsize == sizeof(ElfW(Sym)) &&
             section(Symbols.sh_link, Strings);
  return false;
}

bool ElfFile::findSection(const char *Name, ElfW(Shdr) & Into) const {
  char Found[32];
  const size_t Bytes = strlen(Name) + 1;
  ElfW(Shdr) Names;
  if (Bytes > sizeof Found || !section(Header.e_shstrndx, Names))
    return false;
  for (unsigned I = 0; I < sections(); ++I)
    if (section(I, Into) &&
        read(Names.sh_offset + Into.sh_name, Found, Bytes) &&
        memcmp(Found, Name, Bytes) == 0)
      return true;
  return false;
}

} // namespace inmem::rt

//===- ElfFile.h - An ELF file as it is on disk -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ELF file on disk. It is read, not mapped, because it may shrink. Nothing
// is allocated or locked.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_ELFFILE_H
#define INMEM_RUNTIME_ELFFILE_H

#include "platform/Files.h"

#include <elf.h>
#include <link.h>

namespace inmem::rt {

class ElfFile {
public:
  explicit ElfFile(const char *Path);
  ~ElfFile() {
    if (Fd >= 0)
      closeFile(Fd);
  }
  ElfFile(const ElfFile &) = delete;
  ElfFile &operator=(const ElfFile &) = delete;

  bool isGood() const { return Good; }
  int descriptor() const { return Fd; }
  bool read(uint64_t At, void *To, size_t Bytes) const {
    return readAt(Fd, To, Bytes, At) == static_cast<long>(Bytes);
  }
  /// True if its build id shows that it is the build that was loaded.
  bool isBuildOf(const uint8_t *BuildId, uint32_t Bytes) const;

  unsigned segments() const { return Header.e_phnum; }
  bool segment(unsigned I, ElfW(Phdr) & Into) const {
    return I < Header.e_phnum &&
           read(Header.e_phoff + I * sizeof Into, &Into, sizeof Into);
  }
  unsigned sections() const { return Header.e_shnum; }
  bool section(unsigned I, ElfW(Shdr) & Into) const {
    return I < Header.e_shnum &&
           read(Header.e_shoff + I * sizeof Into, &Into, sizeof Into);
  }
  /// The symbol table (SHT_SYMTAB or SHT_DYNSYM) and its string table.
  bool findSymbols(ElfW(Word) Table, ElfW(Shdr) & Symbols,
                   ElfW(Shdr) & Strings) const;

  /// The section with that name, of at most 31 characters.
  bool findSection(const char *Name, ElfW(Shdr) & Into) const;

private:
  int Fd;
  bool Good = true;
  ElfW(Ehdr) Header;
};

} // namespace inmem::rt

#endif

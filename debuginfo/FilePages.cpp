//===- FilePages.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/FilePages.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <gelf.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace inmem::debuginfo {

bool releasePages(std::span<const char> Bytes) {
  const auto At = reinterpret_cast<uintptr_t>(Bytes.data());
  std::ifstream Maps("/proc/self/maps");
  for (std::string Line; std::getline(Maps, Line);) {
    // "start-end access offset device inode path". The program itself may be
    // loaded from the same file: those mappings begin elsewhere.
    uintptr_t Start = 0, End = 0;
    uint64_t Offset = 0, Inode = 0;
    char Dash = 0;
    std::string Access, Device;
    std::istringstream Fields(Line);
    Fields >> std::hex >> Start >> Dash >> End >> Access >> Offset >> Device >>
        std::dec >> Inode;
    if (!Fields || Start != At)
      continue;
    return Access.ends_with("-p") && Offset == 0 && Inode != 0 &&
           Bytes.size() <= End - Start &&
           madvise(const_cast<char *>(Bytes.data()), Bytes.size(),
                   MADV_DONTNEED) == 0;
  }
  return false;
}

void releasePagesOf(Elf *File) {
  size_t Size = 0;
  GElf_Ehdr Header;
  // libdwfl relocates objects in place.
  if (!gelf_getehdr(File, &Header) || Header.e_type == ET_REL)
    return;
  // libelf notes in section headers that a section is decompressed. They are
  // the last part of most files.
  const auto Page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const char *Start = elf_rawfile(File, &Size);
  Size = std::min<uint64_t>(Size, Header.e_shoff / Page * Page);
  if (Start && Size != 0)
    releasePages({Start, Size});
}

} // namespace inmem::debuginfo

//===- FilePages.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/FilePages.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <gelf.h>
#include <string>
#include <string_view>
#include <sys/mman.h>

namespace inmem::debuginfo {

bool releasePages(std::span<const char> Bytes) {
  const auto At = reinterpret_cast<uintptr_t>(Bytes.data());
  std::ifstream Maps("/proc/self/maps");
  for (std::string Line; std::getline(Maps, Line);) {
    // "start-end access offset device inode path". The program itself may be
    // loaded from the same file: those mappings begin elsewhere.
    uintptr_t Start = 0, End = 0;
    uint64_t Offset = 0, Inode = 0;
    char Access[5] = "";
    if (std::sscanf(Line.c_str(),
                    "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %*s %" SCNu64,
                    &Start, &End, Access, &Offset, &Inode) != 5 ||
        Start != At)
      continue;
    return std::string_view(Access).ends_with('p') && Access[2] != 'x' &&
           Offset == 0 && Inode != 0 && Bytes.size() <= End - Start &&
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
  if (const char *Start = elf_rawfile(File, &Size))
    releasePages({Start, Size});
}

} // namespace inmem::debuginfo

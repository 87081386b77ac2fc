//===- ElfCopy.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/ElfCopy.h"

#include <cstring>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

namespace inmem::debuginfo {

ElfCopy::Part *ElfCopy::find(const std::string &Section) {
  if (const auto Known = Parts.find(Section); Known != Parts.end())
    return &Known->second;
  Elf *File = dwarf_getelf(Session);
  size_t Names = 0;
  if (!File || elf_getshdrstrndx(File, &Names) != 0)
    return nullptr;
  for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
    GElf_Shdr H;
    const char *Name =
        gelf_getshdr(S, &H) ? elf_strptr(File, Names, H.sh_name) : nullptr;
    // The session has decompressed it.
    const Elf_Data *Data =
        Name && Section == Name ? elf_getdata(S, nullptr) : nullptr;
    if (!Data || !Data->d_buf)
      continue;
    const auto *Old = static_cast<const unsigned char *>(Data->d_buf);
    return &(Parts[Section] = {elf_ndxscn(S), Old, {Old, Old + Data->d_size}});
  }
  return nullptr;
}

bool ElfCopy::put(Part *In, uint64_t Offset, const void *Bytes, size_t Count) {
  if (!In || Offset > In->Bytes.size() || Count > In->Bytes.size() - Offset)
    return false;
  std::memcpy(&In->Bytes[Offset], Bytes, Count);
  return true;
}

bool ElfCopy::put(const std::string &Section, uint64_t Offset, unsigned Width,
                  uint64_t Number) {
  return put(find(Section), Offset, &Number, Width); // little-endian
}

bool ElfCopy::put(const std::string &Section, const unsigned char *At,
                  unsigned Width, uint64_t Number) {
  Part *In = find(Section);
  return In && put(In, static_cast<uint64_t>(At - In->Old), &Number, Width);
}

bool ElfCopy::put(const std::string &Section, const unsigned char *At,
                  const std::string &Text) {
  Part *In = find(Section);
  return In &&
         put(In, static_cast<uint64_t>(At - In->Old), Text.data(), Text.size());
}

uint64_t ElfCopy::append(const std::string &Section, const std::string &Text) {
  Part *In = find(Section);
  if (!In)
    return 0;
  const uint64_t Out = In->Bytes.size();
  In->Bytes.insert(In->Bytes.end(), Text.begin(), Text.end());
  In->Bytes.push_back(0);
  return Out;
}

int ElfCopy::write() {
  struct stat Status;
  Elf64_Ehdr Elf;
  if (fstat(Fd, &Status) != 0 ||
      pread(Fd, &Elf, sizeof Elf, 0) != static_cast<ssize_t>(sizeof Elf) ||
      Elf.e_ident[EI_CLASS] != ELFCLASS64 ||
      Elf.e_ident[EI_DATA] != ELFDATA2LSB)
    return -1;
  const int Out = memfd_create("inmem-debug", MFD_CLOEXEC);
  off_t End = 0;
  bool Good = Out >= 0;
  while (Good && End < Status.st_size)
    Good =
        sendfile(Out, Fd, &End, static_cast<size_t>(Status.st_size - End)) > 0;
  for (const auto &[Name, One] : Parts) {
    Elf64_Shdr H;
    const auto At =
        static_cast<off_t>(Elf.e_shoff + One.Index * sizeof(Elf64_Shdr));
    const auto Size = static_cast<ssize_t>(One.Bytes.size());
    Good = Good && pread(Out, &H, sizeof H, At) == sizeof H;
    if (!Good)
      break;
    H.sh_flags &= ~uint64_t{SHF_COMPRESSED};
    H.sh_offset = static_cast<uint64_t>(End);
    H.sh_size = One.Bytes.size();
    Good = pwrite(Out, One.Bytes.data(), One.Bytes.size(), End) == Size &&
           pwrite(Out, &H, sizeof H, At) == sizeof H;
    End += Size;
  }
  if (Good || Out < 0)
    return Out;
  close(Out);
  return -1;
}

} // namespace inmem::debuginfo

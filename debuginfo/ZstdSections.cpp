//===- ZstdSections.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/ZstdSections.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <span>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <zstd.h>

namespace inmem::debuginfo {

namespace {

constexpr uint32_t kZstd = 2; // ELFCOMPRESS_ZSTD, which older headers lack

/// A mapped part of a file.
struct Mapping {
  Mapping(int Fd, uint64_t Offset, uint64_t Bytes, int Protection)
      : Size(Bytes),
        Start(Bytes == 0 ? MAP_FAILED
                         : mmap(nullptr, Bytes, Protection, MAP_SHARED, Fd,
                                static_cast<off_t>(Offset))) {}
  ~Mapping() {
    if (Start != MAP_FAILED)
      munmap(Start, Size);
  }
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;

  std::span<unsigned char> bytes() const {
    return Start == MAP_FAILED
               ? std::span<unsigned char>()
               : std::span(static_cast<unsigned char *>(Start), Size);
  }

private:
  uint64_t Size;
  void *Start;
};

template <class T>
bool read(std::span<const unsigned char> Bytes, uint64_t At, T &Out) {
  if (At > Bytes.size() || Bytes.size() - At < sizeof Out)
    return false;
  std::memcpy(&Out, &Bytes[At], sizeof Out);
  return true;
}

struct Section {
  uint64_t HeaderAt; ///< offset in the file
  Elf64_Shdr Header;
  Elf64_Chdr Compression;
};

/// Sections that zstd compresses, if their data is in the file.
std::vector<Section> sectionsOfZstd(std::span<const unsigned char> File) {
  std::vector<Section> Out;
  Elf64_Ehdr Elf;
  Elf64_Shdr First;
  if (!read(File, 0, Elf) || std::memcmp(Elf.e_ident, ELFMAG, SELFMAG) != 0 ||
      Elf.e_ident[EI_CLASS] != ELFCLASS64 ||
      Elf.e_ident[EI_DATA] != ELFDATA2LSB || Elf.e_shentsize != sizeof First ||
      !read(File, Elf.e_shoff, First))
    return Out;
  const uint64_t Count = Elf.e_shnum ? Elf.e_shnum : First.sh_size;
  for (uint64_t I = 0; I < Count; ++I) {
    Section S{Elf.e_shoff + I * sizeof First, {}, {}};
    if (!read(File, S.HeaderAt, S.Header))
      break;
    const Elf64_Shdr &H = S.Header;
    if ((H.sh_flags & SHF_COMPRESSED) && H.sh_type != SHT_NOBITS &&
        H.sh_size > sizeof S.Compression && H.sh_offset <= File.size() &&
        H.sh_size <= File.size() - H.sh_offset &&
        read(File, H.sh_offset, S.Compression) &&
        S.Compression.ch_type == kZstd)
      Out.push_back(S);
  }
  return Out;
}

bool writeAll(int Fd, std::span<const unsigned char> Bytes, uint64_t At) {
  while (!Bytes.empty()) {
    const ssize_t Written =
        pwrite(Fd, Bytes.data(), Bytes.size(), static_cast<off_t>(At));
    if (Written <= 0)
      return false;
    Bytes = Bytes.subspan(static_cast<size_t>(Written));
    At += static_cast<uint64_t>(Written);
  }
  return true;
}

/// Appends a section's data to \p Copy, at \p End, and changes its header.
/// \returns false, and leaves the section, if the data is damaged
bool decompress(std::span<const unsigned char> File, Section S, int Copy,
                uint64_t &End) {
  constexpr uint64_t kLargest = uint64_t{1} << 34;
  const uint64_t Size = S.Compression.ch_size;
  const auto From = File.subspan(S.Header.sh_offset + sizeof S.Compression,
                                 S.Header.sh_size - sizeof S.Compression);
  if (Size == 0 || Size > kLargest ||
      ftruncate(Copy, static_cast<off_t>(End + Size)) != 0)
    return false;
  {
    const Mapping To(Copy, End, Size, PROT_READ | PROT_WRITE);
    if (To.bytes().empty() || ZSTD_decompress(To.bytes().data(), Size,
                                              From.data(), From.size()) != Size)
      return false;
  }
  S.Header.sh_flags &= ~uint64_t{SHF_COMPRESSED};
  S.Header.sh_offset = End;
  S.Header.sh_size = Size;
  S.Header.sh_addralign = S.Compression.ch_addralign;
  const auto *Bytes = reinterpret_cast<const unsigned char *>(&S.Header);
  if (!writeAll(Copy, {Bytes, sizeof S.Header}, S.HeaderAt))
    return false;
  End += Size;
  return true;
}

} // namespace

int withoutZstd(int Fd) {
  struct stat Status;
  if (fstat(Fd, &Status) != 0 || !S_ISREG(Status.st_mode))
    return -1;
  const Mapping File(Fd, 0, static_cast<uint64_t>(Status.st_size), PROT_READ);
  const auto Sections = sectionsOfZstd(File.bytes());
  if (Sections.empty())
    return -1;
  const int Copy = memfd_create("inmem-debug", MFD_CLOEXEC);
  if (Copy < 0)
    return -1;
  const auto Page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t End = File.bytes().size();
  bool Good = writeAll(Copy, File.bytes(), 0);
  for (const Section &S : Sections) {
    End = (End + Page - 1) / Page * Page;
    Good = Good && decompress(File.bytes(), S, Copy, End);
  }
  if (Good)
    return Copy;
  close(Copy);
  return -1;
}

} // namespace inmem::debuginfo

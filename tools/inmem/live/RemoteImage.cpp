//===- RemoteImage.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/RemoteImage.h"

#include "trace/format/AttachFormat.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <gelf.h>
#include <map>
#include <sstream>
#include <sys/uio.h>
#include <unistd.h>

namespace inmem::tools {

std::optional<std::vector<MemoryMapping>> mappingsOf(pid_t Pid) {
  std::ifstream Maps("/proc/" + std::to_string(Pid) + "/maps");
  if (!Maps || Maps.peek() == std::ifstream::traits_type::eof())
    return std::nullopt;
  std::vector<MemoryMapping> Out;
  for (std::string Line; std::getline(Maps, Line);) {
    std::istringstream Words(Line);
    MemoryMapping M;
    char Dash = 0;
    std::string Access, Device, Inode;
    Words >> std::hex >> M.Range.Start >> Dash >> M.Range.End >> Access >>
        M.Offset >> Device >> Inode;
    std::getline(Words >> std::ws, M.Path);
    M.IsCode = Access.find('x') != std::string::npos;
    Out.push_back(std::move(M));
  }
  return Out;
}

std::string_view RemoteImage::name() const {
  const std::string_view All = Path;
  return All.substr(All.rfind('/') + 1);
}

CodeRange RemoteImage::find(std::string_view Name) const {
  const auto Found = std::ranges::find(Exported, Name, &Symbol::Name);
  return Found == Exported.end() ? CodeRange{} : Found->Code;
}

namespace {

/// Adds the definitions in the dynamic symbol table, relative to \p Base.
void readExported(Elf *File, uint64_t Base,
                  std::vector<RemoteImage::Symbol> &Into) {
  for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
    GElf_Shdr Header;
    Elf_Data *Data = nullptr;
    if (!gelf_getshdr(S, &Header) || Header.sh_type != SHT_DYNSYM ||
        Header.sh_entsize == 0 || !(Data = elf_getdata(S, nullptr)))
      continue;
    for (size_t I = 1; I < Header.sh_size / Header.sh_entsize; ++I) {
      GElf_Sym Symbol;
      if (!gelf_getsym(Data, static_cast<int>(I), &Symbol) ||
          Symbol.st_shndx == SHN_UNDEF || Symbol.st_value == 0 ||
          GELF_ST_TYPE(Symbol.st_info) == STT_TLS)
        continue;
      if (const char *Name = elf_strptr(File, Header.sh_link, Symbol.st_name))
        Into.push_back({Name,
                        {Base + Symbol.st_value,
                         Base + Symbol.st_value + Symbol.st_size}});
    }
  }
}

/// The page address of the first segment, as in the file.
uint64_t firstAddress(Elf *File) {
  size_t Count = 0;
  if (elf_getphdrnum(File, &Count) == 0)
    for (size_t I = 0; I < Count; ++I) {
      GElf_Phdr P;
      constexpr uint64_t kPage = 4096;
      if (gelf_getphdr(File, static_cast<int>(I), &P) && P.p_type == PT_LOAD)
        return P.p_vaddr / kPage * kPage;
    }
  return 0;
}

void readSymbols(const std::string &Name, RemoteImage &Into) {
  elf_version(EV_CURRENT);
  const int Fd = open(Name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return;
  Elf *File = elf_begin(Fd, ELF_C_READ_MMAP, nullptr);
  if (File && elf_kind(File) == ELF_K_ELF)
    readExported(File, Into.Span.Start - firstAddress(File), Into.Exported);
  elf_end(File);
  close(Fd);
}

} // namespace

std::vector<RemoteImage> imagesOf(pid_t Pid,
                                  const std::vector<MemoryMapping> &Maps,
                                  const std::vector<RemoteImage> &Before) {
  std::vector<RemoteImage> Out;
  for (const MemoryMapping &M : Maps) {
    if (!M.Path.starts_with('/') && M.Path != "[vdso]")
      continue;
    const bool IsNew = Out.empty() || Out.back().Path != M.Path;
    if (IsNew && M.Offset != 0)
      continue; // a part of a data file
    if (IsNew)
      Out.push_back({M.Path, M.Range, {}, {}});
    Out.back().Span.End = M.Range.End;
    if (M.IsCode)
      Out.back().Code.push_back(M.Range);
  }
  std::erase_if(Out, [](const RemoteImage &I) { return I.Code.empty(); });
  const std::string Folder = "/proc/" + std::to_string(Pid);
  for (RemoteImage &I : Out) {
    const auto Is = std::ranges::find_if(Before, [&](const RemoteImage &B) {
      return B.Path == I.Path && B.Span.Start == I.Span.Start &&
             B.Span.End == I.Span.End;
    });
    if (Is != Before.end()) {
      I.Exported = Is->Exported;
      continue;
    }
    std::ostringstream Map;
    Map << Folder << "/map_files/" << std::hex << I.Span.Start << '-';
    for (const MemoryMapping &M : Maps)
      if (M.Range.Start == I.Span.Start)
        Map << M.Range.End;
    // The link to the mapping works even if the file was renamed or deleted,
    // but only some users may follow it.
    const std::string ByMap = Map.str();
    readSymbols(access(ByMap.c_str(), R_OK) == 0 ? ByMap
                                                 : Folder + "/root" + I.Path,
                I);
  }
  return Out;
}

size_t readMemory(pid_t Pid, uint64_t From, void *To, size_t Bytes) {
  constexpr size_t kPage = 4096, kMost = 512; // pieces per call
  size_t Done = 0;
  while (Done < Bytes) {
    // The call reads whole pieces. Use pages, so that it ends where the memory
    // does.
    std::vector<iovec> Remote;
    uint64_t At = From + Done;
    size_t Asked = 0;
    while (Done + Asked < Bytes && Remote.size() < kMost) {
      const size_t Piece =
          std::min<uint64_t>(kPage - At % kPage, Bytes - Done - Asked);
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      Remote.push_back({reinterpret_cast<void *>(At), Piece});
      At += Piece;
      Asked += Piece;
    }
    const iovec Local = {static_cast<char *>(To) + Done, Asked};
    const ssize_t Got =
        process_vm_readv(Pid, &Local, 1, Remote.data(), Remote.size(), 0);
    if (Got <= 0)
      break;
    Done += static_cast<size_t>(Got);
    if (static_cast<size_t>(Got) < Asked)
      break;
  }
  return Done;
}

bool isDetached(pid_t Pid) {
  const auto Maps = mappingsOf(Pid);
  for (const RemoteImage &I :
       Maps ? imagesOf(Pid, *Maps) : std::vector<RemoteImage>()) {
    const uint64_t At = I.find("__inmem_attachment").Start;
    trace::Attachment Is = {};
    if (At && readMemory(Pid, At, &Is, sizeof Is) == sizeof Is &&
        Is.Version == trace::kAttachVersion)
      return Is.State == trace::AttachState::Detached;
  }
  return false;
}

} // namespace inmem::tools

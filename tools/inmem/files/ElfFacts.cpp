//===- ElfFacts.cpp - Sections and needed libraries -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/ElfFacts.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <gelf.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; // NOLINT(readability-identifier-naming): POSIX's

namespace inmem::tools {

namespace {

void readDynamic(Elf *File, Elf_Scn *Section, const GElf_Shdr &Header,
                 ElfFacts &Into) {
  Elf_Data *Data = elf_getdata(Section, nullptr);
  if (!Data || Header.sh_entsize == 0)
    return;
  const size_t Count = Header.sh_size / Header.sh_entsize;
  for (size_t I = 0; I < Count; ++I) {
    GElf_Dyn Entry;
    if (!gelf_getdyn(Data, static_cast<int>(I), &Entry))
      return;
    if (Entry.d_tag != DT_NEEDED && Entry.d_tag != DT_SONAME)
      continue;
    const char *Name = elf_strptr(File, Header.sh_link, Entry.d_un.d_val);
    if (Name && std::string_view(Name).starts_with("libinmem_rt.so"))
      (Entry.d_tag == DT_NEEDED ? Into.NeedsRuntime : Into.HasRuntime) = true;
  }
}

/// Looks for the runtime's own functions.
void readSymbols(Elf *File, Elf_Scn *Section, const GElf_Shdr &Header,
                 ElfFacts &Into) {
  Elf_Data *Data = elf_getdata(Section, nullptr);
  if (!Data || Header.sh_entsize == 0)
    return;
  const size_t Count = Header.sh_size / Header.sh_entsize;
  for (size_t I = 0; I < Count && !Into.HasRuntime; ++I) {
    GElf_Sym Symbol;
    if (!gelf_getsym(Data, static_cast<int>(I), &Symbol))
      return;
    const char *Name = elf_strptr(File, Header.sh_link, Symbol.st_name);
    Into.HasRuntime = Symbol.st_shndx != SHN_UNDEF && Name &&
                      std::string_view(Name) == "__inmem_register_module";
  }
}

/// The machine that a file is for; 0 if it is not an ELF file.
uint16_t machineOf(const std::string &Path) {
  Elf64_Ehdr Head{};
  const int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool IsElf =
      Fd >= 0 && read(Fd, &Head, sizeof Head) == sizeof Head &&
      std::string_view(ELFMAG).compare(
          0, SELFMAG, reinterpret_cast<char *>(Head.e_ident), SELFMAG) == 0;
  if (Fd >= 0)
    close(Fd);
  return IsElf ? Head.e_machine : uint16_t{0};
}

/// The loader that lists a program's libraries; empty if unknown.
std::string loaderOf(const std::string &File) {
  std::string Loader = runnableOf(File).Loader;
  if (Loader == "/lib/ld-musl-x86_64.so.1" ||
      Loader == "/lib/ld-musl-aarch64.so.1")
    return Loader;
  return loaderFor(machineOf(File));
}

} // namespace

std::optional<ElfFacts> elfFacts(const std::string &Path) {
  elf_version(EV_CURRENT);
  const int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return std::nullopt;
  Elf *File = elf_begin(Fd, ELF_C_READ_MMAP, nullptr);
  GElf_Ehdr Head;
  std::optional<ElfFacts> Out;
  size_t Names = 0;
  if (File && elf_kind(File) == ELF_K_ELF && gelf_getehdr(File, &Head) &&
      (Head.e_type == ET_EXEC || Head.e_type == ET_DYN) &&
      elf_getshdrstrndx(File, &Names) == 0) {
    Out.emplace();
    Out->Static = true;
    Out->Machine = Head.e_machine;
    Out->Is64Bit = gelf_getclass(File) == ELFCLASS64;
    for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
      GElf_Shdr Header;
      if (!gelf_getshdr(S, &Header))
        continue;
      const char *Name = elf_strptr(File, Names, Header.sh_name);
      const std::string_view Section = Name ? Name : "";
      Out->Instrumented |= Section == "inmem_sites" ||
                           Section == "inmem_types" ||
                           Section == "inmem_objects";
      if (Section == ".interp")
        Out->Static = false;
      if (Header.sh_type == SHT_DYNAMIC)
        readDynamic(File, S, Header, *Out);
      if (Header.sh_type == SHT_DYNSYM || Header.sh_type == SHT_SYMTAB)
        readSymbols(File, S, Header, *Out);
    }
  }
  elf_end(File);
  close(Fd);
  return Out;
}

std::optional<std::vector<Loaded>> librariesOf(const std::string &Program) {
  // The loader only lists the libraries; it does not start the program.
  const std::string File =
      Program.find('/') == std::string::npos ? "./" + Program : Program;
  std::string Words[] = {loaderOf(File), "--list", File};
  char *Raw[] = {Words[0].data(), Words[1].data(), Words[2].data(), nullptr};
  int Pipe[2];
  if (Words[0].empty() || pipe2(Pipe, O_CLOEXEC) != 0)
    return std::nullopt;
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  posix_spawn_file_actions_adddup2(&Files, Pipe[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&Files, Pipe[1], STDERR_FILENO);
  pid_t Child = 0;
  const int Wrong = posix_spawn(&Child, Raw[0], &Files, nullptr, Raw, environ);
  posix_spawn_file_actions_destroy(&Files);
  close(Pipe[1]);
  std::FILE *From = fdopen(Pipe[0], "r");
  std::vector<Loaded> Out;
  char *Line = nullptr;
  size_t Room = 0;
  // `\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f…)`, or only the
  // path if the program names it that way.
  while (getline(&Line, &Room, From) > 0) {
    const std::string_view Text = Line;
    // A path that does not exist is an error, in the last line. musl prints
    // such a line for each library that it cannot find.
    constexpr std::string_view kLoading = "loading shared librar";
    if (size_t At = Text.find(kLoading); At != std::string_view::npos) {
      At = Text.find(' ', At + kLoading.size()) + 1;
      const std::string_view Rest = Text.substr(At);
      Out.push_back({std::string(Rest.substr(0, Rest.find(": "))), ""});
      continue;
    }
    const size_t Arrow = Text.find(" => ");
    const size_t Name = Text.find_first_not_of(" \t");
    if (Arrow == std::string_view::npos) {
      const size_t End = Text.rfind(" (");
      if (End != std::string_view::npos && Text[Name] == '/')
        Out.push_back({std::string(Text.substr(Name, End - Name)),
                       std::string(Text.substr(Name, End - Name))});
      continue;
    }
    const std::string_view Path = Text.substr(Arrow + 4);
    Out.push_back({std::string(Text.substr(Name, Arrow - Name)),
                   Path.starts_with("not found")
                       ? ""
                       : std::string(Path.substr(0, Path.rfind(" (")))});
  }
  std::free(Line);
  std::fclose(From);
  if (Wrong != 0)
    return std::nullopt;
  int Status = 0;
  waitpid(Child, &Status, 0);
  return Out;
}

} // namespace inmem::tools

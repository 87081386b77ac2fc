//===- Runnable.cpp - Which programs the runtime can be preloaded into ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/ElfFacts.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace inmem::tools {

namespace {

#ifdef __GLIBC__
constexpr bool kIsForMusl = false;
#else
constexpr bool kIsForMusl = true;
#endif

/// The file that execvp would run for \p Command; empty if there is none.
std::string findInPath(const std::string &Command) {
  if (Command.find('/') != std::string::npos)
    return Command;
  const char *Path = std::getenv("PATH");
  std::istringstream Folders(Path ? Path : "/bin:/usr/bin");
  for (std::string Folder; std::getline(Folders, Folder, ':');) {
    std::string Name = (Folder.empty() ? "." : Folder) + "/" + Command;
    if (access(Name.c_str(), X_OK) == 0)
      return Name;
  }
  return {};
}

/// The interpreter in "#!/bin/sh -e"; empty if \p Path is not a script.
std::string interpreterOf(const std::string &Path) {
  std::ifstream In(Path, std::ios::binary);
  std::string Line;
  if (!std::getline(In, Line) || Line.compare(0, 2, "#!") != 0)
    return {};
  const size_t Begin = Line.find_first_not_of(" \t", 2);
  return Begin == std::string::npos
             ? ""
             : Line.substr(Begin, Line.find_first_of(" \t", Begin) - Begin);
}

/// Reads the program headers of a 64-bit ELF file.
void readHeaders(std::ifstream &In, const Elf64_Ehdr &Header, Runnable &Out) {
  bool IsLinked = false; // to libraries; false for a static-pie
  for (unsigned I = 0; I < Header.e_phnum; ++I) {
    Elf64_Phdr P;
    In.seekg(static_cast<std::streamoff>(Header.e_phoff + I * sizeof P));
    if (!In.read(reinterpret_cast<char *>(&P), sizeof P))
      return;
    if (P.p_type != PT_INTERP || P.p_filesz == 0 || P.p_filesz > 4096)
      continue;
    IsLinked = true;
    Out.Loader.resize(P.p_filesz);
    In.seekg(static_cast<std::streamoff>(P.p_offset));
    if (!In.read(Out.Loader.data(),
                 static_cast<std::streamsize>(Out.Loader.size())))
      return;
    Out.Loader.resize(std::strlen(Out.Loader.c_str()));
  }
  const bool IsGlibc = Out.Loader.find("ld-linux") != std::string::npos;
  const bool IsMusl = Out.Loader.find("ld-musl") != std::string::npos;
  Out.What = !IsLinked              ? Runnable::Static
             : !IsGlibc && !IsMusl  ? Runnable::Unknown
             : IsMusl == kIsForMusl ? Runnable::OwnLoader
                                    : Runnable::OtherLoader;
}

} // namespace

Runnable runnableOf(const std::string &Command) {
  Runnable Out;
  Out.Path = findInPath(Command);
  if (std::string Other = interpreterOf(Out.Path); !Other.empty())
    Out.Path = Other;
  std::ifstream In(Out.Path, std::ios::binary);
  Elf64_Ehdr Header;
  if (In.read(reinterpret_cast<char *>(&Header), sizeof Header) &&
      std::memcmp(Header.e_ident, ELFMAG, SELFMAG) == 0 &&
      Header.e_ident[EI_CLASS] == ELFCLASS64 &&
      Header.e_phentsize == sizeof(Elf64_Phdr))
    readHeaders(In, Header, Out);
  return Out;
}

} // namespace inmem::tools

//===- ProgramFile.cpp - libdwfl ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/ProgramFile.h"

#include "debuginfo/FilePages.h"
#include "debuginfo/ZstdSections.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dwarf.h>
#include <fcntl.h>
#include <filesystem>
#include <gelf.h>
#include <unistd.h>
#include <utility>

namespace inmem::debuginfo {

namespace fs = std::filesystem;

namespace {

std::string hexOf(std::string_view Bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string Out;
  for (const char C : Bytes) {
    Out += kDigits[static_cast<unsigned char>(C) >> 4];
    Out += kDigits[static_cast<unsigned char>(C) & 15];
  }
  return Out;
}

/// The folder in which debuginfod clients keep files of the build \p Id, in
/// hexadecimal digits.
std::string fetchedFolder(const std::string &Id) {
  const auto Variable = [](const char *Name) {
    const char *Value = std::getenv(Name);
    return std::string(Value ? Value : "");
  };
  std::string Cache = Variable("DEBUGINFOD_CACHE_PATH");
  if (Cache.empty()) {
    const std::string Xdg = Variable("XDG_CACHE_HOME");
    Cache = (Xdg.empty() ? Variable("HOME") + "/.cache" : Xdg) +
            "/debuginfod_client";
  }
  return Cache + '/' + Id;
}

/// Other paths of a build's file or its debug information than the path it ran
/// from, best first: files that the user names, the system's tree, and files
/// that debuginfod clients have fetched.
std::vector<std::string> otherPaths(std::string_view BuildId,
                                    const std::vector<std::string> &Folders) {
  std::vector<std::string> Out;
  const std::string Id = hexOf(BuildId);
  if (Id.size() < 4)
    return Out;
  std::vector<std::string> Trees = Folders;
  Trees.emplace_back("/usr/lib/debug");
  for (const std::string &Tree : Trees) {
    const std::string Base =
        Tree + "/.build-id/" + Id.substr(0, 2) + '/' + Id.substr(2);
    Out.push_back(Base + ".debug");
    Out.push_back(Base);
  }
  Out.push_back(fetchedFolder(Id) + "/debuginfo");
  Out.push_back(fetchedFolder(Id) + "/executable");
  return Out;
}

/// libdwfl's search, then the files that debuginfod clients have fetched.
/// libdwfl's own client searches these only if DEBUGINFOD_URLS names a server.
int findDebugFileAsIs(Dwfl_Module *Module, void **UserData,
                      const char *ModuleName, Dwarf_Addr Base,
                      const char *FileName, const char *DebugLink,
                      GElf_Word Checksum, char **Found) {
  const int Fd = dwfl_standard_find_debuginfo(
      Module, UserData, ModuleName, Base, FileName, DebugLink, Checksum, Found);
  const unsigned char *Bits = nullptr;
  GElf_Addr IdAt = 0;
  const int Length = dwfl_module_build_id(Module, &Bits, &IdAt);
  if (Fd >= 0 || Length <= 0)
    return Fd;
  const std::string Path = fetchedFolder(hexOf(
      {reinterpret_cast<const char *>(Bits), static_cast<size_t>(Length)}));
  const std::string Fetched = Path + "/debuginfo";
  const int Own = ::open(Fetched.c_str(), O_RDONLY | O_CLOEXEC);
  if (Own >= 0)
    *Found = strdup(Fetched.c_str()); // libdwfl frees it
  return Own;
}

/// The file being opened, and the facts about its debug file. libdwfl searches
/// for that file itself, and its callbacks have no other argument.
struct Opening {
  std::string Path;
  /// A descriptor of the debug file in a form that libdw reads; -1 if it reads
  /// the file itself.
  int Readable = -1;
  bool IsFirst = true; ///< nothing was searched for in this session
};
Opening *Current = nullptr;

int findDebugFile(Dwfl_Module *Module, void **UserData, const char *ModuleName,
                  Dwarf_Addr Base, const char *FileName, const char *DebugLink,
                  GElf_Word Checksum, char **Found) {
  // A later search is for the file that dwz has moved entries to.
  const bool IsFirst = Current && std::exchange(Current->IsFirst, false);
  if (IsFirst && Current->Readable >= 0) // found and validated before
    return dup(Current->Readable);
  const int Fd = findDebugFileAsIs(Module, UserData, ModuleName, Base, FileName,
                                   DebugLink, Checksum, Found);
  if (IsFirst && Fd >= 0) {
    Current->Path = *Found ? *Found : "";
    Current->Readable = withoutZstd(Fd);
  }
  return Fd;
}

/// Gives \p Split the file that has a module's debug information.
/// \param Program descriptor of \p File, which becomes that of a copy in which
/// libdw finds all units, as Of.Readable does
/// \returns false if libdw finds them in the files as they are
bool copyWithUnits(Dwfl_Module *Module, SplitFiles &Split,
                   const std::string &File, int &Program, Opening &Of) {
  Dwarf_Addr Ignored = 0;
  Dwarf *Found = dwfl_module_getdwarf(Module, &Ignored);
  if (!Found)
    return false;
  const bool IsOwn =
      dwarf_getelf(Found) == dwfl_module_getelf(Module, &Ignored);
  std::vector<std::string> Programs = {File};
  if (!IsOwn && Of.Path != File)
    Programs.push_back(Of.Path);
  constexpr std::string_view kDebug = ".debug";
  const std::string &Path = IsOwn ? File : Of.Path;
  if (Path.ends_with(kDebug))
    Programs.push_back(Path.substr(0, Path.size() - kDebug.size()));
  if (!IsOwn && Of.Readable < 0)
    Of.Readable = ::open(Of.Path.c_str(), O_RDONLY | O_CLOEXEC);
  int &Fd = IsOwn ? Program : Of.Readable;
  const int Copy = Fd < 0 ? -1 : Split.prepare(Found, Fd, Path, Programs);
  if (Copy < 0)
    return false;
  close(Fd);
  Fd = Copy;
  return true;
}

} // namespace

ProgramFile::~ProgramFile() {
  Lines.endSession();
  if (Session)
    dwfl_end(Session);
}

bool ProgramFile::open(const std::string &File, std::string_view BuildId,
                       const std::string &DebugFolders) {
  // Where Debian and others keep separate debug files. With DEBUGINFOD_URLS
  // libdwfl also queries those servers.
  static char *DebugPath = nullptr;
  static std::string SearchPath;
  if (!DebugFolders.empty() && SearchPath != DebugFolders) {
    SearchPath = DebugFolders;
    DebugPath = SearchPath.data();
  }
  static const Dwfl_Callbacks kCallbacks = {
      dwfl_build_id_find_elf, findDebugFile, dwfl_offline_section_address,
      &DebugPath};
  std::error_code Error;
  if (!fs::is_regular_file(File, Error))
    return false;
  int Program = ::open(File.c_str(), O_RDONLY | O_CLOEXEC);
  if (Program < 0)
    return false;
  if (const int Plain = withoutZstd(Program); Plain >= 0) {
    close(Program);
    Program = Plain;
  }
  Opening Of;
  Current = &Of;
  const auto Begin = [&] {
    if (Session)
      dwfl_end(Session);
    Of.IsFirst = true;
    Module = nullptr;
    Session = dwfl_begin(&kCallbacks);
    if (!Session)
      return false;
    Module =
        dwfl_report_offline(Session, File.c_str(), File.c_str(), dup(Program));
    dwfl_report_end(Session, nullptr, nullptr);
    Dwarf_Addr Ignored = 0;
    if (Module)
      dwfl_module_getdwarf(Module, &Ignored); // finds the debug file
    return Module != nullptr;
  };
  bool Began = Begin();
  // libdwfl reads the file that its own search has found.
  if (Began && Of.Readable >= 0)
    Began = Begin();
  Split = std::make_unique<SplitFiles>(Problems);
  if (Began && copyWithUnits(Module, *Split, File, Program, Of))
    Began = Begin();
  else
    Split.reset();
  Current = nullptr;
  for (const int Left : {Program, Of.Readable})
    if (Left >= 0)
      close(Left);
  if (!Began)
    return false;
  const unsigned char *Bits = nullptr;
  GElf_Addr IdAt = 0;
  const int Length = dwfl_module_build_id(Module, &Bits, &IdAt);
  if (!BuildId.empty() && Length > 0 &&
      (static_cast<size_t>(Length) != BuildId.size() ||
       std::memcmp(Bits, BuildId.data(), BuildId.size()) != 0))
    return false; // Rebuilt since.
  GElf_Addr FileBias = 0;
  if (!dwfl_module_getelf(Module, &FileBias))
    return false;
  Bias = FileBias;
  return true;
}

void ProgramFile::findUnits() {
  if (HasUnits)
    return;
  HasUnits = true;
  Dwarf_Die *Unit = nullptr;
  while ((Unit = dwfl_module_nextcu(Module, Unit, &DwarfBias))) {
    Dwarf_Addr Base = 0, Start = 0, End = 0;
    bool HasRanges = false;
    for (ptrdiff_t At = 0;
         (At = dwarf_ranges(Unit, At, &Base, &Start, &End)) > 0;)
      if (Start < End) {
        Units[End] = {Start, *Unit};
        HasRanges = true;
      }
    // In strict DWARF 2, units of several sections have at most one range.
    Dwarf_Half Version = 0;
    dwarf_cu_info(Unit->cu, &Version, nullptr, nullptr, nullptr, nullptr,
                  nullptr, nullptr);
    if (dwarf_hasattr(Unit, DW_AT_stmt_list) && (!HasRanges || Version <= 2))
      WithoutRanges.push_back(*Unit);
  }
}

Dwarf_Die *ProgramFile::unitAt(uint64_t Address) {
  findUnits();
  const auto Known = [&]() -> Dwarf_Die * {
    const auto Found = Units.upper_bound(Address);
    if (Found == Units.end() || Found->second.Start > Address)
      return nullptr;
    if (Split)
      Split->attach(Found->second.Unit);
    return &Found->second.Unit;
  };
  if (Dwarf_Die *Unit = Known(); Unit || WithoutRanges.empty())
    return Unit;
  for (Dwarf_Die &Unit : WithoutRanges)
    for (const auto &[Start, End] : functionsOf(&Unit).ranges())
      Units.try_emplace(End, Range{Start, Unit});
  WithoutRanges.clear();
  return Known();
}

UnitFunctions &ProgramFile::functionsOf(Dwarf_Die *Unit) {
  if (Split)
    Split->attach(*Unit);
  const auto [Of, New] = Functions.get(dwarf_dieoffset(Unit), *Unit);
  UnitsRead += New;
  return Of;
}

void ProgramFile::trim() {
  constexpr size_t kMostUnits = 32;
  Functions.trim(kMostUnits);
  Lines.trim(kMostUnits);
  Names.trim(kMostUnits);
  constexpr unsigned kUnitsOfPages = 8;
  if (UnitsRead < kUnitsOfPages)
    return;
  UnitsRead = 0;
  Dwarf_Addr Ignored = 0;
  releasePagesOf(elf());
  if (Dwarf *Debug = dwfl_module_getdwarf(Module, &Ignored))
    releasePagesOf(dwarf_getelf(Debug));
}

void ProgramFile::findSymbols() {
  if (HasSymbols)
    return;
  HasSymbols = true;
  const int Count = dwfl_module_getsymtab(Module);
  for (int I = 1; I < Count; ++I) {
    GElf_Sym S;
    GElf_Addr Address = 0;
    GElf_Word Section = SHN_UNDEF;
    const char *Name = dwfl_module_getsym_info(Module, I, &S, &Address,
                                               &Section, nullptr, nullptr);
    const int Type = GELF_ST_TYPE(S.st_info);
    if (!Name || !*Name || Section == SHN_UNDEF)
      continue;
    const uint64_t Start = Address - Bias;
    if (Type == STT_OBJECT && std::strncmp(Name, "_ZT", 3) == 0)
      Objects.try_emplace(Start, Name);
    else if (Type == STT_OBJECT && GELF_ST_BIND(S.st_info) != STB_LOCAL)
      Variables.emplace_back(Name, Start);
    if (Type != STT_FUNC && Type != STT_GNU_IFUNC && Type != STT_NOTYPE)
      continue;
    const int Bind = GELF_ST_BIND(S.st_info);
    Symbols.push_back({Start, Start + std::max<GElf_Xword>(S.st_size, 1),
                       int64_t{Bind == STB_GLOBAL ? 0
                               : Bind == STB_WEAK ? 1
                                                  : 2} *
                               Count +
                           I,
                       Name});
  }
  std::ranges::sort(Variables);
  // Sorts by start and, at the same address, the best symbol last.
  std::ranges::sort(Symbols, [](const Symbol &A, const Symbol &B) {
    return A.Start != B.Start ? A.Start < B.Start : A.Rank > B.Rank;
  });
}

const ProgramFile::Symbol *ProgramFile::symbolAt(uint64_t Address) {
  findSymbols();
  auto Behind = std::ranges::upper_bound(Symbols, Address, {}, &Symbol::Start);
  // Functions are hardly ever nested: a few steps find them.
  for (int Steps = 0; Steps < 16 && Behind != Symbols.begin(); ++Steps)
    if (const Symbol &S = *--Behind; Address < S.End)
      return &S;
  return nullptr;
}

const ProgramFile::Symbol *ProgramFile::symbolNamed(std::string_view Name) {
  findSymbols();
  if (ByName.empty())
    for (size_t I = 0; I < Symbols.size(); ++I)
      ByName.try_emplace(Symbols[I].Name, I);
  const auto At = ByName.find(Name);
  return At == ByName.end() ? nullptr : &Symbols[At->second];
}

std::vector<const char *> ProgramFile::symbolsStartingAt(uint64_t Address) {
  findSymbols();
  std::vector<const char *> Out;
  for (const Symbol &S :
       std::ranges::equal_range(Symbols, Address, {}, &Symbol::Start))
    Out.push_back(S.Name);
  return Out;
}

const char *ProgramFile::objectAt(uint64_t Address) {
  findSymbols();
  const auto Found = Objects.find(Address);
  return Found == Objects.end() ? nullptr : Found->second;
}

std::optional<uint64_t> ProgramFile::objectNamed(std::string_view Name) {
  findSymbols();
  const auto At = std::ranges::lower_bound(
      Variables, Name, {}, &std::pair<std::string_view, uint64_t>::first);
  return At != Variables.end() && At->first == Name ? std::optional(At->second)
                                                    : std::nullopt;
}

Elf *ProgramFile::elf() {
  GElf_Addr Ignored = 0;
  return dwfl_module_getelf(Module, &Ignored);
}

int ProgramFile::machine() {
  GElf_Ehdr Header;
  return gelf_getehdr(elf(), &Header) ? Header.e_machine : EM_NONE;
}

bool ProgramFile::isProgram() {
  Elf *File = elf();
  GElf_Ehdr Header;
  size_t Count = 0;
  if (!gelf_getehdr(File, &Header) || elf_getphdrnum(File, &Count) != 0)
    return false;
  for (size_t I = 0; I < Count; ++I)
    if (GElf_Phdr P;
        gelf_getphdr(File, static_cast<int>(I), &P) && P.p_type == PT_INTERP)
      return true;
  return Header.e_type == ET_EXEC;
}

Dwarf_CFI *ProgramFile::unwindTable() {
  GElf_Addr Ignored = 0;
  return dwfl_module_eh_cfi(Module, &Ignored);
}

std::span<const unsigned char> ProgramFile::bytesAt(uint64_t Address) {
  if (Sections.empty()) {
    Elf *File = elf();
    for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
      GElf_Shdr H;
      if (!gelf_getshdr(S, &H) || !(H.sh_flags & SHF_ALLOC) ||
          H.sh_type == SHT_NOBITS)
        continue;
      const Elf_Data *Data = elf_rawdata(S, nullptr);
      if (Data && Data->d_buf)
        Sections[H.sh_addr] = {static_cast<const unsigned char *>(Data->d_buf),
                               Data->d_size};
    }
  }
  const auto Behind = Sections.upper_bound(Address);
  if (Behind == Sections.begin())
    return {};
  const auto &[Start, Bytes] = *std::prev(Behind);
  return Address - Start < Bytes.size() ? Bytes.subspan(Address - Start)
                                        : std::span<const unsigned char>();
}

void ProgramFile::findRelocations() {
  if (HasRelocations)
    return;
  HasRelocations = true;
  Elf *File = elf();
  for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
    GElf_Shdr H;
    if (!gelf_getshdr(S, &H) || H.sh_type != SHT_RELA ||
        !(H.sh_flags & SHF_ALLOC) || H.sh_entsize == 0)
      continue;
    Elf_Data *Data = elf_getdata(S, nullptr);
    Elf_Scn *Table = elf_getscn(File, H.sh_link);
    GElf_Shdr TableHeader;
    Elf_Data *SymbolNames = Table && gelf_getshdr(Table, &TableHeader)
                                ? elf_getdata(Table, nullptr)
                                : nullptr;
    for (size_t I = 0; Data && I < H.sh_size / H.sh_entsize; ++I) {
      GElf_Rela R;
      if (!gelf_getrela(Data, static_cast<int>(I), &R))
        break;
      Stored Value;
      Value.Address = static_cast<uint64_t>(R.r_addend);
      GElf_Sym Symbol;
      if (const auto Index = GELF_R_SYM(R.r_info);
          Index != 0 && SymbolNames &&
          gelf_getsym(SymbolNames, static_cast<int>(Index), &Symbol)) {
        Value.Symbol = elf_strptr(File, TableHeader.sh_link, Symbol.st_name);
        Value.Address =
            Symbol.st_shndx == SHN_UNDEF ? 0 : Symbol.st_value + Value.Address;
      }
      Relocations[R.r_offset] = Value;
    }
  }
}

ProgramFile::Stored ProgramFile::storedAt(uint64_t Address) {
  findRelocations();
  if (const auto Found = Relocations.find(Address); Found != Relocations.end())
    return Found->second;
  // Unrelocated, or relocated by packed entries: the value is in the file.
  Stored Out;
  if (const auto Bytes = bytesAt(Address); Bytes.size() >= sizeof Out.Address)
    std::memcpy(&Out.Address, Bytes.data(), sizeof Out.Address);
  return Out;
}

/// \returns the address of the slot that an AArch64 PLT stub jumps through, or
/// 0 if the code is not a stub: [bti c]; adrp x16, page; ldr x17, [x16,
/// offset]; add x16, ...; br x17 (Arm's ABI for the 64-bit architecture,
/// aaelf64: procedure linkage table).
static uint64_t slotOfAarch64(std::span<const unsigned char> Bytes,
                              uint64_t Address) {
  constexpr uint32_t kBtiC = 0xd503245f;
  const auto Word = [&](size_t At) {
    uint32_t Out = 0;
    if (At + sizeof Out <= Bytes.size())
      std::memcpy(&Out, &Bytes[At], sizeof Out);
    return Out;
  };
  const size_t At = Word(0) == kBtiC ? 4 : 0;
  const uint32_t Adrp = Word(At), Load = Word(At + 4);
  if ((Adrp & 0x9f00001f) != 0x90000010 || (Load & 0xffc003ff) != 0xf9400211)
    return 0;
  const uint32_t Pages = (Adrp >> 5 & 0x7ffff) << 2 | (Adrp >> 29 & 3);
  const int64_t Signed = static_cast<int32_t>(Pages << 11) >> 11;
  return ((Address + At) & ~uint64_t{0xfff}) +
         static_cast<uint64_t>(Signed) * 4096 +
         uint64_t{Load >> 10 & 0xfff} * 8;
}

/// As above, for x86-64: [endbr64]; [bnd] jmp *slot(%rip).
static uint64_t slotOfX86(std::span<const unsigned char> Bytes,
                          uint64_t Address) {
  constexpr unsigned char kMark[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (Bytes.size() > 16 && std::memcmp(Bytes.data(), kMark, 4) == 0) {
    Bytes = Bytes.subspan(4);
    Address += 4;
  }
  if (Bytes.size() > 16 && Bytes[0] == 0xf2) {
    Bytes = Bytes.subspan(1);
    ++Address;
  }
  if (Bytes.size() < 6 || Bytes[0] != 0xff || Bytes[1] != 0x25)
    return 0;
  int32_t Offset = 0;
  std::memcpy(&Offset, &Bytes[2], sizeof Offset);
  return Address + 6 + static_cast<uint64_t>(int64_t{Offset});
}

const char *ProgramFile::importAt(uint64_t Address) {
  const auto Bytes = bytesAt(Address);
  const uint64_t Slot = machine() == EM_AARCH64  ? slotOfAarch64(Bytes, Address)
                        : machine() == EM_X86_64 ? slotOfX86(Bytes, Address)
                                                 : 0;
  return Slot ? storedAt(Slot).Symbol : nullptr;
}

bool ProgramFile::linkerMayFold() {
  // GNU ld never folds. Other linkers put their names into .comment.
  Elf *File = elf();
  size_t SectionNames = 0;
  if (elf_getshdrstrndx(File, &SectionNames) != 0)
    return true;
  for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
    GElf_Shdr H;
    const char *Name = gelf_getshdr(S, &H)
                           ? elf_strptr(File, SectionNames, H.sh_name)
                           : nullptr;
    if (!Name)
      continue;
    if (std::strncmp(Name, ".note.gnu.gold", 14) == 0)
      return true;
    const Elf_Data *Data =
        std::strcmp(Name, ".comment") == 0 ? elf_rawdata(S, nullptr) : nullptr;
    if (!Data)
      continue;
    const std::string_view Text(static_cast<const char *>(Data->d_buf),
                                Data->d_size);
    return Text.find("LLD") != Text.npos || Text.find("mold") != Text.npos;
  }
  return true;
}

ProgramFiles::ProgramFiles(std::vector<std::string> DebugFolders)
    : Folders(std::move(DebugFolders)) {
  for (std::string &Folder : Folders) { // libdwfl needs absolute paths
    Folder = fs::absolute(Folder).string();
    DebugPath += (DebugPath.empty() ? "" : ":") + Folder;
  }
  if (!DebugPath.empty())
    DebugPath += ":/usr/lib/debug";
}

ProgramFile *ProgramFiles::open(std::string_view Path,
                                std::string_view BuildId) {
  const auto [Where, New] =
      Files.try_emplace(std::string(Path) + '\n' + hexOf(BuildId));
  if (!New)
    return Where->second.get();
  auto One = std::make_unique<ProgramFile>(Problems);
  if (One->open(std::string(Path), BuildId, DebugPath)) {
    Where->second = std::move(One);
    return Where->second.get();
  }
  for (const std::string &Other : otherPaths(BuildId, Folders))
    if (One->open(Other, BuildId, DebugPath)) {
      Where->second = std::move(One);
      return Where->second.get();
    }
  return nullptr;
}

} // namespace inmem::debuginfo

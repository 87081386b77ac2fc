//===- FunctionTable.cpp - Which functions of a file are a library's ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registry/Modules.h"

#include "platform/ElfFile.h"
#include "platform/Image.h"
#include "platform/OwnPages.h"
#include "platform/Process.h"
#include "registry/LibraryNamespaces.h"
#include "registry/Modules.h"
#include "state/Runtime.h"

#include <stddef.h>
#include <string.h>

namespace inmem::rt {

namespace {

/// A function by its offset in the file's memory.
struct Function {
  uint32_t Start;
  uint32_t Size : 31;
  uint32_t IsLibrary : 1;
};

/// One file's functions, in order. Never freed: another thread may be reading
/// it.
struct Table {
  const Module *File;
  Function *Functions;
  uint32_t Count;
  Table *Next;
};
constinit Table *Tables = nullptr; ///< changed under the mutex

bool startsWith(const char *Name, const char *Prefix) {
  return strncmp(Name, Prefix, strlen(Prefix)) == 0;
}

/// Rust's mangling of paths ends in a hash, or begins with _R.
bool isRustLibrary(const char *Name) {
  constexpr const char *kCrates[] = {"_ZN5alloc", "_ZN4core", "_ZN3std",
                                     "_ZN9hashbrown"};
  if (startsWith(Name, "_R"))
    return strstr(Name, "_5alloc") || strstr(Name, "_4core") ||
           strstr(Name, "_9hashbrown") || strstr(Name, "_3std");
  if (!strstr(Name, "17h"))
    return false;
  for (const char *Crate : kCrates)
    if (startsWith(Name, Crate))
      return true;
  return startsWith(Name, "_ZN") &&
         (strstr(Name, "_$LT$alloc..") || strstr(Name, "_$LT$core..") ||
          strstr(Name, "_$LT$std..") || strstr(Name, "_$LT$hashbrown.."));
}

/// Itanium ABI, 5.1: St is std, Sa, Ss, Sb, Si, So, Sd are classes of it. A
/// class's operator new (nw, na) allocates for its callers, too.
bool isLibraryName(const char *Name) {
  if (!startsWith(Name, "_Z") && !startsWith(Name, "_R"))
    return startsWith(Name, "__rust_") || startsWith(Name, "__rdl_");
  if (startsWith(Name, "_ZSt") || startsWith(Name, "_Znw") ||
      startsWith(Name, "_Zna"))
    return true;
  const char *Nested = startsWith(Name, "_ZNK")  ? Name + 4
                       : startsWith(Name, "_ZN") ? Name + 3
                                                 : "";
  return (Nested[0] == 'S' && Nested[1] && strchr("tasbiod", Nested[1])) ||
         startsWith(Nested, "9__gnu_cxx") ||
         (*Nested && (strstr(Nested, "nwEm") || strstr(Nested, "naEm"))) ||
         isRustLibrary(Name);
}

/// Memory that is returned at the end of the scope.
class Pages {
public:
  explicit Pages(uint64_t Bytes)
      : At(Bytes ? mapPages(Bytes) : nullptr), Bytes(Bytes) {}
  ~Pages() {
    if (At)
      unmapPages(At, Bytes);
  }
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;
  template <class T> T *as() const { return static_cast<T *>(At); }

private:
  void *At;
  uint64_t Bytes;
};

/// Sorts by start: radix sort by bytes, since nothing may allocate.
void sort(Function *Functions, Function *Spare, uint32_t Count) {
  for (unsigned Shift = 0; Shift < 32; Shift += 8) {
    uint32_t Ends[256] = {};
    const auto Byte = [Shift](const Function &F) {
      return F.Start >> Shift & 0xff;
    };
    for (uint32_t I = 0; I < Count; ++I)
      ++Ends[Byte(Functions[I])];
    for (unsigned I = 1; I < 256; ++I)
      Ends[I] += Ends[I - 1];
    for (uint32_t I = Count; I-- > 0;)
      Spare[--Ends[Byte(Functions[I])]] = Functions[I];
    Function *Other = Functions;
    Functions = Spare;
    Spare = Other;
  }
}

/// The functions in [Symbols, Symbols + Count), appended to \p Into.
uint32_t takeFunctions(const ElfW(Sym) * Symbols, uint64_t Count,
                       const char *Strings, uint64_t StringBytes,
                       const LibraryNamespaces &Others, Function *Into) {
  uint32_t Taken = 0;
  for (uint64_t I = 0; I < Count; ++I) {
    const ElfW(Sym) &S = Symbols[I];
    if (ELF64_ST_TYPE(S.st_info) != STT_FUNC || S.st_shndx == SHN_UNDEF ||
        S.st_name == 0 || S.st_name >= StringBytes || S.st_size == 0 ||
        S.st_value > UINT32_MAX || S.st_size > INT32_MAX)
      continue;
    Into[Taken++] = {static_cast<uint32_t>(S.st_value),
                     static_cast<uint32_t>(S.st_size) & 0x7fffffff,
                     isLibraryName(Strings + S.st_name) ||
                         Others.contain(Strings + S.st_name)};
  }
  return Taken;
}

/// Adds namespaces of the headers that \p File's lines are from.
/// \returns false if the section is not there, or is compressed
bool readNamespaces(const ElfFile &File, const char *SectionName,
                    LibraryNamespaces &Into) {
  constexpr uint64_t kMost = 64 << 20;
  ElfW(Shdr) Section;
  if (!File.findSection(SectionName, Section) || Section.sh_size > kMost ||
      (Section.sh_flags & SHF_COMPRESSED))
    return false;
  const Pages Text(Section.sh_size);
  if (!Text.as<char>() ||
      !File.read(Section.sh_offset, Text.as<char>(), Section.sh_size))
    return false;
  Into.addStrings(Text.as<char>(), Section.sh_size);
  return true;
}

/// Reads \p File's .symtab. \returns the number of functions; \p Into stays
/// null if it is 0
uint32_t readFunctions(const ElfFile &File, Function *&Into) {
  ElfW(Shdr) Symbols, Strings;
  if (!File.findSymbols(SHT_SYMTAB, Symbols, Strings))
    return 0;
  const uint64_t Count = Symbols.sh_size / sizeof(ElfW(Sym));
  const uint64_t Bytes = Count * sizeof(Function);
  if (Count == 0 || Count > UINT32_MAX || Strings.sh_size == 0 ||
      Symbols.sh_size + Strings.sh_size + 2 * Bytes > memoryLeft() / 2)
    return 0;
  const Pages Names(Strings.sh_size + 1), All(Symbols.sh_size), Spare(Bytes);
  auto *Functions = static_cast<Function *>(mapPages(Bytes));
  if (!Names.as<char>() || !All.as<char>() || !Spare.as<char>() || !Functions ||
      !File.read(Strings.sh_offset, Names.as<char>(), Strings.sh_size) ||
      !File.read(Symbols.sh_offset, All.as<char>(), Symbols.sh_size)) {
    if (Functions)
      unmapPages(Functions, Bytes);
    return 0;
  }
  LibraryNamespaces Others;
  // DWARF 5 stores the folders in a section of their own, older versions among
  // numbers.
  if (!readNamespaces(File, ".debug_line_str", Others))
    readNamespaces(File, ".debug_line", Others);
  const uint32_t Taken =
      takeFunctions(All.as<ElfW(Sym)>(), Count, Names.as<char>(),
                    Strings.sh_size, Others, Functions);
  sort(Functions, Spare.as<Function>(), Taken);
  Into = Functions;
  return Taken;
}

/// Reads the functions of a separate debug file of \p M's build.
uint32_t readSeparate(const Module &M, const char *Path, Function *&Into) {
  struct {
    ElfW(Nhdr) Header;
    char Name[4];
    uint8_t Id[sizeof M.BuildId];
  } Note;
  const ElfFile File(Path);
  ElfW(Shdr) Section;
  const uint64_t Bytes = offsetof(decltype(Note), Id) + M.BuildIdBytes;
  if (!File.isGood() || !File.findSection(".note.gnu.build-id", Section) ||
      Section.sh_size != Bytes || !File.read(Section.sh_offset, &Note, Bytes) ||
      memcmp(Note.Id, M.BuildId, M.BuildIdBytes) != 0)
    return 0;
  return readFunctions(File, Into);
}

constexpr size_t kLongestPath = 4096;

/// The path that a stripped file's debug link leads to, in its own folder.
bool followDebugLink(const Module &M, const ElfFile &File,
                     char (&Path)[kLongestPath]) {
  const char *Slash = strrchr(M.Path, '/');
  const size_t Folder = Slash ? static_cast<size_t>(Slash + 1 - M.Path) : 0;
  ElfW(Shdr) Section;
  if (!File.findSection(".gnu_debuglink", Section) ||
      Folder + Section.sh_size >= sizeof Path || Section.sh_size == 0 ||
      !File.read(Section.sh_offset, Path + Folder, Section.sh_size))
    return false;
  memcpy(Path, M.Path, Folder);
  Path[Folder + Section.sh_size] = 0;
  return true;
}

/// The path of a build's debug file in the system's folder for them.
void findByBuildId(const Module &M, char (&Path)[kLongestPath]) {
  constexpr char kDigits[] = "0123456789abcdef";
  char *End = stpcpy(Path, "/usr/lib/debug/.build-id/");
  for (uint32_t I = 0; I < M.BuildIdBytes; ++I) {
    *End++ = kDigits[M.BuildId[I] >> 4];
    *End++ = kDigits[M.BuildId[I] & 15];
    if (I == 0)
      *End++ = '/';
  }
  stpcpy(End, ".debug");
}

/// Reads the functions of a module, or of its separate debug file.
uint32_t readFunctions(const Module &M, Function *&Into) {
  const ElfFile File(M.Path);
  if (!File.isGood() || !File.isBuildOf(M.BuildId, M.BuildIdBytes))
    return 0;
  if (const uint32_t Count = readFunctions(File, Into))
    return Count;
  const Pages Room(kLongestPath);
  using PathBuffer = char[kLongestPath];
  if (!Room.as<char>() || M.BuildIdBytes < 2)
    return 0;
  auto &Path = *Room.as<PathBuffer>();
  findByBuildId(M, Path);
  if (const uint32_t Count = readSeparate(M, Path, Into))
    return Count;
  return followDebugLink(M, File, Path) ? readSeparate(M, Path, Into) : 0;
}

const Table *tableOf(const Module &File) {
  for (const Table *T = __atomic_load_n(&Tables, __ATOMIC_ACQUIRE); T;
       T = T->Next)
    if (T->File == &File)
      return T;
  if (MayBeSandboxed)
    return nullptr;
  Function *Functions = nullptr;
  const uint32_t Count = readFunctions(File, Functions);
  Locked L(Process.Mutex);
  auto *T = static_cast<Table *>(arenaAllocate(sizeof(Table)));
  if (!T)
    return nullptr;
  *T = {&File, Functions, Count,
        Tables}; // another thread's result is equally good
  __atomic_store_n(&Tables, T, __ATOMIC_RELEASE);
  return T;
}

/// The last function that begins at or before \p Offset and includes it.
const Function *find(const Table &T, uint64_t Offset) {
  uint32_t First = 0;
  for (uint32_t Left = T.Count; Left > 0;) {
    const uint32_t Half = Left / 2;
    if (T.Functions[First + Half].Start <= Offset) {
      First += Half + 1;
      Left -= Half + 1;
    } else {
      Left = Half;
    }
  }
  const Function *F = First ? &T.Functions[First - 1] : nullptr;
  return F && Offset - F->Start < F->Size ? F : nullptr;
}

} // namespace

bool isLibraryFunction(const Module &File, uintptr_t Address) {
  if (const Table *T = tableOf(File))
    if (const Function *F = find(*T, Address - File.Base))
      return F->IsLibrary;
  uint32_t Offset = 0;
  const char *Name = symbolAt(Address, Offset);
  return Name && isLibraryName(Name);
}

} // namespace inmem::rt

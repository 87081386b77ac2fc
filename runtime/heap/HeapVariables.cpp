//===- HeapVariables.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/HeapVariables.h"

#include "heap/HeapSort.h"
#include "platform/ElfFile.h"
#include "registry/Modules.h"
#include "trace/format/Checksum.h"

namespace inmem::rt {

namespace {

constexpr uint64_t kSeveral = 1; ///< instead of a type

/// Suffixes that ThinLTO adds are not part of the name.
size_t plainLength(const char *Name) {
  const char *Added = strstr(Name, ".llvm.");
  return Added ? static_cast<size_t>(Added - Name) : strlen(Name);
}

uint64_t keyOf(const char *Name, uint64_t Size) {
  return XXH64(Name, plainLength(Name), Size) | 1;
}

/// True for vtables and similar tables, guards of initialisations, and inmem's
/// own variables.
bool isCompilers(const char *Name) {
  static constexpr const char *kPrefixes[] = {"_ZTV", "_ZTT", "_ZTI",    "_ZTS",
                                              "_ZTC", "_ZGV", "__inmem_"};
  for (const char *Prefix : kPrefixes)
    if (startsWith(Name, Prefix))
      return true;
  return !Name[0];
}

} // namespace

/// Adds the plugin's records of \p File's variables.
void HeapVariables::noteRecords(Memory &M, uint64_t File) {
  Records.release();
  IsProgram = false;
  for (RegisteredModule *R = RegisteredModules; R; R = R->Next) {
    const inmem_module *D = R->Descriptor;
    const Mapping *In =
        D ? M.mappings().find(reinterpret_cast<uintptr_t>(D)) : nullptr;
    if (!In || In->File != File)
      continue;
    IsProgram |= R->File && R->File->IsProgram;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): of the member, a pointer
    if (!INMEM_MODULE_HAS(D, variables_end))
      continue;
    for (const inmem_variable *V = D->variables_begin; V < D->variables_end;
         ++V) {
      const char *Name = textAt(V->name);
      auto *Type = relative<inmem_type>(V->type);
      const inmem_type *Known = Type ? knownTypes().byId(Type->id) : nullptr;
      uint64_t *Slot =
          Name && Known ? Records.findOrMake(keyOf(Name, V->size)) : nullptr;
      if (!Slot)
        continue;
      const auto Now = reinterpret_cast<uint64_t>(Known);
      *Slot = *Slot && *Slot != Now ? kSeveral : Now;
    }
  }
}

const inmem_type *HeapVariables::typeOf(const char *Name, uint64_t Size) const {
  const uint64_t *Found = Records.find(keyOf(Name, Size));
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return Found && *Found != kSeveral
             ? reinterpret_cast<const inmem_type *>(*Found)
             : nullptr;
}

/// True if the mapping at Like.Base has the notes of \p File, including its
/// build id. Finds the file's addresses and its thread-local storage.
bool HeapVariables::isLoaded(Memory &M, const ElfFile &File) {
  constexpr size_t kMostNote = 512;
  char OnDisk[kMostNote], Loaded[kMostNote];
  ElfW(Phdr) P;
  bool Begins = false, IsMapped = false;
  for (unsigned I = 0; I < File.segments() && !Begins; ++I)
    if (File.segment(I, P) && P.p_type == PT_LOAD && P.p_offset == 0) {
      Bias = Like.Base - P.p_vaddr;
      Begins = true;
    }
  for (unsigned I = 0; I < File.segments(); ++I) {
    if (!File.segment(I, P))
      return false;
    if (P.p_type == PT_TLS && IsProgram) {
      ThreadBytes = P.p_memsz;
      ThreadAlign = P.p_align ? P.p_align : 1;
    }
    // A program may map a loaded file again to read it.
    if (P.p_type == PT_LOAD && P.p_flags & PF_W) {
      const Mapping *In = M.mappings().find(Bias + P.p_vaddr + P.p_memsz - 1);
      if (!In || (In->IsFile && In->Shared))
        return false;
      IsMapped |= In->Writable;
    }
    const size_t Bytes = P.p_filesz < kMostNote ? P.p_filesz : kMostNote;
    if (P.p_type == PT_NOTE && (!File.read(P.p_offset, OnDisk, Bytes) ||
                                !M.read(Loaded, Bias + P.p_vaddr, Bytes) ||
                                memcmp(OnDisk, Loaded, Bytes) != 0))
      return false;
  }
  return Begins && IsMapped;
}

bool HeapVariables::noteSections(const ElfFile &File) {
  Writable.shrinkTo(0);
  for (unsigned I = 0; I < File.sections(); ++I) {
    ElfW(Shdr) S;
    if (!File.section(I, S) || !Writable.add((S.sh_flags & SHF_WRITE) != 0))
      return false;
  }
  return true;
}

void HeapVariables::addSymbol(const void *Symbol) {
  const auto &S = *static_cast<const ElfW(Sym) *>(Symbol);
  const unsigned Kind = ELF64_ST_TYPE(S.st_info);
  if ((Kind != STT_OBJECT && Kind != STT_TLS) || !S.st_size ||
      S.st_shndx >= Writable.size() || !Writable[S.st_shndx] ||
      S.st_name >= Strings.size())
    return;
  const char *Name = Strings.data() + S.st_name;
  if (isCompilers(Name))
    return;
  const char *Kept = Names.copy(Name, plainLength(Name));
  const inmem_type *Type = typeOf(Name, S.st_size);
  if (Kind == STT_TLS) {
    if (IsProgram)
      ThreadLocals.add({S.st_value, S.st_size, Kept, Type});
    return;
  }
  HeapVariable V = Like;
  V.Begin = Bias + S.st_value;
  V.Size = S.st_size;
  V.Name = Kept;
  V.Type = Type;
  All.add(V);
}

void HeapVariables::readSymbols(const ElfFile &File) {
  constexpr uint64_t kMostStrings = 256 << 20;
  ElfW(Shdr) Symbols, Table;
  if (!File.findSymbols(SHT_SYMTAB, Symbols, Table) &&
      !File.findSymbols(SHT_DYNSYM, Symbols, Table))
    return;
  Strings.shrinkTo(0);
  char *Text =
      Table.sh_size < kMostStrings ? Strings.extend(Table.sh_size) : nullptr;
  // A name without its NUL in the file is ignored.
  if (!Text || !Table.sh_size ||
      !File.read(Table.sh_offset, Text, Table.sh_size) ||
      Text[Table.sh_size - 1])
    return;
  constexpr uint64_t kAtOnce = 4096;
  Pages<ElfW(Sym)> Piece;
  if (!Piece.extend(kAtOnce))
    return;
  const uint64_t Count = Symbols.sh_size / sizeof(ElfW(Sym));
  for (uint64_t I = 0; I < Count; I += kAtOnce) {
    const uint64_t Now = Count - I < kAtOnce ? Count - I : kAtOnce;
    if (!File.read(Symbols.sh_offset + I * sizeof(ElfW(Sym)), Piece.data(),
                   Now * sizeof(ElfW(Sym))))
      return;
    for (uint64_t K = 0; K < Now; ++K)
      addSymbol(&Piece[K]);
  }
}

void HeapVariables::addFile(Memory &M, const Mapping &First, const char *Path,
                            uint32_t Where) {
  const ElfFile File(Path);
  if (!File.isGood())
    return;
  Like = {};
  Like.Base = First.Start;
  Like.Where = Where;
  Like.Kind = heap::RootKind::Global;
  noteRecords(M, First.File);
  if (isLoaded(M, File) && noteSections(File))
    readSymbols(File);
}

void HeapVariables::addThread(uintptr_t ThreadPointer, uint32_t Where) {
#if defined(__x86_64__)
  const uintptr_t Block = ThreadPointer - roundUp(ThreadBytes, ThreadAlign);
#else
  const uintptr_t Block =
      ThreadPointer + roundUp(2 * sizeof(void *), ThreadAlign);
#endif
  for (const ThreadLocal &T : ThreadLocals)
    All.add({Block + T.Offset, T.Size, T.Name, T.Type, 0, Where, 0,
             heap::RootKind::ThreadLocal});
}

void HeapVariables::finish() {
  // Among several names for one address, one with a known type comes last.
  sortInPlace(
      All.data(), All.size(), [](const HeapVariable &A, const HeapVariable &B) {
        return A.Begin != B.Begin ? A.Begin < B.Begin : !A.Type && B.Type;
      });
  Records.release();
  Strings.release();
}

HeapVariable *HeapVariables::find(uintptr_t Address) {
  size_t Low = 0, High = All.size();
  while (Low < High) {
    const size_t Middle = (Low + High) / 2;
    if (All[Middle].Begin <= Address)
      Low = Middle + 1;
    else
      High = Middle;
  }
  return Low && Address - All[Low - 1].Begin < All[Low - 1].Size ? &All[Low - 1]
                                                                 : nullptr;
}

} // namespace inmem::rt

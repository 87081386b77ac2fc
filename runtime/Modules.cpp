//===- Modules.cpp ---------------------------------------------------------===//
#include "Modules.h"

#include "Runtime.h"
#include "Threads.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

// Lock-free and async-signal-safe, unlike dladdr, whose lock another thread
// may hold while it waits for ours (glibc 2.35 and later).
extern "C" int _dl_find_object(void *, struct dl_find_object *)
    __attribute__((weak));

namespace inmem::rt {

constinit RegisteredModule *RegisteredModules = nullptr;

namespace {

constinit Module *Modules = nullptr;

/// Callers by return address: open addressing, at most half full; grows.
constinit CallerSite **Callers = nullptr;
constinit size_t CallerCapacity = 0, CallerCount = 0;

/// More dynamic symbols than this are left to the tool, which reads the file
/// once: a linear search for each caller would cost the program too much.
constexpr uint32_t kMaxSymbols = 20000;

/// What the loader says of the object around an address.
struct LoadedObject {
  uintptr_t Start = 0; ///< where its ELF header is mapped
  uintptr_t Base = 0;
  const char *Name = nullptr;
  const ElfW(Dyn) *Dynamic = nullptr;
};

#ifdef INMEM_STATIC
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));

/// There is one object, and the first allocations come before libc could tell
/// of it.
bool findObject(uintptr_t, LoadedObject &Found) {
  Found.Start = reinterpret_cast<uintptr_t>(__ehdr_start);
  auto *Header = reinterpret_cast<const ElfW(Ehdr) *>(__ehdr_start);
  auto *Segments =
      reinterpret_cast<const ElfW(Phdr) *>(__ehdr_start + Header->e_phoff);
  for (unsigned I = 0; I < Header->e_phnum; ++I)
    if (Segments[I].p_type == PT_LOAD && Segments[I].p_offset == 0)
      Found.Base = Found.Start - Segments[I].p_vaddr;
  Found.Name = "";
  return true;
}
#else
bool findObject(uintptr_t Address, LoadedObject &Found) {
  if (_dl_find_object) {
    struct dl_find_object Object;
    if (_dl_find_object(reinterpret_cast<void *>(Address), &Object) != 0)
      return false;
    const struct link_map *Map = Object.dlfo_link_map;
    Found.Start = reinterpret_cast<uintptr_t>(Object.dlfo_map_start);
    Found.Base = Map ? Map->l_addr : Found.Start;
    Found.Name = Map ? Map->l_name : "";
    Found.Dynamic = Map ? Map->l_ld : nullptr;
    return true;
  }
  Dl_info Info;
  struct link_map *Map = nullptr;
  if (!dladdr1(reinterpret_cast<void *>(Address), &Info,
               reinterpret_cast<void **>(&Map), RTLD_DL_LINKMAP) ||
      !Map)
    return false;
  Found.Start = reinterpret_cast<uintptr_t>(Info.dli_fbase);
  Found.Base = Map->l_addr;
  Found.Name = Map->l_name;
  Found.Dynamic = Map->l_ld;
  return true;
}
#endif

void readBuildId(const LoadedObject &Object, Module &M) {
  auto *Header = reinterpret_cast<const ElfW(Ehdr) *>(Object.Start);
  if (memcmp(Header->e_ident, ELFMAG, SELFMAG) != 0)
    return;
  auto *Segments =
      reinterpret_cast<const ElfW(Phdr) *>(Object.Start + Header->e_phoff);
  for (unsigned I = 0; I < Header->e_phnum; ++I) {
    if (Segments[I].p_type != PT_NOTE)
      continue;
    const char *At =
        reinterpret_cast<const char *>(Object.Base + Segments[I].p_vaddr);
    const char *End = At + Segments[I].p_memsz;
    while (At + sizeof(ElfW(Nhdr)) <= End) {
      auto *Note = reinterpret_cast<const ElfW(Nhdr) *>(At);
      const char *Name = At + sizeof *Note;
      const char *Data = Name + roundUp(Note->n_namesz, 4);
      if (Note->n_type == NT_GNU_BUILD_ID && Note->n_namesz == 4 &&
          memcmp(Name, "GNU", 4) == 0 && Note->n_descsz <= sizeof M.BuildId) {
        memcpy(M.BuildId, Data, Note->n_descsz);
        M.BuildIdBytes = Note->n_descsz;
        return;
      }
      At = Data + roundUp(Note->n_descsz, 4);
    }
  }
}

uint32_t symbolCount(const uint32_t *GnuHash) {
  // The last symbol ends the chain of the highest bucket.
  uint32_t Buckets = GnuHash[0], First = GnuHash[1], Bloom = GnuHash[2];
  auto *Bucket = reinterpret_cast<const uint32_t *>(
      reinterpret_cast<const ElfW(Addr) *>(GnuHash + 4) + Bloom);
  const uint32_t *Chain = Bucket + Buckets;
  uint32_t Last = 0;
  for (uint32_t I = 0; I < Buckets; ++I)
    if (Bucket[I] > Last)
      Last = Bucket[I];
  if (Last < First)
    return First;
  while (!(Chain[Last - First] & 1))
    ++Last;
  return Last + 1;
}

/// The dynamic function symbol that covers \p Address; null if none.
const char *findSymbol(const LoadedObject &Object, uintptr_t Address,
                       uint32_t &Offset) {
  const ElfW(Sym) *Symbols = nullptr;
  const char *Strings = nullptr;
  const uint32_t *GnuHash = nullptr;
  for (const ElfW(Dyn) *D = Object.Dynamic; D && D->d_tag != DT_NULL; ++D) {
    // glibc has relocated these pointers, except in the vDSO.
    uintptr_t Pointer = D->d_un.d_ptr;
    if (Pointer < Object.Base)
      Pointer += Object.Base;
    if (D->d_tag == DT_SYMTAB)
      Symbols = reinterpret_cast<const ElfW(Sym) *>(Pointer);
    else if (D->d_tag == DT_STRTAB)
      Strings = reinterpret_cast<const char *>(Pointer);
    else if (D->d_tag == DT_GNU_HASH)
      GnuHash = reinterpret_cast<const uint32_t *>(Pointer);
  }
  if (!Symbols || !Strings || !GnuHash)
    return nullptr;
  uint32_t Count = symbolCount(GnuHash);
  if (Count > kMaxSymbols)
    return nullptr;
  uintptr_t Distance = Address - Object.Base;
  for (uint32_t I = 1; I < Count; ++I) {
    const ElfW(Sym) &S = Symbols[I];
    if (INMEM_LIKELY(Distance - S.st_value >= S.st_size) ||
        S.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(S.st_info) != STT_FUNC)
      continue;
    Offset = static_cast<uint32_t>(Distance - S.st_value);
    return Strings + S.st_name;
  }
  return nullptr;
}

Module *moduleFor(const LoadedObject &Object) {
  char Exe[1024];
  const char *Path = Object.Name;
  bool IsProgram = !Path || !*Path;
  if (IsProgram) {
    ssize_t N = readlink("/proc/self/exe", Exe, sizeof Exe - 1);
    Exe[N > 0 ? N : 0] = 0;
    Path = Exe;
  }
  Module Found = {};
  Found.Base = Object.Base;
  Found.IsProgram = IsProgram;
  readBuildId(Object, Found);
  Locked L(Process.Mutex);
  for (Module *M = Modules; M; M = M->Next)
    if (M->Base == Object.Base && strcmp(M->Path, Path) == 0 &&
        M->BuildIdBytes == Found.BuildIdBytes &&
        memcmp(M->BuildId, Found.BuildId, Found.BuildIdBytes) == 0)
      return M;
  auto *M = static_cast<Module *>(arenaAllocate(sizeof(Module)));
  char *Copy = copyText(Path);
  if (!M || !Copy)
    return nullptr;
  *M = Found;
  M->Path = Copy;
  M->Next = Modules;
  Modules = M;
  return M;
}

uint64_t hashText(const char *S, uint64_t Hash) {
  for (; S && *S; ++S)
    Hash = (Hash ^ static_cast<unsigned char>(*S)) * 0x100000001B3u; // FNV-1a
  return Hash;
}

CallerSite **callerPlace(uintptr_t ReturnAddress) {
  size_t At = (ReturnAddress * 0x9E3779B97F4A7C15u >> 24) & (CallerCapacity - 1);
  while (Callers[At] && Callers[At]->ReturnAddress != ReturnAddress)
    At = (At + 1) & (CallerCapacity - 1);
  return &Callers[At];
}

bool growCallers() {
  if (CallerCapacity && CallerCount * 2 < CallerCapacity)
    return true;
  size_t OldCapacity = CallerCapacity;
  CallerSite **Old = Callers;
  size_t NewCapacity = OldCapacity ? OldCapacity * 2 : 1024;
  auto **New =
      static_cast<CallerSite **>(mapPages(NewCapacity * sizeof(CallerSite *)));
  if (!New)
    return false;
  Callers = New;
  CallerCapacity = NewCapacity;
  for (size_t I = 0; I < OldCapacity; ++I)
    if (Old[I])
      *callerPlace(Old[I]->ReturnAddress) = Old[I];
  if (Old)
    unmapPages(Old, OldCapacity * sizeof(CallerSite *));
  return true;
}

CallerSite *knownCaller(uintptr_t ReturnAddress) {
  Locked L(Process.Mutex);
  return CallerCapacity ? *callerPlace(ReturnAddress) : nullptr;
}

} // namespace

Module *findModule(uintptr_t Address) {
  LoadedObject Object;
  return findObject(Address, Object) ? moduleFor(Object) : nullptr;
}

const char *unwindTableOf(uintptr_t Address) {
  LoadedObject Object;
  if (!findObject(Address, Object))
    return nullptr;
  auto *Header = reinterpret_cast<const ElfW(Ehdr) *>(Object.Start);
  if (memcmp(Header->e_ident, ELFMAG, SELFMAG) != 0)
    return nullptr;
  auto *Segments =
      reinterpret_cast<const ElfW(Phdr) *>(Object.Start + Header->e_phoff);
  for (unsigned I = 0; I < Header->e_phnum; ++I)
    if (Segments[I].p_type == PT_GNU_EH_FRAME)
      return reinterpret_cast<const char *>(Object.Base + Segments[I].p_vaddr);
  return nullptr;
}

const char *symbolAt(uintptr_t Address, uint32_t &Offset) {
  LoadedObject Object;
  return findObject(Address, Object) ? findSymbol(Object, Address, Offset)
                                     : nullptr;
}

struct inmem_site *callerSite(uintptr_t ReturnAddress) {
  if (CallerSite *Known = knownCaller(ReturnAddress))
    return &Known->Site;
  // The call itself lies before the return address.
  LoadedObject Object;
  Module *Owner = nullptr;
  const char *Symbol = nullptr;
  uint32_t Offset = 0;
  if (findObject(ReturnAddress - 1, Object)) {
    Owner = moduleFor(Object);
    Symbol = findSymbol(Object, ReturnAddress - 1, Offset);
  }
  Locked L(Process.Mutex);
  if (!growCallers())
    return nullptr;
  CallerSite **Place = callerPlace(ReturnAddress);
  if (*Place)
    return &(*Place)->Site; // another thread was first
  auto *C = static_cast<CallerSite *>(arenaAllocate(sizeof(CallerSite)));
  if (!C)
    return nullptr;
  C->ReturnAddress = ReturnAddress;
  C->Owner = Owner;
  C->Symbol = Symbol ? copyText(Symbol) : nullptr;
  C->SymbolOffset = Symbol ? Offset + 1 : 0;
  C->Site.kind = INMEM_SITE_CALLER;
  uint64_t Key = hashText(Owner ? Owner->Path : nullptr, 0xCBF29CE484222325u);
  uint64_t Distance = Owner ? ReturnAddress - Owner->Base
                            : traceAddress(ReturnAddress);
  C->Site.key = (Key ^ Distance) * 0x9E3779B97F4A7C15u | 1;
  *Place = C;
  ++CallerCount;
  return &C->Site;
}

Module *registeredModuleOf(const struct inmem_site *Site) {
  for (RegisteredModule *R = RegisteredModules; R; R = R->Next)
    if (R->Descriptor && Site >= R->Descriptor->sites_begin &&
        Site < R->Descriptor->sites_end)
      return R->File;
  return nullptr;
}

void forgetUnloadedCallers() {
#ifndef INMEM_STATIC
  if (!_dl_find_object || CallerCount == 0)
    return; // dladdr's lock must not be taken with ours held
  size_t Gone = 0;
  for (size_t I = 0; I < CallerCapacity; ++I) {
    LoadedObject Object;
    if (!Callers[I] || !Callers[I]->Owner ||
        findObject(Callers[I]->ReturnAddress - 1, Object))
      continue;
    for (ThreadBlock *B = ThreadBlocks; B; B = B->Next) {
      KnownCaller &Known =
          B->Callers[knownCallerIndex(Callers[I]->ReturnAddress)];
      if (__atomic_load_n(&Known.ReturnAddress, __ATOMIC_RELAXED) ==
          Callers[I]->ReturnAddress)
        __atomic_store_n(&Known.ReturnAddress, 0, __ATOMIC_RELAXED);
    }
    Callers[I]->ReturnAddress = 0;
    ++Gone;
  }
  if (Gone == 0)
    return;
  auto **Old = Callers;
  Callers = static_cast<CallerSite **>(
      mapPages(CallerCapacity * sizeof(CallerSite *)));
  if (!Callers) {
    Callers = Old; // those of address 0 are never asked for
    return;
  }
  for (size_t I = 0; I < CallerCapacity; ++I)
    if (Old[I] && Old[I]->ReturnAddress)
      *callerPlace(Old[I]->ReturnAddress) = Old[I];
  CallerCount -= Gone;
  unmapPages(Old, CallerCapacity * sizeof(CallerSite *));
#endif
}

void forgetModuleIds() {
  for (Module *M = Modules; M; M = M->Next)
    M->Id = 0;
}

} // namespace inmem::rt

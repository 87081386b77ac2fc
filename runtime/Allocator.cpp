//===- Allocator.cpp -------------------------------------------------------===//
#include "Allocator.h"

#include "ThreadState.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

// Our own definitions (Hooks.cpp). This library is linked with
// -Bsymbolic-functions: their addresses here are ours whoever comes first.
extern "C" {
#define INMEM_DECLARE(Result, Name, Parameters) Result Name Parameters noexcept;
INMEM_C_ALLOCATOR(INMEM_DECLARE)
#undef INMEM_DECLARE
#define INMEM_DECLARE(Name) void Name();
INMEM_NEW_OPERATORS(INMEM_DECLARE)
INMEM_DELETE_OPERATORS(INMEM_DECLARE)
#undef INMEM_DECLARE
void *reallocarray(void *, size_t, size_t) noexcept;
}
#define INMEM_OURS(Name) reinterpret_cast<void *>(&::Name)

namespace inmem::rt {

namespace {

// The initial state of `Real`: look up, then call.
void *bootstrap_malloc(size_t Size) {
  resolveAllocator();
  return Real.malloc(Size);
}
void *bootstrap_calloc(size_t Count, size_t Size) {
  resolveAllocator();
  return Real.calloc(Count, Size);
}
void *bootstrap_realloc(void *P, size_t Size) {
  resolveAllocator();
  return Real.realloc(P, Size);
}
void bootstrap_free(void *P) {
  resolveAllocator();
  Real.free(P);
}
void *bootstrap_memalign(size_t Align, size_t Size) {
  resolveAllocator();
  return Real.memalign(Align, Size);
}
void *bootstrap_aligned_alloc(size_t Align, size_t Size) {
  resolveAllocator();
  return Real.aligned_alloc(Align, Size);
}
int bootstrap_posix_memalign(void **Result, size_t Align, size_t Size) {
  resolveAllocator();
  return Real.posix_memalign(Result, Align, Size);
}
void *bootstrap_valloc(size_t Size) {
  resolveAllocator();
  return Real.valloc(Size);
}
void *bootstrap_pvalloc(size_t Size) {
  resolveAllocator();
  return Real.pvalloc(Size);
}

} // namespace

constinit RealAllocator Real = {
    .LeastRequest = 0,
    .OperatorsReplaced = false,
#define INMEM_INITIAL(Result, Name, Parameters) .Name = bootstrap_##Name,
    INMEM_C_ALLOCATOR(INMEM_INITIAL)
#undef INMEM_INITIAL
};

namespace {

/// A loaded object as its dynamic section describes it.
struct Image {
  uintptr_t Base = 0;
  const char *Name = "";
  const ElfW(Sym) *Symbols = nullptr;
  const char *Strings = nullptr;
  const uint32_t *GnuHash = nullptr;
  const ElfW(Half) *Versions = nullptr;
  const ElfW(Rela) *Relocations[2] = {};
  size_t RelocationBytes[2] = {};
  uintptr_t RelroStart = 0, RelroEnd = 0;
  uintptr_t Start = UINTPTR_MAX, End = 0;
  size_t TlsBytes = 0;

  bool contains(const void *P) const {
    auto Address = reinterpret_cast<uintptr_t>(P);
    return Address >= Start && Address < End;
  }
  bool isNamed(const char *Prefix) const {
    const char *Slash = strrchr(Name, '/');
    return strncmp(Slash ? Slash + 1 : Name, Prefix, strlen(Prefix)) == 0;
  }
};

bool readImage(const struct dl_phdr_info &Info, Image &I) {
  const ElfW(Dyn) *Dynamic = nullptr;
  I.Base = Info.dlpi_addr;
  I.Name = Info.dlpi_name ? Info.dlpi_name : "";
  for (unsigned N = 0; N < Info.dlpi_phnum; ++N) {
    const ElfW(Phdr) &P = Info.dlpi_phdr[N];
    uintptr_t Start = I.Base + P.p_vaddr, End = Start + P.p_memsz;
    if (P.p_type == PT_DYNAMIC)
      Dynamic = reinterpret_cast<const ElfW(Dyn) *>(Start);
    if (P.p_type == PT_GNU_RELRO) {
      I.RelroStart = Start & ~(kPage - 1);
      I.RelroEnd = End;
    }
    if (P.p_type == PT_TLS)
      I.TlsBytes = P.p_memsz;
    if (P.p_type == PT_LOAD) {
      I.Start = Start < I.Start ? Start : I.Start;
      I.End = End > I.End ? End : I.End;
    }
  }
  for (const ElfW(Dyn) *D = Dynamic; D && D->d_tag != DT_NULL; ++D) {
    // glibc has relocated these pointers, except in the vDSO.
    uintptr_t Pointer = D->d_un.d_ptr;
    if (Pointer < I.Base)
      Pointer += I.Base;
    switch (D->d_tag) {
    case DT_SYMTAB:
      I.Symbols = reinterpret_cast<const ElfW(Sym) *>(Pointer);
      break;
    case DT_STRTAB:
      I.Strings = reinterpret_cast<const char *>(Pointer);
      break;
    case DT_GNU_HASH:
      I.GnuHash = reinterpret_cast<const uint32_t *>(Pointer);
      break;
    case DT_VERSYM:
      I.Versions = reinterpret_cast<const ElfW(Half) *>(Pointer);
      break;
    case DT_JMPREL:
      I.Relocations[0] = reinterpret_cast<const ElfW(Rela) *>(Pointer);
      break;
    case DT_PLTRELSZ:
      I.RelocationBytes[0] = D->d_un.d_val;
      break;
    case DT_RELA:
      I.Relocations[1] = reinterpret_cast<const ElfW(Rela) *>(Pointer);
      break;
    case DT_RELASZ:
      I.RelocationBytes[1] = D->d_un.d_val;
      break;
    default:
      break;
    }
  }
  return I.Symbols && I.Strings;
}

/// The function \p Name that \p I defines, or null. Not dlsym: that may
/// allocate, takes versions differently, and in an executable without PIC it
/// may answer with the address of a stub that leads back to us.
void *findFunction(const Image &I, const char *Name) {
  if (!I.GnuHash)
    return nullptr;
  uint32_t Hash = 5381; // DJB, as the GNU hash section uses it
  for (const char *C = Name; *C; ++C)
    Hash = Hash * 33 + static_cast<unsigned char>(*C);
  uint32_t BucketCount = I.GnuHash[0], First = I.GnuHash[1];
  uint32_t BloomWords = I.GnuHash[2];
  auto *Buckets = reinterpret_cast<const uint32_t *>(
      reinterpret_cast<const ElfW(Addr) *>(I.GnuHash + 4) + BloomWords);
  const uint32_t *Chain = Buckets + BucketCount;
  if (BucketCount == 0)
    return nullptr;
  for (uint32_t N = Buckets[Hash % BucketCount]; N >= First && N != 0; ++N) {
    const ElfW(Sym) &S = I.Symbols[N];
    uint32_t Link = Chain[N - First];
    bool Hidden = I.Versions && (I.Versions[N] & 0x8000u);
    if ((Link | 1) == (Hash | 1) && S.st_shndx != SHN_UNDEF && !Hidden &&
        strcmp(I.Strings + S.st_name, Name) == 0)
      return reinterpret_cast<void *>(I.Base + S.st_value);
    if (Link & 1)
      break;
  }
  return nullptr;
}

/// Fills a RealAllocator, object by object in the order of symbol search.
struct Finder {
  RealAllocator Found = {};
  Image MallocProvider;
  Image Linker;
  bool ReachedUs = false;      ///< our own object came already
  bool MallocBeforeUs = false; ///< calls of others do not reach us
  bool Replaced = false;
};

int visitForSearch(struct dl_phdr_info *Info, size_t, void *Data) {
  auto &F = *static_cast<Finder *>(Data);
  Image I;
  if (!readImage(*Info, I))
    return 0;
  if (I.contains(INMEM_OURS(malloc))) {
    F.ReachedUs = true;
    return 0;
  }
  if (I.isNamed("ld-linux"))
    F.Linker = I;
#define INMEM_FIND(Result, Name, Parameters)                                   \
  if (!F.Found.Name)                                                           \
    F.Found.Name =                                                             \
        reinterpret_cast<Result(*) Parameters>(findFunction(I, #Name));
  bool HadMalloc = F.Found.malloc != nullptr;
  INMEM_C_ALLOCATOR(INMEM_FIND)
#undef INMEM_FIND
  bool BringsMalloc = !HadMalloc && F.Found.malloc;
  if (BringsMalloc) {
    F.MallocProvider = I;
    F.MallocBeforeUs = !F.ReachedUs;
  }
  // An operator counts as replaced if it comes before ours in the search, and
  // is neither the standard library's nor that of an allocator library, which
  // brings it together with malloc and does what malloc does.
  bool BringsOperator = false;
#define INMEM_FIND(Name)                                                       \
  if (!F.Found.Name)                                                           \
    if (void *Function = findFunction(I, #Name)) {                             \
      F.Found.Name = reinterpret_cast<decltype(F.Found.Name)>(Function);       \
      BringsOperator = true;                                                   \
    }
  INMEM_NEW_OPERATORS(INMEM_FIND)
  INMEM_DELETE_OPERATORS(INMEM_FIND)
#undef INMEM_FIND
  if (BringsOperator && !F.ReachedUs && !BringsMalloc &&
      !I.isNamed("libstdc++") && !I.isNamed("libc++"))
    F.Replaced = true;
  return 0;
}

constinit uint32_t Known = 0; ///< 1 once `Real` holds what was found
constinit Lock SearchLock;
constinit bool Preempted = false;
constinit uintptr_t LinkerStart = 0, LinkerEnd = 0;
/// Files whose thread-local storage is all ours: this library, to begin with.
constinit uint32_t OwnTlsModules = 1;

} // namespace

void resolveAllocator() {
  if (__atomic_load_n(&Known, __ATOMIC_ACQUIRE))
    return;
  Guarded G(Thread);
  Locked L(SearchLock);
  if (Known)
    return;
  Finder F;
  dl_iterate_phdr(visitForSearch, &F);
  if (!F.Found.malloc || !F.Found.free || !F.Found.realloc ||
      !F.Found.calloc) {
    Message().text("no malloc found in this process").emit();
    __builtin_trap();
  }
  // AddressSanitizer's blocks are far enough apart too, and it must see the true
  // size to find what goes beyond it.
  if (!F.MallocProvider.isNamed("libc.so") &&
      !F.MallocProvider.isNamed("libc-") &&
      !findFunction(F.MallocProvider, "__asan_init"))
    F.Found.LeastRequest = 32;
  F.Found.OperatorsReplaced = F.Replaced;
  Preempted = F.MallocBeforeUs;
  LinkerStart = F.Linker.End ? F.Linker.Start : 0;
  LinkerEnd = F.Linker.End;
  Real = F.Found;
  __atomic_store_n(&Known, 1, __ATOMIC_RELEASE);
}

uint64_t ownShareOf(uintptr_t ReturnAddress, size_t Count, size_t Size) {
  // glibc's allocate_dtv: calloc(modules + 16, sizeof(dtv_t)).
  constexpr size_t kEntryBytes = 2 * sizeof(void *);
  if (ReturnAddress < LinkerStart || ReturnAddress >= LinkerEnd ||
      Size != kEntryBytes || Count <= 16 + size_t{OwnTlsModules})
    return 0;
  return OwnTlsModules * kEntryBytes;
}

namespace {

struct TlsQuestion {
  const void *Module;
  size_t Bytes;
};

int visitForTls(struct dl_phdr_info *Info, size_t, void *Data) {
  auto &Q = *static_cast<TlsQuestion *>(Data);
  Image I;
  if (!readImage(*Info, I) || !I.contains(Q.Module))
    return 0;
  Q.Bytes = I.TlsBytes;
  return 1;
}

} // namespace

void noteInstrumentedTls(const void *Module) {
  TlsQuestion Q = {Module, 0};
  dl_iterate_phdr(visitForTls, &Q);
  if (Q.Bytes == sizeof(int64_t))
    __atomic_fetch_add(&OwnTlsModules, 1, __ATOMIC_RELAXED);
}

namespace {

struct Redirection {
  const char *Name;
  void *Ours;
};

const Redirection *redirectionOf(const char *Name) {
  static constinit Redirection Table[64] = {};
  static constinit size_t Count = 0;
  if (Count == 0) {
#define INMEM_ROW(Result, Name, Parameters)                                    \
  Table[Count++] = {#Name, INMEM_OURS(Name)};
    INMEM_C_ALLOCATOR(INMEM_ROW)
#undef INMEM_ROW
    Table[Count++] = {"reallocarray", INMEM_OURS(reallocarray)};
#define INMEM_ROW(Name) Table[Count++] = {#Name, INMEM_OURS(Name)};
    INMEM_NEW_OPERATORS(INMEM_ROW)
    INMEM_DELETE_OPERATORS(INMEM_ROW)
#undef INMEM_ROW
  }
  for (size_t I = 0; I < Count; ++I)
    if (strcmp(Table[I].Name, Name) == 0)
      return &Table[I];
  return nullptr;
}

/// Makes the page of an import slot writable if RELRO made it read-only.
void patchSlot(ElfW(Addr) Slot, void *Value, uintptr_t RelroStart,
               uintptr_t RelroEnd) {
  bool Relro = Slot >= RelroStart && Slot < RelroEnd;
  uintptr_t Page = Slot & ~(kPage - 1);
  if (Relro && mprotect(reinterpret_cast<void *>(Page), kPage,
                        PROT_READ | PROT_WRITE) != 0)
    return;
  __atomic_store_n(reinterpret_cast<void **>(Slot), Value, __ATOMIC_RELEASE);
  if (Relro)
    mprotect(reinterpret_cast<void *>(Page), kPage, PROT_READ);
}

#if defined(__x86_64__)
constexpr unsigned kJumpSlot = R_X86_64_JUMP_SLOT;
constexpr unsigned kGlobalData = R_X86_64_GLOB_DAT;
#else
constexpr unsigned kJumpSlot = R_AARCH64_JUMP_SLOT;
constexpr unsigned kGlobalData = R_AARCH64_GLOB_DAT;
#endif

int visitForRedirection(struct dl_phdr_info *Info, size_t, void *) {
  Image I;
  if (!readImage(*Info, I) || I.contains(INMEM_OURS(malloc)) ||
      I.isNamed("ld-linux"))
    return 0;
  // An allocator calls itself; but libc's other functions (strdup) call malloc
  // through their imports and should reach us.
  if (I.contains(reinterpret_cast<void *>(Real.malloc)) &&
      !I.isNamed("libc.so"))
    return 0;
  for (unsigned T = 0; T < 2; ++T) {
    size_t Count = I.RelocationBytes[T] / sizeof(ElfW(Rela));
    for (size_t N = 0; I.Relocations[T] && N < Count; ++N) {
      const ElfW(Rela) &R = I.Relocations[T][N];
      unsigned Kind = ELF64_R_TYPE(R.r_info);
      if (Kind != kJumpSlot && Kind != kGlobalData)
        continue;
      const ElfW(Sym) &S = I.Symbols[ELF64_R_SYM(R.r_info)];
      if (const Redirection *To = redirectionOf(I.Strings + S.st_name))
        patchSlot(I.Base + R.r_offset, To->Ours, I.RelroStart, I.RelroEnd);
    }
  }
  return 0;
}

} // namespace

void redirectImports() {
  resolveAllocator();
  if (!Preempted)
    return;
  Guarded G(Thread);
  dl_iterate_phdr(visitForRedirection, nullptr);
}

} // namespace inmem::rt

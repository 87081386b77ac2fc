//===- Allocator.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocator/Allocator.h"

#include "allocator/Imports.h"
#include "allocator/Musl.h"
#include "index/LiveIndex.h"
#include "platform/Image.h"
#include "platform/Lock.h"
#include "platform/Message.h"
#include "platform/ProgramMaps.h"
#include "state/ThreadState.h"

#include <string.h>

// Our own definitions (Hooks.cpp). This library is linked with
// -Bsymbolic-functions, so these addresses are ours even if another library's
// come first.
extern "C" {
#define INMEM_DECLARE(Result, Name, Parameters)                                \
  Result Name Parameters noexcept;                                             \
  Result inmem_packed_##Name Parameters INMEM_HIDDEN;
INMEM_C_ALLOCATOR(INMEM_DECLARE)
#undef INMEM_DECLARE
#define INMEM_DECLARE(Name) void Name();
INMEM_NEW_OPERATORS(INMEM_DECLARE)
INMEM_DELETE_OPERATORS(INMEM_DECLARE)
#undef INMEM_DECLARE
void *reallocarray(void *, size_t, size_t) noexcept;
// A preloaded allocator may define these, too.
void *mmap(void *, size_t, int, int, int, off_t) noexcept;
void *mmap64(void *, size_t, int, int, int, off_t) noexcept;
int munmap(void *, size_t) noexcept;
void *mremap(void *, size_t, size_t, int, ...) noexcept;
void *sbrk(intptr_t) noexcept;
}
#define INMEM_OURS(Name) reinterpret_cast<void *>(&::Name)

// For calls of the allocator's C functions and of operators that are not ours.
extern "C" {
extern const char __start_inmem_hooks[] __attribute__((visibility("hidden")));
extern const char __stop_inmem_hooks[] __attribute__((visibility("hidden")));
extern const char __start_inmem_replaced[]
    __attribute__((visibility("hidden")));
extern const char __stop_inmem_replaced[] __attribute__((visibility("hidden")));
extern const char __start_inmem_called[] __attribute__((visibility("hidden")));
extern const char __stop_inmem_called[] __attribute__((visibility("hidden")));
}

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
    .CheckedUpTo = 0,
    .LeastRequest = 0,
    .OperatorsReplaced = false,
    .ReplacedByValgrind = false,
#define INMEM_INITIAL(Result, Name, Parameters) .Name = bootstrap_##Name,
    INMEM_C_ALLOCATOR(INMEM_INITIAL).FreeUnrecorded = bootstrap_free
#undef INMEM_INITIAL
};
constinit RealAllocator Next = {};

namespace {

uintptr_t ours() { return reinterpret_cast<uintptr_t>(INMEM_OURS(malloc)); }

/// A file that precedes ours in symbol search order, and which words of a
/// RealAllocator it defines (bit N: the Nth word).
struct Earlier {
  AddressRange Code;
  uint64_t Defines = 0;
};
constexpr size_t kMostEarlier = 8;
constinit Earlier EarlierFiles[kMostEarlier] = {};
/// The code of each function of `Real`, by its word.
constinit AddressRange FirstCode[64] = {};
static_assert(sizeof(RealAllocator) / sizeof(void *) <= 64);

template <class T> size_t wordOf(const RealAllocator &Of, const T &Member) {
  return (reinterpret_cast<uintptr_t>(&Member) -
          reinterpret_cast<uintptr_t>(&Of)) /
         sizeof(void *);
}
template <class T> uint64_t bitOf(const RealAllocator &Of, const T &Member) {
  return uint64_t{1} << wordOf(Of, Member);
}

/// The functions that the file at \p Address defines, as in Earlier::Defines,
/// if it precedes ours; else 0.
uint64_t definedBefore(uintptr_t Address) {
  for (const Earlier &E : EarlierFiles)
    if (E.Code.contains(Address))
      return E.Defines;
  return 0;
}

constinit bool Attaching = false;

/// Fills a RealAllocator, file by file in the order of symbol search.
struct Finder {
  RealAllocator First = {}; ///< from all files except ours
  RealAllocator After = {}; ///< from files after ours
  Image MallocProvider;
  AddressRange Linker;
  size_t EarlierCount = 0;
  bool ReachedUs = false;      ///< our own file was visited
  bool MallocBeforeUs = false; ///< calls from other files do not reach us
  bool Replaced = false;
  bool ByValgrind = false;

  /// Adds the definitions of \p I that \p Into lacks. \returns them as in
  /// Earlier::Defines
  uint64_t take(const Image &I, RealAllocator &Into) {
    uint64_t Taken = 0;
#define INMEM_FIND(Name)                                                       \
  if (!Into.Name)                                                              \
    if (const AddressRange Code = I.functionRange(#Name); Code.Start) {        \
      Into.Name = reinterpret_cast<decltype(Into.Name)>(Code.Start);           \
      Taken |= bitOf(Into, Into.Name);                                         \
      if (&Into == &First)                                                     \
        FirstCode[wordOf(Into, Into.Name)] = Code;                             \
    }
#define INMEM_FIND_C(Result, Name, Parameters) INMEM_FIND(Name)
    INMEM_C_ALLOCATOR(INMEM_FIND_C)
    INMEM_NEW_OPERATORS(INMEM_FIND)
    INMEM_DELETE_OPERATORS(INMEM_FIND)
#undef INMEM_FIND_C
#undef INMEM_FIND
    return Taken;
  }
  void visit(const Image &I);
};

void Finder::visit(const Image &I) {
  if (I.contains(ours())) {
    ReachedUs = true;
    return;
  }
  if (I.isNamed("ld-linux"))
    Linker = I.span();
  // Every valgrind tool loads vgpreload_core; a tool that replaces allocators
  // also loads a vgpreload_ file of its own.
  if (I.isNamed("vgpreload_") && !I.isNamed("vgpreload_core"))
    Replaced = ByValgrind = true;
  const uint64_t Brought = take(I, First);
  const uint64_t kMalloc = bitOf(First, First.malloc);
  if (Brought & kMalloc) {
    MallocProvider = I;
    MallocBeforeUs = !ReachedUs;
  }
  if (ReachedUs) {
    take(I, After);
    return;
  }
  // The standard libraries forward no calls to us; their own calls reach us as
  // other files' do.
  if (Attaching && isStandardLibrary(I))
    return;
  RealAllocator Alone = {};
  const uint64_t Defines = take(I, Alone);
  if (Defines && EarlierCount < kMostEarlier)
    EarlierFiles[EarlierCount++] = {I.span(), Defines};
  // An operator counts as replaced if it precedes ours in search order and
  // belongs neither to the standard library nor to an allocator library:
  // an allocator's operators only call its malloc.
  const uint64_t kOperators = ~(bitOf(First, First._Znwm) - 1);
  if (Brought & kOperators && !(Brought & kMalloc) && !I.isNamed("libstdc++") &&
      !I.isNamed("libc++"))
    Replaced = true;
}

int visitForSearch(struct dl_phdr_info *Info, size_t, void *Data) {
  static_cast<Finder *>(Data)->visit(Image::of(*Info));
  return 0;
}

constinit uint32_t Known = 0; ///< 1 once `Real` is filled in
constinit Lock SearchLock;
constinit AddressRange Linker;
/// Files with thread-local storage that exists only for inmem; initially this
/// library.
constinit uint32_t OwnTlsModules = 1;

/// The free of a library that precedes ours. Our functions tail-call
/// `Real.free` and leave no frame; if that tail-calls us too, isForwarded finds
/// this function as the caller.
constinit void (*EarlierFree)(void *) = nullptr;
__attribute__((section("inmem_hooks"), noinline)) void
callEarlierFree(void *P) {
  EarlierFree(P);
  asm volatile(""); // not a tail call
}

} // namespace

#ifdef __GLIBC__
static void replaceNesting(Finder &) {}
#else
/// Replaces musl's own functions by the ones in Musl.h.
static void replaceNesting(Finder &F) {
  if (!F.MallocProvider.contains(
          reinterpret_cast<uintptr_t>(&::dl_iterate_phdr)))
    return;
  F.First.calloc = musl::calloc;
  F.First.memalign = musl::memalign;
  F.First.posix_memalign = musl::posix_memalign;
  F.First.valloc = musl::valloc;
  F.First.pvalloc = musl::pvalloc;
}
#endif

/// True if the program's malloc is a sanitizer's.
static bool isOfSanitizer(const Image &I) {
  static constexpr const char *kInits[] = {
      "__asan_init", "__hwasan_init",  "__msan_init", "__tsan_init",
      "__lsan_init", "__memprof_init", "__dfsan_init"};
  for (const char *Name : kInits)
    if (I.function(Name))
      return true;
  return false;
}

void expectAttaching() { Attaching = true; }

void resolveAllocator() {
  if (__atomic_load_n(&Known, __ATOMIC_ACQUIRE))
    return;
  Guarded G(Thread);
  Locked L(SearchLock);
  if (Known)
    return;
  Finder F;
  // The symbol tables of all files are searched here. dlsym(RTLD_NEXT) would
  // miss an allocator that precedes us, such as a preloaded one.
  dl_iterate_phdr(visitForSearch, &F);
  RealAllocator &Found = F.First;
  if (!Found.malloc || !Found.free || !Found.realloc || !Found.calloc) {
    Message().text("no malloc found in this process").emit();
    __builtin_trap();
  }
  replaceNesting(F);
  // Blocks of AddressSanitizer and of glibc's heap checks are far enough
  // apart too, and both must see the true size to find overflows.
  if (!F.MallocProvider.isNamed("libc.so") &&
      !F.MallocProvider.isNamed("libc-") &&
      !F.MallocProvider.isNamed("libc_malloc_debug.so") &&
      !F.MallocProvider.function("__asan_init"))
    Found.LeastRequest = 32;
  // A program that defines malloc would see raised sizes.
  Found.Packs = F.MallocBeforeUs && !*F.MallocProvider.name() &&
                !isOfSanitizer(F.MallocProvider);
  if (Found.Packs)
    Found.LeastRequest = 0;
  else if (Attaching) // we are searched last
    F.MallocBeforeUs = false;
  Found.CheckedUpTo = F.MallocBeforeUs     ? SIZE_MAX
                      : Found.LeastRequest ? Found.LeastRequest - 1
                                           : 0;
  Found.OperatorsReplaced = F.Replaced || Found.Packs;
  Found.NewCheckedUpTo = Found.OperatorsReplaced ? SIZE_MAX : Found.CheckedUpTo;
  Found.ReplacedByValgrind = F.ByValgrind;
  if (Found.OperatorsReplaced)
    disableDirectDelete();
  if (F.ByValgrind)
    probeByCopying();
  Found.MallocBeforeUs = F.MallocBeforeUs;
  Linker = F.Linker;
  Next = F.After;
  if (F.MallocBeforeUs) {
    EarlierFree = Found.free;
    Found.free = callEarlierFree;
  }
  Found.FreeUnrecorded = Found.free;
  Real = Found;
  __atomic_store_n(&Known, 1, __ATOMIC_RELEASE);
}

bool isForwarded(uint64_t Function, bool IsOperator, uintptr_t ReturnAddress) {
  const auto Within = [=](const char *Start, const char *Stop) {
    return AddressRange{reinterpret_cast<uintptr_t>(Start),
                        reinterpret_cast<uintptr_t>(Stop)}
        .contains(ReturnAddress);
  };
  // The return address is in our own code: the forwarding function tail-called
  // us and left no frame.
  if (IsOperator ? Within(__start_inmem_replaced, __stop_inmem_replaced)
                 : Within(__start_inmem_hooks, __stop_inmem_hooks) ||
                       Within(__start_inmem_called, __stop_inmem_called))
    return true;
  if (!(definedBefore(ReturnAddress) & Function))
    return false;
  // A call of an operator reaches the first definition, which is ours only if
  // imports were redirected. In that case the return address may belong to a
  // file that did not forward the call: std::string's _M_create tail-calls
  // operator new, and the string's user may be in a file that defines
  // operators. So the return address must be inside an operator.
  return !IsOperator || !Real.MallocBeforeUs ||
         Thread.Operators.Running.Frame ||
         FirstCode[__builtin_ctzll(Function)].contains(ReturnAddress);
}

uint64_t ownShareOf(uintptr_t ReturnAddress, size_t Count, size_t Size) {
  // glibc's allocate_dtv: calloc(modules + 16, sizeof(dtv_t)).
  constexpr size_t kEntryBytes = 2 * sizeof(void *);
  if (!Linker.contains(ReturnAddress) || Size != kEntryBytes ||
      Count <= 16 + size_t{OwnTlsModules})
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
  const Image I = Image::of(*Info);
  if (!I.contains(reinterpret_cast<uintptr_t>(Q.Module)))
    return 0;
  const AddressRange Tls = I.segmentRange(PT_TLS);
  Q.Bytes = Tls.End - Tls.Start;
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
  void *Packed;      ///< as Ours, for blocks less than 32 bytes apart; or null
  uint64_t Function; ///< as in Earlier::Defines
};

struct MapFunction {
  const char *Name;
  void *Ours;
};
const MapFunction kMapFunctions[] = {{"mmap", INMEM_OURS(mmap)},
                                     {"mmap64", INMEM_OURS(mmap64)},
                                     {"munmap", INMEM_OURS(munmap)},
                                     {"mremap", INMEM_OURS(mremap)},
                                     {"sbrk", INMEM_OURS(sbrk)}};

const Redirection *redirectionOf(const char *Name) {
  static constinit Redirection Table[64] = {};
  static constinit size_t Count = 0;
  if (Count == 0) {
#define INMEM_ROW(Result, Name, Parameters)                                    \
  Table[Count++] = {#Name, INMEM_OURS(Name), INMEM_OURS(inmem_packed_##Name),  \
                    bitOf(Real, Real.Name)};
    INMEM_C_ALLOCATOR(INMEM_ROW)
#undef INMEM_ROW
    Table[Count++] = {"reallocarray", INMEM_OURS(reallocarray), nullptr, 0};
#define INMEM_ROW(Name)                                                        \
  Table[Count++] = {#Name, INMEM_OURS(Name), nullptr, bitOf(Real, Real.Name)};
    INMEM_NEW_OPERATORS(INMEM_ROW)
    INMEM_DELETE_OPERATORS(INMEM_ROW)
#undef INMEM_ROW
    for (const MapFunction &F : kMapFunctions)
      Table[Count++] = {F.Name, F.Ours, nullptr, 0};
  }
  for (size_t I = 0; I < Count; ++I)
    if (strcmp(Table[I].Name, Name) == 0)
      return &Table[I];
  return nullptr;
}

/// \param Except functions that the file defines itself
void redirect(const Image &I, uint64_t Except) {
  forEachImport(I, [&](uintptr_t Slot, const char *Name) {
    const Redirection *To = redirectionOf(Name);
    if (To && !(To->Function & Except))
      patchSlot(I, Slot, Real.Packs && To->Packed ? To->Packed : To->Ours);
  });
}

int visitForRedirection(struct dl_phdr_info *Info, size_t, void *) {
  const Image I = Image::of(*Info);
  // An allocator's calls to itself are left alone; libc's other functions
  // (strdup) call malloc through their imports and must reach us.
  const uint64_t Own = definedBefore(I.span().Start);
  if (I.contains(ours()) || I.isNamed("ld-linux") ||
      Own & bitOf(Real, Real.malloc))
    return 0;
  redirect(I, Own);
  return 0;
}

} // namespace

void releaseAllocatorLock() { SearchLock.releaseOwn(); }

bool isWhatHookCalls(const char *Name, const void *Function) {
  const Redirection *To = redirectionOf(Name);
  if (!To || Function == To->Ours)
    return To != nullptr;
  return To->Function && !(Real.Packs && To->Packed) &&
         FirstCode[__builtin_ctzll(To->Function)].Start ==
             reinterpret_cast<uintptr_t>(Function);
}

void redirectImports() {
  resolveAllocator();
  if (!Real.MallocBeforeUs)
    return;
  Guarded G(Thread);
  callFirstMaps();
  dl_iterate_phdr(visitForRedirection, nullptr);
}

} // namespace inmem::rt

//===- StaticAllocator.cpp - Allocator.h for static executables -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only in libinmem_rt.a. The linker's --wrap=malloc and similar options, which
// inmem-clang passes, send the program's calls to us and give us the real
// functions as __real_*. C++'s operators are weak, since a C program has none.
//
//===----------------------------------------------------------------------===//
#include "allocator/Allocator.h"

#include "allocator/Musl.h"
#include "index/LiveIndex.h"
#include "platform/Mappings.h"
#include "platform/Process.h"

#include <string.h>

extern "C" {
#define INMEM_DECLARE(Result, Name, Parameters)                                \
  Result __real_##Name Parameters;                                             \
  Result __wrap_##Name Parameters;                                             \
  INMEM_HIDDEN Result __inmem_wrapped_##Name Parameters;
INMEM_C_ALLOCATOR(INMEM_DECLARE)
#undef INMEM_DECLARE
INMEM_HIDDEN void *__inmem_wrapped_reallocarray(void *, size_t, size_t);
#ifdef __GLIBC__
/// Defined in the same object as glibc's malloc: null if the program has its
/// own.
__attribute__((weak)) void *__libc_malloc(size_t);
#endif
#define INMEM_DECLARE(Name) __attribute__((weak)) void Name();
INMEM_NEW_OPERATORS(INMEM_DECLARE)
INMEM_DELETE_OPERATORS(INMEM_DECLARE)
#undef INMEM_DECLARE
}

namespace inmem::rt {

#ifdef __GLIBC__
#define INMEM_UNDER(Name) __real_##Name
#else
namespace musl { // also contains the functions of Musl.h
static constexpr auto *malloc = __real_malloc;
static constexpr auto *realloc = __real_realloc;
static constexpr auto *free = __real_free;
static constexpr auto *aligned_alloc = __real_aligned_alloc;
} // namespace musl
#define INMEM_UNDER(Name) musl::Name
#endif

constinit RealAllocator Real = {
    .CheckedUpTo = 31,
    .LeastRequest = 32, // in case malloc is unknown
    .OperatorsReplaced = false,
    .ReplacedByValgrind = false,
#define INMEM_INITIAL(Result, Name, Parameters) .Name = INMEM_UNDER(Name),
    INMEM_C_ALLOCATOR(INMEM_INITIAL).FreeUnrecorded = INMEM_UNDER(free)
#undef INMEM_INITIAL
};

/// At run time, because casts of the declarations above are not constant
/// expressions.
__attribute__((constructor(101))) static void findOperators() {
  resolveAllocator();
}

constinit OwnFunctions Own = {};
constinit bool HasOwnOperators = false;
constinit bool AllocatorsInstrumented = true; // unknown: assume true

/// If malloc is not glibc's, it is the program's own. It would see raised
/// sizes, so blocks that are less than 32 bytes apart go into the side table.
static void findOwnMalloc() {
  // Handles the user's own --wrap, or lld's --defsym, which leaves nothing for
  // __real_*. The asm hides the origin: LLVM assumes that two externals differ.
#define INMEM_SET(Result, Name, Parameters)                                    \
  {                                                                            \
    auto *Theirs = __wrap_##Name;                                              \
    hideOrigin(Theirs);                                                        \
    if (Theirs != __inmem_wrapped_##Name)                                      \
      Own.Name = Theirs;                                                       \
    auto *Rest = Real.Name;                                                    \
    hideOrigin(Rest);                                                          \
    if (!Rest)                                                                 \
      Real.Name = Theirs;                                                      \
  }
  INMEM_C_ALLOCATOR(INMEM_SET)
#undef INMEM_SET
#ifdef __GLIBC__
  const void *Linked = reinterpret_cast<const void *>(&__real_malloc);
  hideOrigin(Linked); // clang assumes that two externals differ
  if (Linked == reinterpret_cast<const void *>(&__libc_malloc))
    return;
  Real.Packs = true;
  Real.LeastRequest = 0;
  Real.CheckedUpTo = SIZE_MAX;
  disableDirectLookup();
  HasOwnOperators = true; // a library block may be a packed one
#define INMEM_SET(Result, Name, Parameters)                                    \
  if (!Own.Name)                                                               \
    Own.Name = Real.Name;
  INMEM_C_ALLOCATOR(INMEM_SET)
#undef INMEM_SET
#endif
}

void resolveAllocator() {
  findOwnMalloc();
#define INMEM_SET(Name)                                                        \
  Real.Name = reinterpret_cast<decltype(Real.Name)>(&::Name);
  INMEM_NEW_OPERATORS(INMEM_SET)
  INMEM_DELETE_OPERATORS(INMEM_SET)
#undef INMEM_SET
  // valgrind cannot preload files into a static program, but sets LD_PRELOAD
  // anyway.
  withEnvironmentVariable("LD_PRELOAD", [](const char *Files) {
    if (strstr(Files, "vgpreload_core"))
      probeByCopying();
  });
}

uint64_t ownShareOf(uintptr_t, size_t, size_t) { return 0; }
void noteInstrumentedTls(const void *) {}
void redirectImports() { resolveAllocator(); }

/// Sets \p Into to \p Function unless that is \p Usual or \p Ours, which the
/// program's code reaches anyway.
template <class F, class G, class H>
static void adopt(F *&Into, const void *Function, G *Usual, H *Ours) {
  const auto Address = [](auto *Of) {
    return reinterpret_cast<const void *>(Of);
  };
  if (Function && Function != Address(Usual) && Function != Address(Ours))
    Into = reinterpret_cast<F *>(reinterpret_cast<uintptr_t>(Function));
}

/// The program is one module, so each function has one definition.
void adoptReferences(const struct inmem_module &Of) {
  const struct inmem_module *Module = &Of;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): the member is a pointer
  if (!INMEM_MODULE_HAS(Module, references_end))
    return;
  resolveAllocator();
  for (const auto *R = Of.references_begin; R < Of.references_end; ++R) {
    if (!R->by)
      continue;
    switch (R->hook) {
#define INMEM_ADOPT(Result, Name, Parameters)                                  \
  case INMEM_HOOK_##Name:                                                      \
    adopt(Own.Name, R->function, Real.Name, __inmem_wrapped_##Name);           \
    break;
      INMEM_C_ALLOCATOR(INMEM_ADOPT)
#undef INMEM_ADOPT
    case INMEM_HOOK_reallocarray:
      adopt(Own.reallocarray, R->function, __inmem_wrapped_reallocarray,
            __inmem_wrapped_reallocarray);
      break;
#define INMEM_ADOPT(Name)                                                      \
  case INMEM_HOOK_##Name:                                                      \
    adopt(Own.Name, R->function, Real.Name, Real.Name);                        \
    HasOwnOperators |= Own.Name != nullptr;                                    \
    break;
      INMEM_NEW_OPERATORS(INMEM_ADOPT)
      INMEM_DELETE_OPERATORS(INMEM_ADOPT)
#undef INMEM_ADOPT
    default:
      break;
    }
  }
  if (Own.malloc || HasOwnOperators)
    disableDirectLookup();
}
void releaseAllocatorLock() {}

} // namespace inmem::rt

//===- StaticAllocator.cpp - Allocator.h for static executables -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In libinmem_rt.a only. The linker's --wrap=malloc (and so on; inmem-clang
// passes them) sends the program's calls to us and gives us the real functions
// as __real_*. C++'s operators are weak: a C program has none.
//
//===----------------------------------------------------------------------===//
#include "allocator/Allocator.h"

#include "allocator/Musl.h"
#include "platform/Mappings.h"
#include "platform/Process.h"

#include <string.h>

extern "C" {
#define INMEM_DECLARE(Result, Name, Parameters) Result __real_##Name Parameters;
INMEM_C_ALLOCATOR(INMEM_DECLARE)
#undef INMEM_DECLARE
#define INMEM_DECLARE(Name) __attribute__((weak)) void Name();
INMEM_NEW_OPERATORS(INMEM_DECLARE)
INMEM_DELETE_OPERATORS(INMEM_DECLARE)
#undef INMEM_DECLARE
}

namespace inmem::rt {

#ifdef __GLIBC__
#define INMEM_UNDER(Name) __real_##Name
#else
namespace musl { // and what Musl.h has
static constexpr auto *malloc = __real_malloc;
static constexpr auto *realloc = __real_realloc;
static constexpr auto *free = __real_free;
static constexpr auto *aligned_alloc = __real_aligned_alloc;
} // namespace musl
#define INMEM_UNDER(Name) musl::Name
#endif

constinit RealAllocator Real = {.CheckedUpTo = 31,
                                .LeastRequest =
                                    32, // whose malloc this is, is unknown
                                .OperatorsReplaced = false,
                                .ReplacedByValgrind = false,
#define INMEM_INITIAL(Result, Name, Parameters) .Name = INMEM_UNDER(Name),
                                INMEM_C_ALLOCATOR(INMEM_INITIAL)
#undef INMEM_INITIAL
};

/// Casts of the declarations above are not constant expressions.
__attribute__((constructor(101))) static void findOperators() {
  resolveAllocator();
}

void resolveAllocator() {
#define INMEM_SET(Name)                                                        \
  Real.Name = reinterpret_cast<decltype(Real.Name)>(&::Name);
  INMEM_NEW_OPERATORS(INMEM_SET)
  INMEM_DELETE_OPERATORS(INMEM_SET)
#undef INMEM_SET
  // valgrind loads nothing into a static program, but asks for it all the same.
  withEnvironmentVariable("LD_PRELOAD", [](const char *Files) {
    if (strstr(Files, "vgpreload_core"))
      probeByCopying();
  });
}

uint64_t ownShareOf(uintptr_t, size_t, size_t) { return 0; }
void noteInstrumentedTls(const void *) {}
void redirectImports() { resolveAllocator(); }
void releaseAllocatorLock() {}

} // namespace inmem::rt

//===- StaticHooks.h - hooks of static executables ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only in libinmem_rt.a. A static program has no import slots to patch, so each
// hook checks whether the program's code reaches a function other than the one
// that --wrap gave the runtime.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_STATICHOOKS_H
#define INMEM_RUNTIME_STATICHOOKS_H

#include "allocator/Allocator.h"

#ifdef INMEM_STATIC

/// In a hook: forwards the call if the program defines the function itself.
#define INMEM_IF_OWN(Name, Result)                                             \
  if (INMEM_UNLIKELY(Own.Name != nullptr))                                     \
    return Result;
#define INMEM_OWN(Name) reinterpret_cast<void (*)()>(Own.Name)
/// In functions that --wrap substitutes for C's: forwards the call if the
/// program defines malloc itself.
#define INMEM_IF_PACKED(Name, ...)                                             \
  if (INMEM_UNLIKELY(Real.Packs))                                              \
    INMEM_TAIL return inmem_packed_##Name(__VA_ARGS__);
/// Weak, because the user's own --wrap defines the same names.
#define INMEM_WEAK __attribute__((weak))

namespace inmem::rt {

/// Calls \p Operator, which may be the library's or the program's own, and lets
/// the malloc in it record the block. If it turns out not to call the runtime's
/// malloc, it is stored in \p OwnOperator, and from then on its own allocations
/// do not count.
INMEM_IN_HOOKS void *newThroughMalloc(NewOperator Operator,
                                      NewOperator &OwnOperator, size_t Size,
                                      uintptr_t Second, const void *Third,
                                      struct inmem_site *Site,
                                      const uintptr_t *Back);

/// operator delete for programs with HasOwnOperators.
INMEM_IN_HOOKS void deleteOwn(DeleteOperator Operator, void *P,
                              uintptr_t Second, uintptr_t Third);

} // namespace inmem::rt

#else
#define INMEM_IF_OWN(Name, Result)
#define INMEM_IF_PACKED(Name, ...)
#define INMEM_WEAK
#endif

#endif

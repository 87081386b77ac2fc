//===- StaticHooks.h - hooks of static executables ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In libinmem_rt.a only. There are no import slots to patch: a hook itself
// looks if the program's code reaches another function than what --wrap left
// us.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_STATICHOOKS_H
#define INMEM_RUNTIME_STATICHOOKS_H

#include "allocator/Allocator.h"

#ifdef INMEM_STATIC

/// In a hook: passes the call on if the program has a function of its own.
#define INMEM_IF_OWN(Name, Result)                                             \
  if (INMEM_UNLIKELY(Own.Name != nullptr))                                     \
    return Result;
#define INMEM_OWN(Name) reinterpret_cast<void (*)()>(Own.Name)
/// In what --wrap puts in the place of C's functions: passes the call on if
/// malloc is the program's own.
#define INMEM_IF_PACKED(Name, ...)                                             \
  if (INMEM_UNLIKELY(Real.Packs))                                              \
    INMEM_TAIL return inmem_packed_##Name(__VA_ARGS__);
/// The user's own --wrap has the same names.
#define INMEM_WEAK __attribute__((weak))

namespace inmem::rt {

/// Calls \p Operator, which may be the library's or the program's own: the
/// malloc in it brings the block. If there is none, it becomes \p OwnOperator,
/// in which what it allocates does not count.
INMEM_IN_HOOKS void *newThroughMalloc(NewOperator Operator,
                                      NewOperator &OwnOperator, size_t Size,
                                      uintptr_t Second, const void *Third,
                                      struct inmem_site *Site,
                                      const uintptr_t *Back);

/// operator delete if HasOwnOperators.
INMEM_IN_HOOKS void deleteOwn(DeleteOperator Operator, void *P,
                              uintptr_t Second, uintptr_t Third);

} // namespace inmem::rt

#else
#define INMEM_IF_OWN(Name, Result)
#define INMEM_IF_PACKED(Name, ...)
#define INMEM_WEAK
#endif

#endif

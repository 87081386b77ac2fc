//===- OwnReferences.cpp - a module's own allocation functions ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks call the allocator of the process. A module's references may resolve to
// another one: hidden by its version script, named by --wrap, or found first by
// RTLD_DEEPBIND. The module's import slots of these hooks are then pointed at
// functions of the module that pass on its own allocator (docs/abi.md).
//
//===----------------------------------------------------------------------===//
#include "allocator/Allocator.h"
#include "allocator/Imports.h"
#include "state/Runtime.h"

#include <string.h>

namespace inmem::rt {

constinit bool AllocatorsInstrumented = false;

namespace {

// Definitions that are instrumented, and reached through `Real`.
constinit RealAllocator Instrumented = {};

/// Calls \p Function with recording suspended: its own allocations for a block
/// (calloc by malloc) do not count.
template <class Function>
void *callInstrumented(Function *Of, size_t A, uintptr_t B = 0,
                       uintptr_t C = 0) {
  const auto General =
      reinterpret_cast<NewOperator>(reinterpret_cast<void (*)()>(Of));
  const auto *Third = reinterpret_cast<const void *>(C);
  return Process.State == InitState::Off ? General(A, B, Third)
                                         : inmem_call_own(General, A, B, Third);
}

void *instrumented_malloc(size_t Size) {
  return callInstrumented(Instrumented.malloc, Size);
}
void *instrumented_calloc(size_t Count, size_t Size) {
  return callInstrumented(Instrumented.calloc, Count, Size);
}
void *instrumented_realloc(void *P, size_t Size) {
  return callInstrumented(Instrumented.realloc, reinterpret_cast<size_t>(P),
                          Size);
}
void *instrumented_memalign(size_t Align, size_t Size) {
  return callInstrumented(Instrumented.memalign, Align, Size);
}
void *instrumented_aligned_alloc(size_t Align, size_t Size) {
  return callInstrumented(Instrumented.aligned_alloc, Align, Size);
}
int instrumented_posix_memalign(void **Result, size_t Align, size_t Size) {
  return static_cast<int>(reinterpret_cast<intptr_t>(
      callInstrumented(Instrumented.posix_memalign,
                       reinterpret_cast<size_t>(Result), Align, Size)));
}

/// \p Function is an instrumented definition of the module.
void noteDefinition(const void *Function) {
  AllocatorsInstrumented = true;
#define INMEM_ONE(Name)                                                        \
  if (reinterpret_cast<const void *>(Real.Name) == Function && Function) {     \
    Instrumented.Name = Real.Name;                                             \
    __atomic_store_n(&Real.Name, instrumented_##Name, __ATOMIC_RELEASE);       \
  }
  INMEM_ONE(malloc)
  INMEM_ONE(calloc)
  INMEM_ONE(realloc)
  INMEM_ONE(memalign)
  INMEM_ONE(aligned_alloc)
  INMEM_ONE(posix_memalign)
#undef INMEM_ONE
}

const char *nameOf(uint32_t Hook) {
  static constexpr const char *kNames[] = {
#define INMEM_NAME(Name) #Name,
      INMEM_ALLOCATING_FUNCTIONS(INMEM_NAME) INMEM_FREEING_FUNCTIONS(INMEM_NAME)
#undef INMEM_NAME
  };
  static_assert(sizeof kNames / sizeof *kNames == INMEM_HOOKS);
  return Hook < INMEM_HOOKS ? kNames[Hook] : nullptr;
}

/// True if \p Name is that of the hook for \p Function.
bool isHook(const char *Name, const char *Function, bool From) {
  const char *Prefix = From ? INMEM_FROM_PREFIX : INMEM_HOOK_PREFIX;
  const size_t Length = strlen(Prefix);
  return strncmp(Name, Prefix, Length) == 0 &&
         strcmp(Name + Length, Function) == 0;
}

/// True if a file that is not position-independent has its stub for a function
/// of another file at \p Address: the stub leads to the function that all files
/// reach.
bool isStub(uintptr_t Address) {
  Image I;
  if (!Image::around(Address, I))
    return false;
  const Image::Relocations All[] = {I.jumpRelocations(), I.otherRelocations()};
  for (const Image::Relocations &Of : All)
    for (size_t N = 0; N < Of.Count; ++N)
      if (I.isStubOf(Of.First[N], Address))
        return true;
  return false;
}

/// True if the hook of \p R calls the function that the module's own reference
/// reaches.
bool isDefault(const struct inmem_reference &R, const char *Name) {
  return !R.function || // nothing defines it
         isWhatHookCalls(Name, R.function) ||
         isStub(reinterpret_cast<uintptr_t>(R.function));
}

} // namespace

void adoptReferences(const struct inmem_module &Of) {
  const struct inmem_module *Module = &Of;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): the size of the member
  if (!INMEM_MODULE_HAS(Module, references_end))
    return;
  resolveAllocator();
  const auto *Begin = Of.references_begin, *End = Of.references_end;
  for (const auto *R = Begin; R < End; ++R)
    if (R->flags & INMEM_REFERENCE_DEFINED)
      noteDefinition(R->function);
  Image I;
  bool Known = false;
  for (const auto *R = Begin; R < End; ++R) {
    const char *Name = nameOf(R->hook);
    if (!R->by || !Name || isDefault(*R, Name))
      continue;
    if (!Known && !Image::around(reinterpret_cast<uintptr_t>(&Of), I))
      return;
    Known = true;
    forEachImport(I, [&](uintptr_t Slot, const char *Import) {
      if (isHook(Import, Name, R->flags & INMEM_REFERENCE_FROM))
        patchSlot(I, Slot, R->by);
    });
  }
}

} // namespace inmem::rt

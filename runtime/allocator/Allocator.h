//===- Allocator.h - The allocator that really serves the program ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The allocator that the program would use without us: glibc's malloc, one that
// is linked or preloaded, or one that the program defines itself. Found at the
// first call; later calls are plain indirect calls.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_ALLOCATOR_H
#define INMEM_RUNTIME_ALLOCATOR_H

#include "platform/Compiler.h"

#include "inmem/abi.h"

// A shared runtime defines the functions themselves; an archive, for static
// executables, defines the replacements of the linker's --wrap.
#ifdef INMEM_STATIC
#define INMEM_INTERPOSED(Name) __wrap_##Name
#else
#define INMEM_INTERPOSED(Name) Name
#endif

namespace inmem::rt {

/// X(result, name, parameters): the C functions that we interpose.
#define INMEM_C_ALLOCATOR(X)                                                   \
  X(void *, malloc, (size_t))                                                  \
  X(void *, calloc, (size_t, size_t))                                          \
  X(void *, realloc, (void *, size_t))                                         \
  X(void, free, (void *))                                                      \
  X(void *, memalign, (size_t, size_t))                                        \
  X(void *, aligned_alloc, (size_t, size_t))                                   \
  X(int, posix_memalign, (void **, size_t, size_t))                            \
  X(void *, valloc, (size_t))                                                  \
  X(void *, pvalloc, (size_t))

// clang-format off: it moves the rows of such lists each time it runs.
/// X(name): C++'s replaceable operators, by mangled name.
#define INMEM_NEW_OPERATORS(X) \
  X(_Znwm) X(_Znam) X(_ZnwmRKSt9nothrow_t) X(_ZnamRKSt9nothrow_t) \
  X(_ZnwmSt11align_val_t) X(_ZnamSt11align_val_t) \
  X(_ZnwmSt11align_val_tRKSt9nothrow_t) \
  X(_ZnamSt11align_val_tRKSt9nothrow_t)
#define INMEM_DELETE_OPERATORS(X) \
  X(_ZdlPv) X(_ZdaPv) X(_ZdlPvm) X(_ZdaPvm) X(_ZdlPvRKSt9nothrow_t) \
  X(_ZdaPvRKSt9nothrow_t) X(_ZdlPvSt11align_val_t) X(_ZdaPvSt11align_val_t) \
  X(_ZdlPvmSt11align_val_t) X(_ZdaPvmSt11align_val_t) \
  X(_ZdlPvSt11align_val_tRKSt9nothrow_t) \
  X(_ZdaPvSt11align_val_tRKSt9nothrow_t)
// clang-format on

/// Any operator: surplus arguments are harmless in the C calling conventions of
/// x86-64 and AArch64.
using NewOperator = void *(*)(size_t, uintptr_t, const void *);
using DeleteOperator = void (*)(void *, uintptr_t, uintptr_t);

struct RealAllocator {
  // The hot paths read these first: one cache line.
  /// Requests up to this size are checked before they reach the allocator: 0
  /// with glibc; SIZE_MAX (all) if a malloc precedes ours or few blocks are
  /// recorded.
  size_t CheckedUpTo = 0;
  /// As CheckedUpTo, for operator new: SIZE_MAX also if the program replaces
  /// it.
  size_t NewCheckedUpTo = 0;
  /// Smaller requests are raised to this, so that blocks are at least 32 bytes
  /// apart (LiveIndex.h): 32, or 0 with glibc, which always keeps that
  /// distance.
  size_t LeastRequest = 0;
  /// The program replaces operator new or delete: we call its operators, and
  /// their blocks go into the side table.
  bool OperatorsReplaced = false;
  /// The program runs under a valgrind tool that replaces allocators. Valgrind
  /// expects blocks of operator new in operator delete, so OperatorsReplaced is
  /// true, too.
  bool ReplacedByValgrind = false;
  /// A malloc precedes ours: other code's calls may not reach us, or reach us
  /// only after that malloc handed them on.
  bool MallocBeforeUs = false;
  /// The program defines malloc itself and would see raised sizes: requests are
  /// not raised, and blocks less than 32 bytes apart go into the side table.
  bool Packs = false;
#define INMEM_MEMBER(Result, Name, Parameters)                                 \
  Result(*Name) Parameters = nullptr;
  INMEM_C_ALLOCATOR(INMEM_MEMBER)
#undef INMEM_MEMBER
  /// Frees a block that is not recorded: `free`, unless such frees are counted
  /// (Attach.cpp).
  void (*FreeUnrecorded)(void *) = nullptr;
#define INMEM_MEMBER(Name) NewOperator Name = nullptr;
  INMEM_NEW_OPERATORS(INMEM_MEMBER)
#undef INMEM_MEMBER
#define INMEM_MEMBER(Name) DeleteOperator Name = nullptr;
  INMEM_DELETE_OPERATORS(INMEM_MEMBER)
#undef INMEM_MEMBER
};
INMEM_HIDDEN extern RealAllocator Real;

INMEM_INLINE size_t atLeast(size_t Size) {
  return INMEM_UNLIKELY(Size < Real.LeastRequest) ? Real.LeastRequest : Size;
}

/// `inmem attach` loaded us: the program's other files came first, and no
/// allocator can forward calls to us. Call before the allocator is found.
void expectAttaching();

/// Finds the allocator, unless it has been found. Callable before constructors
/// and from signal handlers.
void resolveAllocator();

/// Makes hooks check all requests from now on.
inline void checkAllRequests() {
  resolveAllocator();
  __atomic_store_n(&Real.CheckedUpTo, SIZE_MAX, __ATOMIC_RELAXED);
  __atomic_store_n(&Real.NewCheckedUpTo, SIZE_MAX, __ATOMIC_RELAXED);
}

/// The functions that follow ours in symbol search order. A library that
/// precedes us may forward its calls to us (dlsym(RTLD_NEXT)), and `Real` would
/// call it again. The flags mean nothing here.
extern RealAllocator Next;

/// True if the definition that precedes ours forwarded this call of the
/// function at this bit of `Real`. The call then continues to `Next`
/// unrecorded: it was counted on its way there. A library that precedes us
/// without forwarding never calls us this way.
bool isForwarded(uint64_t Function, bool IsOperator, uintptr_t ReturnAddress);
template <class F>
INMEM_COLD bool isForwarded(F RealAllocator::*Function,
                            uintptr_t ReturnAddress) {
  if (Real.*Function == Next.*Function || !(Next.*Function))
    return false;
  size_t Word = (reinterpret_cast<uintptr_t>(&(Real.*Function)) -
                 reinterpret_cast<uintptr_t>(&Real)) /
                sizeof(void *);
  constexpr bool kOperator =
      __is_same(F, NewOperator) || __is_same(F, DeleteOperator);
  return isForwarded(uint64_t{1} << Word, kOperator, ReturnAddress);
}

/// The bytes of a calloc(\p Count, \p Size) at \p ReturnAddress that we cause:
/// the dynamic linker's per-thread table has 16 bytes for each loaded file with
/// thread-local storage, which includes ours.
uint64_t ownShareOf(uintptr_t ReturnAddress, size_t Count, size_t Size);
/// Call for an instrumented file with thread-local storage. If
/// instrumentation's counter is all that it has there, it has thread-local
/// storage only because of us.
void noteInstrumentedTls(const void *Module);

/// Points the import slots of all loaded files at our functions if another
/// library's malloc precedes ours (a preloaded allocator). Does nothing if
/// calls reach us anyway.
void redirectImports();
/// If the module's references resolve to allocation functions other than the
/// process's, points its import slots of hooks at functions of the module that
/// pass its own (OwnReferences.cpp).
void adoptReferences(const struct inmem_module &Of);
/// True if the hook of \p Name calls \p Function, as the module would: it is
/// ours, or the first one of the process.
bool isWhatHookCalls(const char *Name, const void *Function);
#ifdef INMEM_STATIC
/// Functions that hooks call; null: the function of `Real`, which other code
/// reaches.
struct OwnFunctions : RealAllocator {
  void *(*reallocarray)(void *, size_t, size_t) = nullptr;
};
INMEM_HIDDEN extern OwnFunctions Own;
/// The program has its own operator new, so operators delete have to look for
/// the block.
INMEM_HIDDEN extern bool HasOwnOperators;
#endif
/// An allocation function is instrumented, so it may itself call hooks.
INMEM_HIDDEN extern bool AllocatorsInstrumented;
/// Releases a lock that a jump left held by the calling thread (Recovery.h).
void releaseAllocatorLock();

} // namespace inmem::rt

extern "C" {
/// Call a replaced operator with recording suspended for this thread, also if
/// it throws (Replaced.c).
void *inmem_call_replaced_new(inmem::rt::NewOperator, size_t, uintptr_t,
                              const void *);
void inmem_call_replaced_delete(inmem::rt::DeleteOperator, void *, uintptr_t,
                                uintptr_t);
/// As inmem_call_replaced_new, for any of C's functions.
void *inmem_call_own(inmem::rt::NewOperator, size_t, uintptr_t, const void *);
}

#endif

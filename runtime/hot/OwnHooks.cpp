//===- OwnHooks.cpp - __inmem_by_*: allocators of the program's own -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each hook takes the function to call: one that the program defines itself, or
// one that differs from the process's function of that name. The block that it
// returns counts. Its own allocations do not. The block may be closer to its
// neighbours than the index can resolve.
//
//===----------------------------------------------------------------------===//
#include "allocator/Allocator.h"
#include "hot/OwnBlocks.h"
#include "state/Runtime.h"

namespace inmem::rt {

namespace {

/// Bytes of \p Count elements of \p Size; the largest number if that overflows.
INMEM_INLINE size_t product(size_t Count, size_t Size) {
  size_t Bytes;
  return __builtin_mul_overflow(Count, Size, &Bytes) ? SIZE_MAX : Bytes;
}

} // namespace

} // namespace inmem::rt

using namespace inmem::rt;

using Site = struct inmem_site *;

#define INMEM_LIST(...) __VA_ARGS__
#define INMEM_FIRST(Name) reinterpret_cast<const void *>(Real.Name)

/// Defines __inmem_by_NAME and __inmem_by_from_NAME; Body uses Of, First and F.
#define INMEM_DEFINE(Result, Name, Parameters, First, Body)                    \
  INMEM_EXPORT INMEM_IN_HOOKS Result __inmem_by_##Name(INMEM_LIST Parameters,  \
                                                       Site S, void (*Of)()) { \
    const FromSite F{S};                                                       \
    const void *const Usual = First;                                           \
    return Body;                                                               \
  }                                                                            \
  INMEM_EXPORT INMEM_IN_HOOKS Result __inmem_by_from_##Name(                   \
      INMEM_LIST Parameters, Site S, const uintptr_t *Back, void (*Of)()) {    \
    const FromPath F{S, Back};                                                 \
    const void *const Usual = First;                                           \
    return Body;                                                               \
  }

// clang-format off: it moves the rows of such lists each time it runs.
/// X(result, name, parameters, arguments): functions of the C library.
#define INMEM_OWN_C_FUNCTIONS(X) \
  X(void *, malloc, (size_t Size), ownBlock(Of, Usual, Size, Size, 0, 0, F)) \
  X(void *, calloc, (size_t Count, size_t Size), ownBlock(Of, Usual, product(Count, Size), Count, Size, 0, F)) \
  X(void *, realloc, (void *P, size_t Size), ownRealloc(Of, Usual, P, Size, Size, 0, F)) \
  X(void *, memalign, (size_t Align, size_t Size), ownBlock(Of, Usual, Size, Align, Size, 0, F)) \
  X(void *, aligned_alloc, (size_t Align, size_t Size), ownBlock(Of, Usual, Size, Align, Size, 0, F)) \
  X(int, posix_memalign, (void **Result, size_t Align, size_t Size), ownPosix(Of, Usual, Result, Align, Size, F)) \
  X(void *, valloc, (size_t Size), ownBlock(Of, Usual, Size, Size, 0, 0, F)) \
  X(void *, pvalloc, (size_t Size), ownBlock(Of, Usual, Size, Size, 0, 0, F))
// clang-format on

#define INMEM_BY(Result, Name, Parameters, Body)                               \
  INMEM_DEFINE(Result, Name, Parameters, INMEM_FIRST(Name), Body)
INMEM_OWN_C_FUNCTIONS(INMEM_BY)
#undef INMEM_BY
// The process has no other reallocarray than ours.
INMEM_DEFINE(void *, reallocarray, (void *P, size_t Count, size_t Size),
             nullptr,
             ownRealloc(Of, Usual, P, product(Count, Size), Count, Size, F))

// A nothrow tag is the last argument.
#define INMEM_NEW(Name, Parameters, B, C)                                      \
  INMEM_DEFINE(void *, Name, Parameters, INMEM_FIRST(Name),                    \
               ownBlock<true>(Of, Usual, Size, Size, B, C, F))
INMEM_NEW(_Znwm, (size_t Size), 0, 0)
INMEM_NEW(_Znam, (size_t Size), 0, 0)
INMEM_NEW(_ZnwmRKSt9nothrow_t, (size_t Size, uintptr_t Tag), Tag, 0)
INMEM_NEW(_ZnamRKSt9nothrow_t, (size_t Size, uintptr_t Tag), Tag, 0)
INMEM_NEW(_ZnwmSt11align_val_t, (size_t Size, uintptr_t Align), Align, 0)
INMEM_NEW(_ZnamSt11align_val_t, (size_t Size, uintptr_t Align), Align, 0)
INMEM_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t,
          (size_t Size, uintptr_t Align, uintptr_t Tag), Align, Tag)
INMEM_NEW(_ZnamSt11align_val_tRKSt9nothrow_t,
          (size_t Size, uintptr_t Align, uintptr_t Tag), Align, Tag)
#undef INMEM_NEW
#undef INMEM_DEFINE

#define INMEM_DELETE(Operator, Name, Parameters, B, C)                         \
  INMEM_EXPORT INMEM_IN_HOOKS void __inmem_by_##Name(INMEM_LIST Parameters,    \
                                                     void (*Of)()) {           \
    ownFree<Operator>(Of, INMEM_FIRST(Name), P, B, C);                         \
  }
INMEM_DELETE(false, free, (void *P), 0, 0)
INMEM_DELETE(true, _ZdlPv, (void *P), 0, 0)
INMEM_DELETE(true, _ZdaPv, (void *P), 0, 0)
INMEM_DELETE(true, _ZdlPvm, (void *P, uintptr_t A), A, 0)
INMEM_DELETE(true, _ZdaPvm, (void *P, uintptr_t A), A, 0)
INMEM_DELETE(true, _ZdlPvRKSt9nothrow_t, (void *P, uintptr_t A), A, 0)
INMEM_DELETE(true, _ZdaPvRKSt9nothrow_t, (void *P, uintptr_t A), A, 0)
INMEM_DELETE(true, _ZdlPvSt11align_val_t, (void *P, uintptr_t A), A, 0)
INMEM_DELETE(true, _ZdaPvSt11align_val_t, (void *P, uintptr_t A), A, 0)
INMEM_DELETE(true, _ZdlPvmSt11align_val_t, (void *P, uintptr_t A, uintptr_t B),
             A, B)
INMEM_DELETE(true, _ZdaPvmSt11align_val_t, (void *P, uintptr_t A, uintptr_t B),
             A, B)
INMEM_DELETE(true, _ZdlPvSt11align_val_tRKSt9nothrow_t,
             (void *P, uintptr_t A, uintptr_t B), A, B)
INMEM_DELETE(true, _ZdaPvSt11align_val_tRKSt9nothrow_t,
             (void *P, uintptr_t A, uintptr_t B), A, B)
#undef INMEM_DELETE

// Calls by uninstrumented code lead here if malloc is the program's own: by
// import slots (redirectImports) or, in a static program, by --wrap.
#define INMEM_PACKED(Result, Name, Parameters, Body)                           \
  extern "C" INMEM_HIDDEN INMEM_IN_HOOKS Result                                \
      inmem_packed_##Name Parameters {                                         \
    const auto F = FromCaller().outOfLine();                                   \
    if (F.forwardsResult(&RealAllocator::Name))                                \
      return Next.Name INMEM_PASSED_##Name;                                    \
    const auto Of = reinterpret_cast<void (*)()>(Real.Name);                   \
    const void *const Usual = INMEM_FIRST(Name);                               \
    return Body;                                                               \
  }
#define INMEM_PASSED_malloc (Size)
#define INMEM_PASSED_calloc (Count, Size)
#define INMEM_PASSED_realloc (P, Size)
#define INMEM_PASSED_memalign (Align, Size)
#define INMEM_PASSED_aligned_alloc (Align, Size)
#define INMEM_PASSED_posix_memalign (Result, Align, Size)
#define INMEM_PASSED_valloc (Size)
#define INMEM_PASSED_pvalloc (Size)
INMEM_OWN_C_FUNCTIONS(INMEM_PACKED)
#undef INMEM_PACKED

extern "C" INMEM_HIDDEN INMEM_IN_HOOKS void inmem_packed_free(void *P) {
  // The program's free may have forwarded an unknown block to us. The caller
  // alone does not show that, because a library may have tail-called this
  // function.
  if (!peekBlock(P) && FreeFromHere().outOfLine().isForwarded())
    return Next.free(P);
  ownFree<false>(reinterpret_cast<void (*)()>(Real.free), INMEM_FIRST(free), P,
                 0, 0);
}

#ifdef INMEM_STATIC
extern "C" INMEM_HIDDEN INMEM_IN_HOOKS void *
inmem_packed_reallocarray(void *P, size_t Count, size_t Size) {
  const auto F = FromCaller().outOfLine();
  size_t Bytes;
  if (__builtin_mul_overflow(Count, Size, &Bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return ownRealloc(reinterpret_cast<void (*)()>(Real.realloc), nullptr, P,
                    Bytes, Bytes, 0, F);
}
#endif

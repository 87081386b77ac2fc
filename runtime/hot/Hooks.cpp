//===- Hooks.cpp - __inmem_* and the interposed allocation functions ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function has one body and two thin entry points. Instrumented code calls
// a hook, which passes its site. Other code calls the interposed function of
// the C or C++ library, which passes its return address. Both behave as the
// function that they replace, errno and exceptions included.
//
// A hook has one comparison for everything that is unusual about a request:
// Size <= Real.CheckedUpTo. An allocator whose small blocks are too close for
// the index sets it to 31. Sampling, mode=off and a malloc that comes before
// ours set it to SIZE_MAX. The checked cases out of line find out which of
// them applies; with glibc and full recording none is ever called.
//
//===----------------------------------------------------------------------===//
#include "allocator/Allocator.h"
#include "hot/Origins.h"
#include "hot/OwnBlocks.h"
#include "hot/Recorder.h"
#include "hot/StaticHooks.h"
#include "hot/Suspension.h"
#include "state/Runtime.h"

namespace inmem::rt {

namespace {

template <class From>
INMEM_INLINE void *recorded(void *P, size_t Size, const From &F) {
  return INMEM_LIKELY(P != nullptr) ? F.record(P, Size) : P;
}

/// True if another allocator forwards this call to us. Checked only if one
/// precedes ours.
template <class From, class F>
INMEM_INLINE bool forwardsResult(const From &Caller,
                                 F RealAllocator::*Function) {
  return INMEM_UNLIKELY(Real.MallocBeforeUs) && Caller.forwardsResult(Function);
}

/// The out-of-line part of a hook, for requests that need further checks.
#define INMEM_CHECKED __attribute__((noinline)) INMEM_IN_HOOKS

/// Returns true if a checked request is not recorded.
template <class From> INMEM_INLINE bool skips(size_t Size, const From &F) {
  if (!skipsNext(Thread, Size))
    return false;
  F.passed();
  return true;
}

// Out of line, so that the callers save no register.
template <class From> INMEM_CHECKED void *mallocRecorded(size_t Size, From F) {
  return recorded(Real.malloc(atLeast(Size)), Size, F);
}

/// Out of line, or clang emits a cmov.
INMEM_COLD void *mallocRaised(size_t) { return Real.malloc(Real.LeastRequest); }

template <class From> INMEM_CHECKED void *mallocChecked(size_t Size, From F) {
  if (forwardsResult(F, &RealAllocator::malloc))
    return Next.malloc(Size);
  if (!skips(Size, F))
    return mallocRecorded(Size, F);
  return INMEM_UNLIKELY(Size < Real.LeastRequest) ? mallocRaised(Size)
                                                  : Real.malloc(Size);
}

template <class From> INMEM_INLINE void *doMalloc(size_t Size, const From &F) {
  return INMEM_UNLIKELY(Size <= Real.CheckedUpTo)
             ? mallocChecked(Size, F.outOfLine())
             : recorded(Real.malloc(Size), Size, F);
}

template <class From>
INMEM_CHECKED void *callocRecorded(size_t Count, size_t Size, From F) {
  size_t Bytes;
  if (__builtin_mul_overflow(Count, Size,
                             &Bytes)) // let calloc fail
    return recorded(Real.calloc(Count, Size), Bytes, F);
  if (Bytes < Real.LeastRequest)
    return recorded(Real.calloc(1, Real.LeastRequest), Bytes, F);
  return recorded(Real.calloc(Count, Size), Bytes - F.ownShare(Count, Size), F);
}

template <class From>
INMEM_CHECKED void *callocChecked(size_t Count, size_t Size, From F) {
  if (forwardsResult(F, &RealAllocator::calloc))
    return Next.calloc(Count, Size);
  size_t Bytes;
  const bool Plain = !__builtin_mul_overflow(Count, Size, &Bytes) &&
                     Bytes >= Real.LeastRequest;
  return Plain && skips(Bytes, F) ? Real.calloc(Count, Size)
                                  : callocRecorded(Count, Size, F);
}

template <class From>
INMEM_INLINE void *doCalloc(size_t Count, size_t Size, const From &F) {
  size_t Bytes;
  if (INMEM_UNLIKELY(__builtin_mul_overflow(Count, Size, &Bytes)) ||
      INMEM_UNLIKELY(Bytes <= Real.CheckedUpTo))
    return callocChecked(Count, Size, F.outOfLine());
  return recorded(Real.calloc(Count, Size), Bytes - F.ownShare(Count, Size), F);
}

/// \param Request the size to request from the allocator
template <class From>
INMEM_INLINE void *reallocOld(size_t Request, void *Old, size_t Size,
                              const From &F) {
  // Leave the index first: once the allocator has the old block, another thread
  // may get its address.
  Block B = takeBlock(Old);
  void *New = Real.realloc(Old, Request);
  if (!New && Size != 0) {
    if (B)
      restore(Old, B);
    return nullptr;
  }
  if (B)
    recordFree(Old, B);
  return New ? F.recordAgain(New, Size, B.site()) : New;
}

template <class From>
INMEM_CHECKED void *reallocRecorded(void *Old, size_t Size, From F) {
  return Old ? reallocOld(Size ? atLeast(Size) : 0, Old, Size, F)
             : recorded(Real.realloc(nullptr, atLeast(Size)), Size, F);
}

template <class From>
INMEM_CHECKED void *reallocChecked(void *Old, size_t Size, From F) {
  if (forwardsResult(F, &RealAllocator::realloc))
    return Next.realloc(Old, Size);
  return Size != 0 && !mayBeEntered(Old) && skips(Size, F)
             ? Real.realloc(Old, atLeast(Size))
             : reallocRecorded(Old, Size, F);
}

/// Out of line: a new block needs fewer registers than an old one.
template <class From>
INMEM_CHECKED void *reallocUsual(void *Old, size_t Size, From F) {
  if (Size == 0) // callers check this first
    __builtin_unreachable();
  return reallocOld(Size, Old, Size, F);
}

template <class From>
INMEM_INLINE void *doRealloc(void *Old, size_t Size, const From &F) {
  if (INMEM_UNLIKELY(Size <= Real.CheckedUpTo))
    return reallocChecked(Old, Size, F.outOfLine());
  return Old ? reallocUsual(Old, Size, F.outOfLine())
             : recorded(Real.realloc(nullptr, Size), Size, F);
}

template <class From>
INMEM_INLINE void *doReallocarray(void *Old, size_t Count, size_t Size,
                                  const From &F) {
  size_t Bytes;
  if (__builtin_mul_overflow(Count, Size, &Bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return doRealloc(Old, Bytes, F);
}

template <class From>
INMEM_INLINE void *doMemalign(size_t Align, size_t Size, const From &F) {
  if (forwardsResult(F, &RealAllocator::memalign))
    return Next.memalign(Align, Size);
  return recorded(Real.memalign(Align, atLeast(Size)), Size, F);
}

template <class From>
INMEM_INLINE void *doAlignedAlloc(size_t Align, size_t Size, const From &F) {
  if (forwardsResult(F, &RealAllocator::aligned_alloc))
    return Next.aligned_alloc(Align, Size);
  return recorded(Real.aligned_alloc(Align, atLeast(Size)), Size, F);
}

template <class From>
INMEM_INLINE int doPosixMemalign(void **Result, size_t Align, size_t Size,
                                 const From &F) {
  if (forwardsResult(F, &RealAllocator::posix_memalign))
    return Next.posix_memalign(Result, Align, Size);
  int Error = Real.posix_memalign(Result, Align, atLeast(Size));
  if (Error == 0 && *Result)
    F.record(*Result, Size);
  return Error;
}

template <class From> INMEM_INLINE void *doValloc(size_t Size, const From &F) {
  if (forwardsResult(F, &RealAllocator::valloc))
    return Next.valloc(Size);
  return recorded(Real.valloc(Size), Size, F);
}

template <class From> INMEM_INLINE void *doPvalloc(size_t Size, const From &F) {
  if (forwardsResult(F, &RealAllocator::pvalloc))
    return Next.pvalloc(Size);
  return recorded(Real.pvalloc(Size), Size, F);
}

/// Gives \p P, which is not our block, back to the allocator.
template <class From> INMEM_INLINE void giveBack(void *P, From F) {
  if (F.isForwarded())
    return Next.free(P);
  Real.FreeUnrecorded(P);
}

template <class From> INMEM_CHECKED void freeRecorded(void *P, From F) {
  uint64_t End = 0;
  Block B;
  if (ReadsClockFirst) {
    End = hardwareTicks() >> kTickShift;
    B = takeAt(P, entryOf(reinterpret_cast<uintptr_t>(P)));
  } else {
    B = takeIndirect(P);
  }
  if (!B)
    return giveBack(P, F);
  if (INMEM_UNLIKELY(!countFreeIfSetUp(P, B, End)))
    return freeSlow(P, B);
  Real.free(P);
}

/// Frees a block that the index does not have.
template <class From> INMEM_CHECKED void freeFromSideTable(void *P, From F) {
  if (Block B = takeFromSideTable(P))
    freeAny(P, B);
  else
    giveBack(P, F);
}

template <class From> INMEM_CHECKED void freeChecked(void *P, From F) {
  if (INMEM_UNLIKELY(mayBeEntered(P)))
    freeRecorded(P, F);
  else
    giveBack(P, F);
}

/// Frees a block that may be looked up directly.
template <class From> INMEM_INLINE void freeDirect(void *P, From F) {
  const auto Address = reinterpret_cast<uintptr_t>(P);
  IndexEntry *Leaf = leafAt(Address >> kSpanShift);
  if (INMEM_UNLIKELY(!Leaf))
    return freeFromSideTable(P, F.outOfLine());
  const uintptr_t Granule = Address >> kGranuleShift;
  const IndexEntry Value = __atomic_load_n(&Leaf[Granule], __ATOMIC_RELAXED);
  if (INMEM_UNLIKELY(!Value))
    return freeFromSideTable(P, F.outOfLine());
  uint64_t Size = sizeIn(Value);
  if (INMEM_MAYBE(Size == kSizeFollows)) {
    Size = __atomic_load_n(&Leaf[Granule + 1], __ATOMIC_RELAXED);
    __atomic_store_n(&Leaf[Granule + 1], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&Leaf[Granule], 0, __ATOMIC_RELAXED);
    return freeAny(P, {Value, Size});
  }
  __atomic_store_n(&Leaf[Granule], 0, __ATOMIC_RELAXED);
  freeSmall(P, {Value, Size});
}

template <class From> INMEM_INLINE void doFree(void *P, From F) {
  if (isDirect(P))
    freeDirect(P, F);
  else
    freeChecked(P, F.outOfLine());
}

#ifndef INMEM_STATIC
/// The operator delete for blocks from an operator new.
constexpr DeleteOperator RealAllocator::*
deleteFor(NewOperator RealAllocator::*Operator) {
  using R = RealAllocator;
  if (Operator == &R::_Znwm || Operator == &R::_ZnwmRKSt9nothrow_t)
    return &R::_ZdlPv;
  if (Operator == &R::_Znam || Operator == &R::_ZnamRKSt9nothrow_t)
    return &R::_ZdaPv;
  if (Operator == &R::_ZnwmSt11align_val_t ||
      Operator == &R::_ZnwmSt11align_val_tRKSt9nothrow_t)
    return &R::_ZdlPvSt11align_val_t;
  return &R::_ZdaPvSt11align_val_t;
}

/// Calls the program's own operator new, whose blocks may be closer together
/// than the index can resolve.
template <NewOperator RealAllocator::*Operator, class From>
INMEM_COLD INMEM_IN_HOOKS void *replacedNew(size_t Size, uintptr_t Second,
                                            const void *Third, const From &F) {
  if (F.forwardsResult(Operator))
    return (Next.*Operator)(Size, Second, Third);
  void *P = inmem_call_replaced_new(Real.*Operator, Size, Second, Third);
  if (!P)
    return P;
  Thread.Operators.Undo = Real.*deleteFor(Operator);
  Thread.Operators.UndoSecond = Second;
  recordOwn(P, Size, F, 0);
  return P;
}

template <DeleteOperator RealAllocator::*Operator>
INMEM_COLD void replacedDelete(void *P, uintptr_t Second, uintptr_t Third,
                               uintptr_t Caller) {
  if (Caller && isForwarded(Operator, Caller))
    return (Next.*Operator)(P, Second, Third);
  // An operator may call another one. The outer one has then removed the block,
  // and the index's entry belongs to a neighbour.
  ThreadState &T = Thread;
  void *const Outer = T.Operators.Deleted;
  if (Outer != P || T.Suspension.Depth == 0) {
    if (Block B = takeOwn(P))
      recordFree(P, B);
  }
  T.Operators.Deleted = P;
  inmem_call_replaced_delete(Real.*Operator, P, Second, Third);
  T.Operators.Deleted = Outer;
}

/// A standard operator new calls malloc. If that fails, this calls the
/// library's operator, which calls the new-handler and throws. If the handler
/// frees enough memory, malloc records the block under the library, and claim()
/// moves it.
template <NewOperator RealAllocator::*Operator, class From>
INMEM_COLD INMEM_IN_HOOKS void *newFailed(size_t Size, uintptr_t Second,
                                          const void *Third, From F) {
  if (F.forwardsResult(Operator))
    return (Next.*Operator)(Size, Second, Third);
  void *P = (Real.*Operator)(Size, Second, Third);
  if (P)
    F.claim(P);
  return P;
}

template <NewOperator RealAllocator::*Operator, class From>
INMEM_CHECKED void *newRecorded(size_t Size, uintptr_t Second,
                                const void *Third, From F) {
  if (void *P = Real.malloc(atLeast(Size + (Size == 0))))
    return recorded(P, Size, F);
  return newFailed<Operator>(Size, Second, Third, F);
}

template <NewOperator RealAllocator::*Operator, class From>
INMEM_CHECKED void *newChecked(size_t Size, uintptr_t Second, const void *Third,
                               From F) {
  if (INMEM_UNLIKELY(Real.OperatorsReplaced))
    return replacedNew<Operator>(Size, Second, Third, F);
  if (!skips(Size, F))
    return newRecorded<Operator>(Size, Second, Third, F);
  if (void *P = Real.malloc(atLeast(Size + (Size == 0))))
    return P;
  return newFailed<Operator>(Size, Second, Third, F);
}

template <NewOperator RealAllocator::*Operator, class From>
INMEM_INLINE void *doNew(size_t Size, uintptr_t Second, const void *Third,
                         const From &F) {
  if (INMEM_UNLIKELY(Size <= Real.NewCheckedUpTo))
    return newChecked<Operator>(Size, Second, Third, F.outOfLine());
  if (void *P = Real.malloc(Size))
    return recorded(P, Size, F);
  return newFailed<Operator>(Size, Second, Third, F.outOfLine());
}

template <NewOperator RealAllocator::*Operator, class From>
INMEM_INLINE void *doAlignedNew(size_t Size, uintptr_t Align, const void *Third,
                                const From &F) {
  if (INMEM_UNLIKELY(Real.OperatorsReplaced))
    return replacedNew<Operator>(Size, Align, Third, F.outOfLine());
  // As both C++ libraries do it: aligned_alloc, with a multiple of the
  // alignment.
  const size_t Request = atLeast(Size + (Size == 0));
  const size_t Bytes = (Request + Align - 1) & ~(Align - 1);
  if (INMEM_LIKELY(Bytes >= Request && (Align & (Align - 1)) == 0))
    if (void *P = Real.aligned_alloc(Align, Bytes))
      return recorded(P, Size, F);
  return newFailed<Operator>(Size, Align, Third, F.outOfLine());
}

template <DeleteOperator RealAllocator::*Operator>
INMEM_CHECKED void deleteChecked(void *P, uintptr_t Second, uintptr_t Third,
                                 uintptr_t Caller) {
  if (INMEM_UNLIKELY(Real.OperatorsReplaced))
    return replacedDelete<Operator>(P, Second, Third, Caller);
  freeChecked(P, FreeFromSite());
}

template <DeleteOperator RealAllocator::*Operator>
INMEM_INLINE void doDelete(void *P, uintptr_t Second, uintptr_t Third,
                           uintptr_t Caller) {
  if (INMEM_UNLIKELY(!isDirect(P, LastDirectDelete)))
    return deleteChecked<Operator>(P, Second, Third, Caller);
  freeDirect(P, FreeFromSite());
}
#endif

} // namespace

} // namespace inmem::rt

using namespace inmem::rt;

// Replaced.c calls these at the begin and end of an operator.
extern "C" __attribute__((visibility("hidden"))) void
inmem_enter_operator(OuterOperator *Outer, uintptr_t Frame, uintptr_t Return) {
  enterOperator(Thread, {Frame, Return}, *Outer);
}
extern "C" __attribute__((visibility("hidden"))) void
inmem_leave_operator(const OuterOperator *Outer) {
  leaveOperator(Thread, *Outer);
}

using Site = struct inmem_site *;

#define INMEM_ENTRY INMEM_EXPORT INMEM_IN_HOOKS

/// The elements of a list in parentheses.
#define INMEM_LIST(...) __VA_ARGS__

// clang-format off: it moves the rows of such lists each time it runs.
/// X(result, name, body, parameters, arguments): functions of the C library.
#define INMEM_C_FUNCTIONS(X) \
  X(void *, malloc, doMalloc, (size_t Size), (Size)) \
  X(void *, calloc, doCalloc, (size_t Count, size_t Size), (Count, Size)) \
  X(void *, realloc, doRealloc, (void *P, size_t Size), (P, Size)) \
  X(void *, reallocarray, doReallocarray, (void *P, size_t Count, size_t Size), (P, Count, Size)) \
  X(void *, memalign, doMemalign, (size_t Align, size_t Size), (Align, Size)) \
  X(void *, aligned_alloc, doAlignedAlloc, (size_t Align, size_t Size), (Align, Size)) \
  X(int, posix_memalign, doPosixMemalign, (void **Result, size_t Align, size_t Size), (Result, Align, Size)) \
  X(void *, valloc, doValloc, (size_t Size), (Size)) \
  X(void *, pvalloc, doPvalloc, (size_t Size), (Size))

/// X(name, body, caller, parameters, arguments after the size): operators new.
#define INMEM_NEW_FUNCTIONS(X) \
  X(_Znwm, doNew, FromThrowingCaller, (size_t Size), (0, nullptr)) \
  X(_Znam, doNew, FromThrowingCaller, (size_t Size), (0, nullptr)) \
  X(_ZnwmRKSt9nothrow_t, doNew, FromCaller, (size_t Size, uintptr_t Tag), (Tag, nullptr)) \
  X(_ZnamRKSt9nothrow_t, doNew, FromCaller, (size_t Size, uintptr_t Tag), (Tag, nullptr)) \
  X(_ZnwmSt11align_val_t, doAlignedNew, FromThrowingCaller, (size_t Size, uintptr_t Align), (Align, nullptr)) \
  X(_ZnamSt11align_val_t, doAlignedNew, FromThrowingCaller, (size_t Size, uintptr_t Align), (Align, nullptr)) \
  X(_ZnwmSt11align_val_tRKSt9nothrow_t, doAlignedNew, FromCaller, (size_t Size, uintptr_t Align, const void *Tag), (Align, Tag)) \
  X(_ZnamSt11align_val_tRKSt9nothrow_t, doAlignedNew, FromCaller, (size_t Size, uintptr_t Align, const void *Tag), (Align, Tag))

/// X(name, parameters, arguments): operators delete.
#define INMEM_DELETE_FUNCTIONS(X) \
  X(_ZdlPv, (void *P), (P, 0, 0)) \
  X(_ZdaPv, (void *P), (P, 0, 0)) \
  X(_ZdlPvm, (void *P, uintptr_t A), (P, A, 0)) \
  X(_ZdaPvm, (void *P, uintptr_t A), (P, A, 0)) \
  X(_ZdlPvRKSt9nothrow_t, (void *P, uintptr_t A), (P, A, 0)) \
  X(_ZdaPvRKSt9nothrow_t, (void *P, uintptr_t A), (P, A, 0)) \
  X(_ZdlPvSt11align_val_t, (void *P, uintptr_t A), (P, A, 0)) \
  X(_ZdaPvSt11align_val_t, (void *P, uintptr_t A), (P, A, 0)) \
  X(_ZdlPvmSt11align_val_t, (void *P, uintptr_t A, uintptr_t B), (P, A, B)) \
  X(_ZdaPvmSt11align_val_t, (void *P, uintptr_t A, uintptr_t B), (P, A, B)) \
  X(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *P, uintptr_t A, uintptr_t B), (P, A, B)) \
  X(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *P, uintptr_t A, uintptr_t B), (P, A, B))
// clang-format on

#ifdef INMEM_STATIC
extern "C" {
#define INMEM_DECLARE(Result, Name, Body, Parameters, Arguments)               \
  Result __inmem_by_##Name(INMEM_LIST Parameters, Site, void (*)());           \
  Result __inmem_by_from_##Name(INMEM_LIST Parameters, Site,                   \
                                const uintptr_t *, void (*)());                \
  INMEM_HIDDEN Result inmem_packed_##Name Parameters;
INMEM_C_FUNCTIONS(INMEM_DECLARE)
#undef INMEM_DECLARE
void __inmem_by_free(void *, void (*)());
INMEM_HIDDEN void inmem_packed_free(void *);
}
#endif

// The interposed function, and the hooks of instrumented code.
#define INMEM_DEFINE(Result, Name, Body, Parameters, Arguments)                \
  INMEM_ENTRY INMEM_WEAK Result INMEM_INTERPOSED(Name) Parameters {            \
    INMEM_IF_PACKED(Name, INMEM_LIST Arguments)                                \
    return Body(INMEM_LIST Arguments, FromCaller());                           \
  }                                                                            \
  INMEM_ENTRY Result __inmem_##Name(INMEM_LIST Parameters, Site S) {           \
    INMEM_IF_OWN(Name,                                                         \
                 __inmem_by_##Name(INMEM_LIST Arguments, S, INMEM_OWN(Name)))  \
    return Body(INMEM_LIST Arguments, FromSite{S});                            \
  }                                                                            \
  INMEM_ENTRY Result __inmem_from_##Name(INMEM_LIST Parameters, Site S,        \
                                         const uintptr_t *Back) {              \
    INMEM_IF_OWN(Name, __inmem_by_from_##Name(INMEM_LIST Arguments, S, Back,   \
                                              INMEM_OWN(Name)))                \
    return Body(INMEM_LIST Arguments, FromPath{S, Back});                      \
  }
INMEM_C_FUNCTIONS(INMEM_DEFINE)
#undef INMEM_DEFINE

#ifdef INMEM_STATIC
// A static executable does not show whether an operator is the library's or the
// program's own. So the operator is called, and the malloc in it records the
// block.
#define INMEM_DEFINE(Name, Body, Caller, Parameters, Arguments)                \
  INMEM_ENTRY void *__inmem_##Name(INMEM_LIST Parameters, Site S) {            \
    return newThroughMalloc(Real.Name, Own.Name, Size, INMEM_LIST Arguments,   \
                            S, nullptr);                                       \
  }                                                                            \
  INMEM_ENTRY void *__inmem_from_##Name(INMEM_LIST Parameters, Site S,         \
                                        const uintptr_t *Back) {               \
    return newThroughMalloc(Real.Name, Own.Name, Size, INMEM_LIST Arguments,   \
                            S, Back);                                          \
  }
#else
#define INMEM_DEFINE(Name, Body, Caller, Parameters, Arguments)                \
  INMEM_ENTRY void *INMEM_INTERPOSED(Name) Parameters {                        \
    return Body<&RealAllocator::Name>(Size, INMEM_LIST Arguments, Caller());   \
  }                                                                            \
  INMEM_ENTRY void *__inmem_##Name(INMEM_LIST Parameters, Site S) {            \
    return Body<&RealAllocator::Name>(Size, INMEM_LIST Arguments,              \
                                      FromSite{S});                            \
  }                                                                            \
  INMEM_ENTRY void *__inmem_from_##Name(INMEM_LIST Parameters, Site S,         \
                                        const uintptr_t *Back) {               \
    return Body<&RealAllocator::Name>(Size, INMEM_LIST Arguments,              \
                                      FromPath{S, Back});                      \
  }
#endif
INMEM_NEW_FUNCTIONS(INMEM_DEFINE)
#undef INMEM_DEFINE

INMEM_ENTRY INMEM_WEAK void INMEM_INTERPOSED(free)(void *P) {
  INMEM_IF_PACKED(free, P)
  doFree(P, FreeFromHere());
}
INMEM_ENTRY void __inmem_free(void *P) {
  INMEM_IF_OWN(free, __inmem_by_free(P, INMEM_OWN(free)))
  doFree(P, FreeFromSite());
}

#ifdef INMEM_STATIC
#define INMEM_DEFINE(Name, Parameters, Arguments)                              \
  INMEM_ENTRY void __inmem_##Name Parameters {                                 \
    if (INMEM_UNLIKELY(HasOwnOperators))                                       \
      return deleteOwn(Own.Name ? Own.Name : Real.Name, INMEM_LIST Arguments); \
    Real.Name Arguments;                                                       \
  }
#else
#define INMEM_DEFINE(Name, Parameters, Arguments)                              \
  INMEM_ENTRY void INMEM_INTERPOSED(Name) Parameters {                         \
    doDelete<&RealAllocator::Name>(                                            \
        INMEM_LIST Arguments,                                                  \
        reinterpret_cast<uintptr_t>(__builtin_return_address(0)));             \
  }                                                                            \
  INMEM_ENTRY void __inmem_##Name Parameters {                                 \
    doDelete<&RealAllocator::Name>(INMEM_LIST Arguments, 0);                   \
  }
#endif
INMEM_DELETE_FUNCTIONS(INMEM_DEFINE)
#undef INMEM_DEFINE

INMEM_EXPORT void __inmem_retag(void *P, Site S) { retag(P, S); }
INMEM_EXPORT void __inmem_retag_owned(void *P, Site S) { retagOwned(P, S); }
INMEM_EXPORT void __inmem_retag_entries(void **Array, int Count, Site S,
                                        Site Element) {
  for (int I = 0; I < Count; ++I)
    retagOwned(Array[I], Element);
  if (Count >= 0)
    retagOwned(Array, S);
}
INMEM_EXPORT void __inmem_retag_sized(void *P, Site S, uint64_t Unit,
                                      uint64_t A, uint64_t B) {
  if (S)
    retagSized(P, S, Unit, A, B);
}
INMEM_EXPORT void __inmem_expect(Site S) {
  Thread.Callers.ExpectedBack = nullptr;
  Thread.Callers.Expected = S;
}
INMEM_EXPORT void __inmem_expect_from(Site S, const void *Slot) {
  Thread.Callers.ExpectedBack = static_cast<const uintptr_t *>(Slot);
  Thread.Callers.Expected = S;
}

#ifdef INMEM_STATIC
// Registration compares these with the user's own --wrap.
extern "C" {
#define INMEM_ALIAS(Result, Name, Parameters)                                  \
  INMEM_HIDDEN decltype(__wrap_##Name) __inmem_wrapped_##Name                  \
      __attribute__((alias("__wrap_" #Name)));
INMEM_C_ALLOCATOR(INMEM_ALIAS)
#undef INMEM_ALIAS
INMEM_HIDDEN decltype(__wrap_reallocarray) __inmem_wrapped_reallocarray
    __attribute__((alias("__wrap_reallocarray")));
}
#endif

//===- Hinted.cpp - Allocation functions that take a class ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that compiled code calls if a profile predicts lifetimes: the
// eight operators new with LLVM's `enum class __hot_cold_t : uint8_t` as the
// last parameter, and C's functions. Each sets the class and calls the
// program's own function by name, so that replaced functions get the call, and
// new handlers and exceptions work as before. A class that no allocation took
// is dropped; after an exception, the thread's next allocation may take it.
//
//===----------------------------------------------------------------------===//
#include "Malloc.h"
#include "inmem/place.h"

#include <stdint.h>
#include <stdlib.h>

#define PLACE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

/// Places the block without calling operator new, if the allocator's own
/// operator new would be called.
inline void *placeDirectly([[maybe_unused]] int Class,
                           [[maybe_unused]] size_t Size,
                           [[maybe_unused]] size_t Align) {
#ifndef INMEM_PLACE_STATIC
  if (inmem::place::passesOperators())
    return inmem::place::placeBlock(Class, Size, Align);
#endif
  return nullptr;
}

inline int classOfHint(uint8_t Hint) {
  return Hint <= INMEM_PLACE_HINT_STEADY  ? INMEM_PLACE_STEADY
         : Hint <= INMEM_PLACE_HINT_PHASE ? INMEM_PLACE_PHASE
                                          : INMEM_PLACE_SHORT;
}

/// Calls \p Allocate with \p Class set for the next allocation.
template <class Function> inline void *withClass(int Class, Function Allocate) {
  __inmem_place_expect(Class);
  void *Block = Allocate();
  __inmem_place_expect(INMEM_PLACE_SHORT);
  return Block;
}

} // namespace

// The operators by their mangled names, so that C programs need no C++ library.
#define PLACE_NEW(Name, Parameters, Arguments, Align)                          \
  extern "C" __attribute__((weak)) void *Name Parameters;                      \
  PLACE_EXPORT void *Name##12__hot_cold_t(PLACE_UNPACK Parameters,             \
                                          uint8_t Hint) {                      \
    const int Class = classOfHint(Hint);                                       \
    if (Class == INMEM_PLACE_SHORT)                                            \
      return Name Arguments;                                                   \
    if (void *Block = placeDirectly(Class, Size, Align))                       \
      return Block;                                                            \
    return withClass(Class, [=] { return Name Arguments; });                   \
  }
#define PLACE_UNPACK(...) __VA_ARGS__

#define PLACE_PLAIN (size_t Size)
#define PLACE_NOTHROW (size_t Size, const void *Tag)
#define PLACE_ALIGNED (size_t Size, size_t Align)
#define PLACE_ALIGNED_NOTHROW (size_t Size, size_t Align, const void *Tag)
PLACE_NEW(_Znwm, PLACE_PLAIN, (Size), 1)
PLACE_NEW(_Znam, PLACE_PLAIN, (Size), 1)
PLACE_NEW(_ZnwmRKSt9nothrow_t, PLACE_NOTHROW, (Size, Tag), 1)
PLACE_NEW(_ZnamRKSt9nothrow_t, PLACE_NOTHROW, (Size, Tag), 1)
PLACE_NEW(_ZnwmSt11align_val_t, PLACE_ALIGNED, (Size, Align), Align)
PLACE_NEW(_ZnamSt11align_val_t, PLACE_ALIGNED, (Size, Align), Align)
PLACE_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, PLACE_ALIGNED_NOTHROW,
          (Size, Align, Tag), Align)
PLACE_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, PLACE_ALIGNED_NOTHROW,
          (Size, Align, Tag), Align)

PLACE_EXPORT void *__inmem_place_malloc(size_t Size, int Class) {
  return withClass(Class, [=] { return malloc(Size); });
}
PLACE_EXPORT void *__inmem_place_calloc(size_t Count, size_t Size, int Class) {
  return withClass(Class, [=] { return calloc(Count, Size); });
}
PLACE_EXPORT void *__inmem_place_realloc(void *Old, size_t Size, int Class) {
  return withClass(Class, [=] { return realloc(Old, Size); });
}
PLACE_EXPORT void *__inmem_place_aligned_alloc(size_t Align, size_t Size,
                                               int Class) {
  return withClass(Class, [=] { return aligned_alloc(Align, Size); });
}

//===- DeleteOperators.cpp - Blocks of this allocator in operator delete --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each operator delete calls the next one in symbol order, or behaves like the
// C++ library's, which calls the program's own operator delete where there is
// one.
//
// The operators of jemalloc and mimalloc do not call malloc, so a class would
// not reach us. With these allocators, hinted allocations are placed without
// calling operator new, provided that every operator delete reaches us first:
// theirs then never get a placed block.
//
// Our operators are weak, so that the program's own take precedence.
//
//===----------------------------------------------------------------------===//
#include "Malloc.h"

#include "Arena.h"
#include "inmem/place.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

/// X(name, parameters, arguments, the function that the C++ library's operator
/// calls)
#define PLACE_DELETES(X)                                                       \
  X(_ZdlPv, (void *Block), (Block), free(Block))                               \
  X(_ZdaPv, (void *Block), (Block), _ZdlPv(Block))                             \
  X(_ZdlPvm, (void *Block, size_t Size), (Block, Size), _ZdlPv(Block))         \
  X(_ZdaPvm, (void *Block, size_t Size), (Block, Size), _ZdaPv(Block))         \
  X(_ZdlPvRKSt9nothrow_t, (void *Block, const void *Tag), (Block, Tag),        \
    _ZdlPv(Block))                                                             \
  X(_ZdaPvRKSt9nothrow_t, (void *Block, const void *Tag), (Block, Tag),        \
    _ZdaPv(Block))                                                             \
  X(_ZdlPvSt11align_val_t, (void *Block, size_t Align), (Block, Align),        \
    free(Block))                                                               \
  X(_ZdaPvSt11align_val_t, (void *Block, size_t Align), (Block, Align),        \
    _ZdlPvSt11align_val_t(Block, Align))                                       \
  X(_ZdlPvmSt11align_val_t, (void *Block, size_t Size, size_t Align),          \
    (Block, Size, Align), _ZdlPvSt11align_val_t(Block, Align))                 \
  X(_ZdaPvmSt11align_val_t, (void *Block, size_t Size, size_t Align),          \
    (Block, Size, Align), _ZdaPvSt11align_val_t(Block, Align))                 \
  X(_ZdlPvSt11align_val_tRKSt9nothrow_t,                                       \
    (void *Block, size_t Align, const void *Tag), (Block, Align, Tag),         \
    _ZdlPvSt11align_val_t(Block, Align))                                       \
  X(_ZdaPvSt11align_val_tRKSt9nothrow_t,                                       \
    (void *Block, size_t Align, const void *Tag), (Block, Align, Tag),         \
    _ZdaPvSt11align_val_t(Block, Align))

#define PLACE_NEWS(X)                                                          \
  X(_Znwm)                                                                     \
  X(_Znam)                                                                     \
  X(_ZnwmRKSt9nothrow_t)                                                       \
  X(_ZnamRKSt9nothrow_t)                                                       \
  X(_ZnwmSt11align_val_t)                                                      \
  X(_ZnamSt11align_val_t)                                                      \
  X(_ZnwmSt11align_val_tRKSt9nothrow_t)                                        \
  X(_ZnamSt11align_val_tRKSt9nothrow_t)

extern "C" {
#define PLACE_DECLARE(Name) __attribute__((weak)) void *Name(size_t);
PLACE_NEWS(PLACE_DECLARE)
#undef PLACE_DECLARE
#define PLACE_DECLARE(Name, Parameters, Arguments, Default)                    \
  void inmem_place_own##Name Parameters;                                       \
  __attribute__((weak, visibility("default"),                                  \
                 alias("inmem_place_own" #Name))) void Name Parameters;
PLACE_DELETES(PLACE_DECLARE)
#undef PLACE_DECLARE
}

namespace inmem::place {
namespace {

/// True if a function is in the same object as the C++ library's operators.
bool isOfLibrary(const void *Function) {
  Dl_info Its, Library;
  const void *Throw = dlsym(RTLD_DEFAULT, "__cxa_throw");
  return Throw && dladdr(Function, &Its) != 0 && dladdr(Throw, &Library) != 0 &&
         Its.dli_fbase == Library.dli_fbase;
}

/// Valgrind replaces the C++ library's operators, and expects a block of its
/// operator new in its operator delete, not in free().
bool isUnderValgrind() { return dlsym(RTLD_DEFAULT, "_vgnU_freeres"); }

/// Its address marks an operator that has not been looked up yet.
char NotLookedUp;

/// The next operator of that name in symbol order; null if not found, or if it
/// is the C++ library's and need not be called.
__attribute__((noinline)) void *findBehind(void *&Behind, const char *Name) {
  void *Function = dlsym(RTLD_NEXT, Name);
  if (Function && isOfLibrary(Function) && !isUnderValgrind())
    Function = nullptr;
  __atomic_store_n(&Behind, Function, __ATOMIC_RELAXED);
  return Function;
}

template <class... Args> inline void call(void *Function, Args... All) {
  reinterpret_cast<void (*)(Args...)>(Function)(All...);
}

/// True if the allocator defines operators itself, the program replaces none of
/// them, and all operators delete reach us first.
bool replacesNone() {
#define PLACE_IS_OURS(Name, Parameters, Arguments, Default)                    \
  if (&Name != &inmem_place_own##Name)                                         \
    return false;
  PLACE_DELETES(PLACE_IS_OURS)
#undef PLACE_IS_OURS
#define PLACE_IS_NOT_REPLACED(Name)                                            \
  if (auto *Function = reinterpret_cast<const void *>(&Name);                  \
      Function && !isOfAllocator(Function) && !isOfLibrary(Function))          \
    return false;
  PLACE_NEWS(PLACE_IS_NOT_REPLACED)
#undef PLACE_IS_NOT_REPLACED
  return isOfAllocator(reinterpret_cast<const void *>(&_Znwm)) &&
         isOfAllocator(dlsym(RTLD_NEXT, "_ZdlPv")) && servesProcess();
}

} // namespace
} // namespace inmem::place

using namespace inmem::place;

#define PLACE_UNPACK(...) __VA_ARGS__
#define PLACE_DELETE(Name, Parameters, Arguments, Default)                     \
  static void *Behind##Name = &NotLookedUp;                                    \
  __attribute__((noinline)) static void pass##Name Parameters {                \
    void *Function = __atomic_load_n(&Behind##Name, __ATOMIC_RELAXED);         \
    if (Function == &NotLookedUp)                                              \
      Function = findBehind(Behind##Name, #Name);                              \
    if (!Function)                                                             \
      return Default;                                                          \
    if (isPlaced(Block) && (passesOperators() || isOfLibrary(Function)))       \
      return release(Block);                                                   \
    call(Function, PLACE_UNPACK Arguments);                                    \
  }                                                                            \
  extern "C" void inmem_place_own##Name Parameters {                           \
    if (!__atomic_load_n(&Behind##Name, __ATOMIC_RELAXED))                     \
      return Default;                                                          \
    pass##Name Arguments;                                                      \
  }
PLACE_DELETES(PLACE_DELETE)

static int Passing = 0; // 1: no; 2: yes

__attribute__((noinline)) static bool findPassesOperators() {
  const bool Passes = replacesNone();
  __atomic_store_n(&Passing, Passes ? 2 : 1, __ATOMIC_RELAXED);
  return Passes;
}

bool inmem::place::passesOperators() {
  const int Now = __atomic_load_n(&Passing, __ATOMIC_RELAXED);
  return Now ? Now == 2 : findPassesOperators();
}

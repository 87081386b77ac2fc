//===- Operators.cpp - operator delete, and operators of allocators -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of jemalloc and mimalloc do not call malloc, so a class would
// not get to us. Over them, hinted allocations are placed without calling
// operator new, provided that every operator delete comes to us first: then
// theirs never sees a placed block.
//
// Our operators are weak: those that the program defines win.
//
//===----------------------------------------------------------------------===//
#include "Operators.h"

#include "Arena.h"
#include "Malloc.h"
#include "inmem/place.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

extern "C" __attribute__((weak)) void *_Znwm(size_t);

namespace inmem::place {
namespace {

/// X(name, parameters behind the block, arguments)
#define PLACE_DELETES(X)                                                       \
  X(_ZdlPv, (void *Block), (Block))                                            \
  X(_ZdaPv, (void *Block), (Block))                                            \
  X(_ZdlPvm, (void *Block, size_t Size), (Block, Size))                        \
  X(_ZdaPvm, (void *Block, size_t Size), (Block, Size))                        \
  X(_ZdlPvRKSt9nothrow_t, (void *Block, const void *Tag), (Block, Tag))        \
  X(_ZdaPvRKSt9nothrow_t, (void *Block, const void *Tag), (Block, Tag))        \
  X(_ZdlPvSt11align_val_t, (void *Block, size_t Align), (Block, Align))        \
  X(_ZdaPvSt11align_val_t, (void *Block, size_t Align), (Block, Align))        \
  X(_ZdlPvmSt11align_val_t, (void *Block, size_t Size, size_t Align),          \
    (Block, Size, Align))                                                      \
  X(_ZdaPvmSt11align_val_t, (void *Block, size_t Size, size_t Align),          \
    (Block, Size, Align))                                                      \
  X(_ZdlPvSt11align_val_tRKSt9nothrow_t,                                       \
    (void *Block, size_t Align, const void *Tag), (Block, Align, Tag))         \
  X(_ZdaPvSt11align_val_tRKSt9nothrow_t,                                       \
    (void *Block, size_t Align, const void *Tag), (Block, Align, Tag))

/// Whether it is the C++ library's operator delete, which just calls free.
bool isOfLibrary(const void *Function) {
  Dl_info Its, Library;
  const void *Throw = dlsym(RTLD_DEFAULT, "__cxa_throw");
  return Throw && dladdr(Function, &Its) != 0 && dladdr(Throw, &Library) != 0 &&
         Its.dli_fbase == Library.dli_fbase;
}

/// The next operator delete in symbol order; null if it is the C++ library's,
/// or there is none: then freeBehind() does the same.
void *findBehind(const char *Name) {
  void *Function = dlsym(RTLD_NEXT, Name);
  return Function && !isOfLibrary(Function) ? Function : nullptr;
}

/// Its address stands for an operator that was not looked up yet.
char NotLookedUp;

template <class... Args>
inline void pass(void *&Behind, const char *Name, void *Block, Args... More) {
  void *Function = __atomic_load_n(&Behind, __ATOMIC_RELAXED);
  if (__builtin_expect(Function == &NotLookedUp, 0)) {
    Function = findBehind(Name);
    __atomic_store_n(&Behind, Function, __ATOMIC_RELAXED);
  }
  if (!Function)
    return freeBehind(Block);
  reinterpret_cast<void (*)(void *, Args...)>(Function)(Block, More...);
}

} // namespace
} // namespace inmem::place

using namespace inmem::place;

#define PLACE_UNPACK(...) __VA_ARGS__
#define PLACE_DELETE(Name, Parameters, Arguments)                              \
  extern "C" void inmem_place_own##Name Parameters {                           \
    static constinit void *Behind = &NotLookedUp;                              \
    if (isPlaced(Block))                                                       \
      return release(Block);                                                   \
    pass(Behind, #Name, PLACE_UNPACK Arguments);                               \
  }                                                                            \
  extern "C"                                                                   \
      __attribute__((weak, visibility("default"),                              \
                     alias("inmem_place_own" #Name))) void Name Parameters;
PLACE_DELETES(PLACE_DELETE)

namespace inmem::place {

bool passesOperators() {
  static constinit int Known = 0; // 1: no; 2: yes
  int Now = __atomic_load_n(&Known, __ATOMIC_RELAXED);
  if (Now == 0) {
    // What the program calls may be its own, or that of an earlier object.
    const bool IsOurs = dlsym(RTLD_DEFAULT, "_ZdlPv") ==
                        reinterpret_cast<const void *>(&inmem_place_own_ZdlPv);
    const void *Behind = IsOurs ? dlsym(RTLD_NEXT, "_ZdlPv") : nullptr;
    Now = Behind && isOfAllocator(reinterpret_cast<void *>(&_Znwm)) &&
                  isOfAllocator(Behind)
              ? 2
              : 1;
    __atomic_store_n(&Known, Now, __ATOMIC_RELAXED);
  }
  return Now == 2;
}

} // namespace inmem::place

//===- Operators.cpp - operator delete, and operators of allocators -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jemalloc and mimalloc bring operators of their own, which ask no malloc that
// others could define. Blocks that are hinted are placed without asking them,
// if their operator delete is called by ours: then it never sees such a block.
//
// All of them are weak: a program's own come first.
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

/// The C++ library's operator delete calls free and nothing else.
bool isOfLibrary(const void *Function) {
  Dl_info Its, Library;
  const void *Throw = dlsym(RTLD_DEFAULT, "__cxa_throw");
  return Throw && dladdr(Function, &Its) != 0 && dladdr(Throw, &Library) != 0 &&
         Its.dli_fbase == Library.dli_fbase;
}

/// The operator delete behind ours; null if it is the library's, or there is
/// none: then freeBehind() does the same.
void *findBehind(const char *Name) {
  void *Function = dlsym(RTLD_NEXT, Name);
  return Function && !isOfLibrary(Function) ? Function : nullptr;
}

/// Stands for an operator that was not looked up.
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
    // The one that the program calls, which may be its own or another object's.
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

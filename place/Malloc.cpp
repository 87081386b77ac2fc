//===- Malloc.cpp - malloc and its kin, by class --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread-local variable carries the class to the thread's next allocation. So
// a hinted operator new can call the program's own operator new, replaced or
// not, and the memory that this gets from malloc is placed. An object that
// precedes ours in symbol order (the inmem runtime, a preloaded allocator) gets
// every call. Allocations without a class, or without room, go to the next
// allocator in symbol order ("behind").
//
//===----------------------------------------------------------------------===//
#include "Malloc.h"

#include "Arena.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_EXPORT extern "C" __attribute__((visibility("default")))
// A static program has no next object. There the linker's --wrap sends calls of
// malloc here, and calls of __real_malloc to the C library's.
#ifdef INMEM_PLACE_STATIC
#define PLACE_NAME(Name) __wrap_##Name
#else
#define PLACE_NAME(Name) Name
#endif
/// Weak: a program that has its own malloc keeps it.
#define PLACE_FAMILY PLACE_EXPORT __attribute__((weak))
#define PLACE_LIKELY(x) __builtin_expect(!!(x), 1)

/// X(result, name, parameters)
#define PLACE_FUNCTIONS(X)                                                     \
  X(void *, malloc, (size_t))                                                  \
  X(void *, calloc, (size_t, size_t))                                          \
  X(void *, realloc, (void *, size_t))                                         \
  X(void, free, (void *))                                                      \
  X(void *, memalign, (size_t, size_t))                                        \
  X(void *, aligned_alloc, (size_t, size_t))                                   \
  X(int, posix_memalign, (void **, size_t, size_t))                            \
  X(size_t, malloc_usable_size, (void *))

#ifdef INMEM_PLACE_STATIC
extern "C" {
#define PLACE_DECLARE(Result, Name, Parameters) Result __real_##Name Parameters;
PLACE_FUNCTIONS(PLACE_DECLARE)
#undef PLACE_DECLARE
// Weak because a program's own malloc may lack these functions, and a reference
// must not link in libc's.
__attribute__((weak)) decltype(__real_memalign) __real_memalign;
__attribute__((weak)) decltype(__real_aligned_alloc) __real_aligned_alloc;
__attribute__((weak)) decltype(__real_posix_memalign) __real_posix_memalign;
__attribute__((
    weak)) decltype(__real_malloc_usable_size) __real_malloc_usable_size;
__attribute__((weak)) void *__libc_malloc(size_t);
}
#else
// glibc's own functions, for allocations by dlsym while we look up the others.
extern "C" {
__attribute__((weak)) void *__libc_malloc(size_t);
__attribute__((weak)) void *__libc_calloc(size_t, size_t);
__attribute__((weak)) void *__libc_realloc(void *, size_t);
__attribute__((weak)) void __libc_free(void *);
}
#endif

namespace inmem::place {
namespace {

__thread int NextClass = INMEM_PLACE_SHORT;

/// Returns the class for this allocation and resets it for the next.
inline int takeClass() {
  const int Class = NextClass;
  NextClass = INMEM_PLACE_SHORT;
  return Class;
}

struct Allocator {
#define PLACE_MEMBER(Result, Name, Parameters) Result(*Name) Parameters;
  PLACE_FUNCTIONS(PLACE_MEMBER)
#undef PLACE_MEMBER
};
#ifdef INMEM_PLACE_STATIC

constinit const Allocator Behind = {
#define PLACE_REAL(Result, Name, Parameters) .Name = __real_##Name,
    PLACE_FUNCTIONS(PLACE_REAL)
#undef PLACE_REAL
};

#else

void find();
// The initial state of `Behind`: these look up the real functions, then call
// them.
void *first_malloc(size_t);
void *first_calloc(size_t, size_t);
void *first_realloc(void *, size_t);
void first_free(void *);
void *first_memalign(size_t, size_t);
void *first_aligned_alloc(size_t, size_t);
int first_posix_memalign(void **, size_t, size_t);
size_t first_malloc_usable_size(void *);

constinit Allocator Behind = {
#define PLACE_FIRST(Result, Name, Parameters) .Name = first_##Name,
    PLACE_FUNCTIONS(PLACE_FIRST)
#undef PLACE_FIRST
};

void find() {
  static __thread bool Looking = false;
  if (Looking) // dlsym itself allocates
    return;
  Looking = true;
  Allocator Found = Behind;
  bool All = true;
#define PLACE_FIND(Result, Name, Parameters)                                   \
  if (void *Function = dlsym(RTLD_NEXT, #Name))                                \
    Found.Name = reinterpret_cast<Result(*) Parameters>(Function);             \
  else                                                                         \
    All = false;
  PLACE_FUNCTIONS(PLACE_FIND)
#undef PLACE_FIND
  if (!All)
    abort();
#define PLACE_STORE(Result, Name, Parameters)                                  \
  __atomic_store_n(&Behind.Name, Found.Name, __ATOMIC_RELEASE);
  PLACE_FUNCTIONS(PLACE_STORE)
#undef PLACE_STORE
  Looking = false;
}

void *first_malloc(size_t Size) {
  find();
  return Behind.malloc == first_malloc ? __libc_malloc(Size)
                                       : Behind.malloc(Size);
}
void *first_calloc(size_t Count, size_t Size) {
  find();
  return Behind.calloc == first_calloc ? __libc_calloc(Count, Size)
                                       : Behind.calloc(Count, Size);
}
void *first_realloc(void *Block, size_t Size) {
  find();
  return Behind.realloc == first_realloc ? __libc_realloc(Block, Size)
                                         : Behind.realloc(Block, Size);
}
void first_free(void *Block) {
  find();
  Behind.free == first_free ? __libc_free(Block) : Behind.free(Block);
}
void *first_memalign(size_t Align, size_t Size) {
  find();
  return Behind.memalign(Align, Size);
}
void *first_aligned_alloc(size_t Align, size_t Size) {
  find();
  return Behind.aligned_alloc(Align, Size);
}
int first_posix_memalign(void **Result, size_t Align, size_t Size) {
  find();
  return Behind.posix_memalign(Result, Align, Size);
}
size_t first_malloc_usable_size(void *Block) {
  find();
  return Behind.malloc_usable_size(Block);
}

#endif

inline bool isPlaceable(size_t Size, size_t Align) {
  return Size <= kMostPlaced && Align <= kMostAlign &&
         (Align & (Align - 1)) == 0;
}

__attribute__((noinline)) void *placeOrPass(size_t Size) {
  const int Class = takeClass();
  void *Block = isPlaceable(Size, 1) ? allocate(Class, Size, 1) : nullptr;
  return Block ? Block : Behind.malloc(Size);
}

__attribute__((noinline)) void *placeZeroed(size_t Count, size_t Size) {
  const int Class = takeClass();
  size_t Bytes = 0;
  void *Block = nullptr;
  if (!__builtin_mul_overflow(Count, Size, &Bytes) && isPlaceable(Bytes, 1))
    Block = allocate(Class, Bytes, 1);
  return Block ? memset(Block, 0, Bytes) : Behind.calloc(Count, Size);
}

/// Null if the block is not placed.
void *placeAligned(size_t Align, size_t Size) {
  const int Class = takeClass();
  return Class && isPlaceable(Size, Align) ? allocate(Class, Size, Align)
                                           : nullptr;
}

/// realloc of a placed block, which keeps its class.
__attribute__((noinline)) void *moveBlock(void *Block, size_t Size) {
  NextClass = INMEM_PLACE_SHORT;
  if (Size == 0) {
    release(Block);
    return nullptr;
  }
  const size_t Room = usableSize(Block);
  if (Size <= Room && (Size > Room / 2 || Room <= 64))
    return Block;
  void *Fresh =
      isPlaceable(Size, 1) ? allocate(classOf(Block), Size, 1) : nullptr;
  if (!Fresh)
    Fresh = Behind.malloc(Size);
  if (!Fresh)
    return Size <= Room ? Block : nullptr; // shrinking needs no memory
  memcpy(Fresh, Block, Size < Room ? Size : Room);
  release(Block);
  return Fresh;
}

/// realloc, with a class, of a block that is not placed: moves it to a placed
/// block of that class. Returns null if it could not.
__attribute__((noinline)) void *moveToClass(void *Block, size_t Size) {
  const int Class = takeClass();
  if (Size == 0 || !isPlaceable(Size, 1) || !Behind.malloc_usable_size)
    return nullptr;
  void *Fresh = allocate(Class, Size, 1);
  if (!Fresh)
    return nullptr;
  const size_t Room = Behind.malloc_usable_size(Block);
  memcpy(Fresh, Block, Size < Room ? Size : Room);
  Behind.free(Block);
  return Fresh;
}

} // namespace

void *placeBlock(int Class, size_t Size, size_t Align) {
  return isPlaceable(Size, Align) ? allocate(Class, Size, Align) : nullptr;
}

#ifdef INMEM_PLACE_STATIC

namespace {

/// The code that \p Function jumps to: musl's malloc and __libc_malloc are
/// separate functions that jump to the allocator; glibc's are one function.
const uint8_t *targetOf(void *(*Function)(size_t)) {
  const auto *Code = reinterpret_cast<const uint8_t *>(Function);
#if defined(__x86_64__) && !defined(__GLIBC__)
  constexpr uint8_t kJump = 0xe9;
  int32_t Distance;
  if (*Code == kJump) {
    memcpy(&Distance, Code + 1, sizeof Distance);
    Code += ptrdiff_t{1 + sizeof Distance} + Distance;
  }
#endif
  return Code;
}

} // namespace

// --wrap does not apply to calls within an object file: a malloc other than
// libc's could get placed blocks from its own object.
bool servesProcess() {
  return __libc_malloc && targetOf(__real_malloc) == targetOf(__libc_malloc);
}

#else

bool isOfAllocator(const void *Function) {
  find();
  Dl_info Its, Allocator;
  return Function && dladdr(Function, &Its) != 0 &&
         dladdr(reinterpret_cast<void *>(Behind.malloc), &Allocator) != 0 &&
         Its.dli_fbase == Allocator.dli_fbase;
}

namespace {

constinit int Serving = 0; ///< 1: no; 2: yes

/// True if the program's malloc returns placed blocks. It does not if the
/// program hides our malloc or has its own, if another one was preloaded, or if
/// we were loaded with RTLD_DEEPBIND.
bool probe() {
  void *Program = dlopen(nullptr, RTLD_LAZY);
  if (!Program)
    return false;
  using Allocation = void *(*)(size_t);
  using Deallocation = void (*)(void *);
  const auto Allocate = reinterpret_cast<Allocation>(dlsym(Program, "malloc"));
  const auto Deallocate =
      reinterpret_cast<Deallocation>(dlsym(Program, "free"));
  NextClass = INMEM_PLACE_STEADY;
  void *Block = Allocate(1);
  NextClass = INMEM_PLACE_SHORT;
  const bool Placed = isPlaced(Block);
  Deallocate(Block);
  dlclose(Program);
  return Placed;
}

__attribute__((noinline)) bool findServesProcess() {
  static __thread bool Looking = false;
  if (Looking)
    return false;
  Looking = true;
  const bool Serves = probe();
  Looking = false;
  __atomic_store_n(&Serving, Serves ? 2 : 1, __ATOMIC_RELAXED);
  return Serves;
}

} // namespace

bool servesProcess() {
  const int Now = __atomic_load_n(&Serving, __ATOMIC_RELAXED);
  return Now ? Now == 2 : findServesProcess();
}

#endif

} // namespace inmem::place

using namespace inmem::place;

PLACE_FAMILY void *PLACE_NAME(malloc)(size_t Size) {
  if (PLACE_LIKELY(!NextClass))
    return Behind.malloc(Size);
  return placeOrPass(Size);
}

PLACE_FAMILY void *PLACE_NAME(calloc)(size_t Count, size_t Size) {
  if (PLACE_LIKELY(!NextClass))
    return Behind.calloc(Count, Size);
  return placeZeroed(Count, Size);
}

PLACE_FAMILY void PLACE_NAME(free)(void *Block) {
  if (PLACE_LIKELY(!isPlaced(Block)))
    return Behind.free(Block);
  release(Block);
}

PLACE_FAMILY void *PLACE_NAME(realloc)(void *Block, size_t Size) {
  if (isPlaced(Block))
    return moveBlock(Block, Size);
  if (!Block)
    return PLACE_NAME(malloc)(Size);
  if (!PLACE_LIKELY(!NextClass))
    if (void *Fresh = moveToClass(Block, Size))
      return Fresh;
  return Behind.realloc(Block, Size);
}

PLACE_FAMILY void *PLACE_NAME(reallocarray)(void *Block, size_t Count,
                                            size_t Size) {
  size_t Bytes = 0;
  if (__builtin_mul_overflow(Count, Size, &Bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return PLACE_NAME(realloc)(Block, Bytes);
}

PLACE_FAMILY void *PLACE_NAME(memalign)(size_t Align, size_t Size) {
  void *Block = placeAligned(Align, Size);
  return Block ? Block : Behind.memalign(Align, Size);
}

PLACE_FAMILY void *PLACE_NAME(aligned_alloc)(size_t Align, size_t Size) {
  void *Block = placeAligned(Align, Size);
  return Block ? Block : Behind.aligned_alloc(Align, Size);
}

PLACE_FAMILY int PLACE_NAME(posix_memalign)(void **Result, size_t Align,
                                            size_t Size) {
  if (Align >= sizeof(void *))
    if (void *Block = placeAligned(Align, Size)) {
      *Result = Block;
      return 0;
    }
  return Behind.posix_memalign(Result, Align, Size);
}

PLACE_FAMILY size_t PLACE_NAME(malloc_usable_size)(void *Block) {
  return isPlaced(Block) ? usableSize(Block) : Behind.malloc_usable_size(Block);
}

#ifndef INMEM_PLACE_STATIC // static programs keep glibc's
PLACE_FAMILY int malloc_trim(size_t Pad) {
  using Trim = int (*)(size_t);
  const auto Next = reinterpret_cast<Trim>(dlsym(RTLD_NEXT, "malloc_trim"));
  const bool Trimmed = trim();
  return (Next && Next(Pad)) || Trimmed;
}
#endif

PLACE_EXPORT void __inmem_place_expect(int Class) {
  if (Class != INMEM_PLACE_PHASE && Class != INMEM_PLACE_STEADY)
    NextClass = INMEM_PLACE_SHORT;
  else if (servesProcess())
    NextClass = Class;
}

//===- ProgramMaps.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/ProgramMaps.h"

#include "platform/Interpose.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef INMEM_STATIC
// The linker's --wrap defines these. A program that was linked without it has
// none, and does not call us either.
extern "C" {
__attribute__((weak)) void *__real_mmap(void *, size_t, int, int, int, off_t);
__attribute__((weak)) int __real_munmap(void *, size_t);
__attribute__((weak)) void *__real_mremap(void *, size_t, size_t, int, ...);
__attribute__((weak)) void *__real_sbrk(intptr_t);
}
#define INMEM_REAL(Name) (&__real_##Name)
#else
#define INMEM_REAL(Name) Next_##Name.get()
INMEM_NEXT_FUNCTION(Next_mmap, "mmap",
                    void *(void *, size_t, int, int, int, off_t));
INMEM_NEXT_FUNCTION(Next_munmap, "munmap", int(void *, size_t));
INMEM_NEXT_FUNCTION(Next_mremap, "mremap",
                    void *(void *, size_t, size_t, int, ...));
INMEM_NEXT_FUNCTION(Next_sbrk, "sbrk", void *(intptr_t));
#endif

namespace inmem::rt {

void *mapForProgram(void *At, size_t Bytes, int Protection, int Flags, int Fd,
                    off_t Offset) {
  if (auto *Real = INMEM_REAL(mmap))
    return Real(At, Bytes, Protection, Flags, Fd, Offset);
  return reinterpret_cast<void *>(
      syscall(SYS_mmap, At, Bytes, Protection, Flags, Fd, Offset));
}

int unmapForProgram(void *At, size_t Bytes) {
  if (auto *Real = INMEM_REAL(munmap))
    return Real(At, Bytes);
  return static_cast<int>(syscall(SYS_munmap, At, Bytes));
}

void *remapForProgram(void *At, size_t Bytes, size_t NewBytes, int Flags,
                      void *NewAt) {
  if (auto *Real = INMEM_REAL(mremap))
    return Real(At, Bytes, NewBytes, Flags, NewAt);
  return reinterpret_cast<void *>(
      syscall(SYS_mremap, At, Bytes, NewBytes, Flags, NewAt));
}

void *moveBreakForProgram(intptr_t Bytes) {
  auto *Real = INMEM_REAL(sbrk);
#ifndef INMEM_STATIC
  if (!Real) // attached: no definition follows ours
    Real = reinterpret_cast<void *(*)(intptr_t)>(firstSymbol("sbrk"));
#endif
  return Real(Bytes);
}

#ifndef INMEM_STATIC
void callFirstMaps() {
  const void *Own[] = {
      reinterpret_cast<const void *>(&mmap),
      reinterpret_cast<const void *>(&munmap),
      reinterpret_cast<const void *>(
          static_cast<void *(*)(void *, size_t, size_t, int, ...)>(&mremap)),
      reinterpret_cast<const void *>(&sbrk)};
  NextSymbol *const All[] = {&Next_mmap, &Next_munmap, &Next_mremap,
                             &Next_sbrk};
  for (size_t I = 0; I < sizeof All / sizeof *All; ++I)
    if (void *First = firstSymbol(All[I]->Name); First && First != Own[I])
      __atomic_store_n(&All[I]->Found, First, __ATOMIC_RELAXED);
}
#endif

uintptr_t addressInCLibrary() {
#ifdef INMEM_STATIC
  return 0;
#else
  return reinterpret_cast<uintptr_t>(&sysconf);
#endif
}

bool isMapFailure(const void *Result) { return Result == MAP_FAILED; }

bool keepsOldMapping(size_t Bytes, int Flags) {
#ifndef MREMAP_DONTUNMAP
  constexpr int MREMAP_DONTUNMAP = 4; // Linux 5.7
#endif
  // A size of 0 maps shared memory a second time.
  return Bytes == 0 || Flags & MREMAP_DONTUNMAP;
}

} // namespace inmem::rt

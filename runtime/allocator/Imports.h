//===- Imports.h - import slots of loaded files ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a file's global offset table through which it calls functions of
// other files, found by their relocations.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_IMPORTS_H
#define INMEM_RUNTIME_IMPORTS_H

#include "platform/Image.h"

namespace inmem::rt {

/// True for the C and C++ libraries.
inline bool isStandardLibrary(const Image &I) {
  return I.isNamed("libc.so") || I.isNamed("libc-") || I.isNamed("libstdc++") ||
         I.isNamed("libc++");
}

/// Calls \p Visit with each relocation of \p I that stores a symbol's address,
/// and whether it is an import slot; the others initialise data.
template <class Visitor> void forEachReference(const Image &I, Visitor Visit) {
#if defined(__x86_64__)
  constexpr unsigned kJumpSlot = R_X86_64_JUMP_SLOT;
  constexpr unsigned kGlobalData = R_X86_64_GLOB_DAT;
  constexpr unsigned kPointer = R_X86_64_64;
#else
  constexpr unsigned kJumpSlot = R_AARCH64_JUMP_SLOT;
  constexpr unsigned kGlobalData = R_AARCH64_GLOB_DAT;
  constexpr unsigned kPointer = R_AARCH64_ABS64;
#endif
  const Image::Relocations All[] = {I.jumpRelocations(), I.otherRelocations()};
  for (const Image::Relocations &Of : All)
    for (size_t N = 0; N < Of.Count; ++N) {
      const ElfW(Rela) &R = Of.First[N];
      const unsigned Kind = ELF64_R_TYPE(R.r_info);
      const bool IsImport = Kind == kJumpSlot || Kind == kGlobalData;
      if (IsImport || (Kind == kPointer && R.r_addend == 0))
        Visit(R, IsImport);
    }
}

/// Calls \p Visit with the address of each import slot of \p I and the name of
/// the function.
template <class Visitor> void forEachImport(const Image &I, Visitor Visit) {
  forEachReference(I, [&](const ElfW(Rela) & R, bool IsImport) {
    if (IsImport)
      Visit(I.base() + R.r_offset, I.nameOf(R));
  });
}

/// Stores \p Value in a slot of \p I, also one that is read-only after
/// relocation. Does nothing if the page cannot be made writable.
void patchSlot(const Image &I, uintptr_t Slot, const void *Value);

} // namespace inmem::rt

#endif

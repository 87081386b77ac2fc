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

/// Calls \p Visit with the address of each import slot of \p I and the name of
/// the function.
template <class Visitor> void forEachImport(const Image &I, Visitor Visit) {
#if defined(__x86_64__)
  constexpr unsigned kJumpSlot = R_X86_64_JUMP_SLOT;
  constexpr unsigned kGlobalData = R_X86_64_GLOB_DAT;
#else
  constexpr unsigned kJumpSlot = R_AARCH64_JUMP_SLOT;
  constexpr unsigned kGlobalData = R_AARCH64_GLOB_DAT;
#endif
  const Image::Relocations All[] = {I.jumpRelocations(), I.otherRelocations()};
  for (const Image::Relocations &Of : All)
    for (size_t N = 0; N < Of.Count; ++N) {
      const ElfW(Rela) &R = Of.First[N];
      const unsigned Kind = ELF64_R_TYPE(R.r_info);
      if (Kind == kJumpSlot || Kind == kGlobalData)
        Visit(I.base() + R.r_offset, I.nameOf(R));
    }
}

/// Stores \p Value in a slot of \p I, also one that is read-only after
/// relocation. Does nothing if the page cannot be made writable.
void patchSlot(const Image &I, uintptr_t Slot, const void *Value);

} // namespace inmem::rt

#endif

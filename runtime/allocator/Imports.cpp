//===- Imports.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocator/Imports.h"

namespace inmem::rt {

void patchSlot(const Image &I, uintptr_t Slot, const void *Value) {
  const AddressRange ReadOnly = I.segmentRange(PT_GNU_RELRO);
  const size_t Size = pageSize();
  const uintptr_t Page = Slot & ~(Size - 1);
  // The loader rounds both ends down to pages.
  const bool Locked = Page >= (ReadOnly.Start & ~(Size - 1)) &&
                      Page < (ReadOnly.End & ~(Size - 1));
  auto *Start = reinterpret_cast<void *>(Page);
  if (Locked && !protectPages(Start, Size, Access::ReadWrite))
    return;
  __atomic_store_n(reinterpret_cast<const void **>(Slot), Value,
                   __ATOMIC_RELEASE);
  if (Locked)
    protectPages(Start, Size, Access::Read);
}

} // namespace inmem::rt

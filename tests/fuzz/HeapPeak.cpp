//===- HeapPeak.cpp - Heap usage of a target ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fuzz.h"

#include <sanitizer/allocator_interface.h>

namespace {

size_t InUse, Peak, AtReset;

void onMalloc(const volatile void *, size_t Size) {
  InUse += Size;
  Peak = InUse > Peak ? InUse : Peak;
}

void onFree(const volatile void *P) {
  if (P)
    InUse -= __sanitizer_get_allocated_size(const_cast<const void *>(P));
}

} // namespace

// Stacks of allocations are for reports; here they would take a fifth of the
// time. Freed memory need not stay in quarantine, either.
extern "C" const char *__asan_default_options() {
  return "malloc_context_size=2:quarantine_size_mb=8";
}

namespace inmem::fuzz {

size_t peakOfHeap() { return Peak > AtReset ? Peak - AtReset : 0; }

void resetPeak() {
  static const bool Installed =
      __sanitizer_install_malloc_and_free_hooks(onMalloc, onFree) > 0;
  check(Installed, "room for a malloc hook");
  Peak = AtReset = InUse;
}

} // namespace inmem::fuzz

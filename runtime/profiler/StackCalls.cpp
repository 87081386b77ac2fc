//===- StackCalls.cpp - sigaltstack ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's alternate stack may be too small for the profiler's signal, so the
// program's choice is checked before the kernel uses it.
//
//===----------------------------------------------------------------------===//
#include "platform/Errors.h"
#include "platform/Interpose.h"
#include "platform/Signals.h"
#include "profiler/SmallStacks.h"

using namespace inmem::rt;

/// The C library's function is only a system call, too, and callable from
/// signal handlers.
INMEM_EXPORT int sigaltstack(const stack_t *Wanted, stack_t *Before) {
  if (!Wanted)
    return systemAlternateStack(nullptr, Before);
  const auto RangeOf = [](const stack_t &S) {
    const auto Start = reinterpret_cast<uintptr_t>(S.ss_sp);
    return S.ss_flags & SS_DISABLE ? AddressRange{}
                                   : AddressRange{Start, Start + S.ss_size};
  };
  if (!isSmallStack(RangeOf(*Wanted))) {
    const int Result = systemAlternateStack(Wanted, Before);
    if (Result == 0)
      noteAlternateStack({});
    return Result;
  }
  // Note it before the kernel has it, so that no signal arrives in between.
  noteAlternateStack(RangeOf(*Wanted));
  const int Result = systemAlternateStack(Wanted, Before);
  if (Result != 0) {
    const SavedErrno Kept;
    noteAlternateStack(alternateStack());
  }
  return Result;
}

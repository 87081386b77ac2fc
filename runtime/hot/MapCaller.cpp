//===- MapCaller.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C libraries map their own memory by other names than the program. Other
// allocators call mmap as the program does: from a library of their own, or
// inside a call of malloc.
//
//===----------------------------------------------------------------------===//
#include "hot/MapCaller.h"

#include "allocator/Allocator.h"
#include "hot/CallerPaths.h"
#include "platform/Image.h"
#include "platform/ProgramMaps.h"

namespace inmem::rt {

namespace {

/// Files with the C library and with malloc.
struct Libraries {
  bool IsKnown;
  bool AllocatorIsElsewhere; ///< malloc is not the C library's
  AddressRange C;            ///< empty in a static program
  AddressRange Allocator;    ///< of a library that has malloc; or empty
};

Libraries findLibraries() {
  Libraries L = {};
  L.IsKnown = true;
  L.AllocatorIsElsewhere = Real.LeastRequest != 0 || Real.Packs ||
                           Real.MallocBeforeUs || Real.OperatorsReplaced;
  if (const uintptr_t InC = addressInCLibrary()) {
    L.C = Image::spanAround(InC);
    Image Of;
    if (Image::around(reinterpret_cast<uintptr_t>(Real.malloc), Of) &&
        *Of.name() && Of.span().Start != L.C.Start)
      L.Allocator = Of.span();
  }
  return L;
}

const Libraries &libraries() {
  static constinit Libraries Known = {};
  if (!__atomic_load_n(&Known.IsKnown, __ATOMIC_ACQUIRE)) {
    resolveAllocator();
    const Libraries Found = findLibraries();
    Locked L(Process.Mutex);
    if (!Known.IsKnown) {
      Known.C = Found.C;
      Known.Allocator = Found.Allocator;
      Known.AllocatorIsElsewhere = Found.AllocatorIsElsewhere;
      __atomic_store_n(&Known.IsKnown, true, __ATOMIC_RELEASE);
    }
  }
  return Known;
}

/// True if a hook, or what one calls, is on the stack.
bool isInsideHook(ThreadState &T, const uintptr_t *Back) {
  constexpr unsigned kMostFrames = 24;
  CallerPaths *Paths = T.Rows->Paths;
  if (!Paths)
    return false;
  CallerFrame Frames[kMostFrames];
  uintptr_t Function = 0;
  bool Found = false;
  walkCallers(
      Paths->Unwind, reinterpret_cast<uintptr_t>(Back), Frames, kMostFrames,
      Function,
      [](void *Of, uintptr_t Frame) {
        auto &IsFound = *static_cast<bool *>(Of);
        IsFound = isHook(Frame - 1);
        return !IsFound;
      },
      &Found);
  return Found;
}

} // namespace

Mapper mapperOf(ThreadState &T, uintptr_t Return, const uintptr_t *Back) {
  const Libraries &L = libraries();
  if (L.C.contains(Return))
    return Mapper::CLibrary;
  return L.Allocator.contains(Return) ||
                 (L.AllocatorIsElsewhere && isInsideHook(T, Back))
             ? Mapper::Allocator
             : Mapper::Program;
}

} // namespace inmem::rt

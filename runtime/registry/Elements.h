//===- Elements.h - Growing lists of elements in the trace ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_ELEMENTS_H
#define INMEM_RUNTIME_ELEMENTS_H

#include "state/Runtime.h"

namespace inmem::rt {

/// Room for one more element in a growing list of extents; null without room.
/// \p First and \p Most: sizes of extents in bytes. The element counts once
/// publishElement() is called. With the mutex.
template <class Element>
Element *addElement(trace::ExtentHeader *&Current, trace::ExtentKind Kind,
                    uint32_t Owner, uint64_t First, uint64_t Most) {
  using trace::ExtentHeader;
  // A file that was cut has zeros for its extents.
  if (!Current || Current->Bytes < sizeof(ExtentHeader) +
                                       (Current->Used + 1) * sizeof(Element)) {
    uint64_t Bytes = Current ? Current->Bytes * 2 : First;
    Bytes = Bytes < First ? First : Bytes > Most ? Most : Bytes;
    ExtentHeader *Fresh =
        Process.Trace.addExtent(Kind, Owner, 0, Bytes - sizeof(ExtentHeader));
    if (!Fresh)
      return nullptr;
    Current = Fresh;
  }
  return reinterpret_cast<Element *>(Current + 1) + Current->Used;
}

inline void publishElement(trace::ExtentHeader *E) {
  __atomic_store_n(&E->Used, E->Used + 1, __ATOMIC_RELEASE);
}

} // namespace inmem::rt

#endif

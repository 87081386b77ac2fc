//===- HeapSort.h - Sorting in place ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_HEAPSORT_H
#define INMEM_RUNTIME_HEAPSORT_H

#include <stddef.h>

namespace inmem::rt {

/// Heapsort: no extra memory, never slower than n log n.
template <class T, class Less>
void sortInPlace(T *All, size_t Count, Less IsLess) {
  auto Swap = [All](size_t A, size_t B) {
    T Kept = All[A];
    All[A] = All[B];
    All[B] = Kept;
  };
  auto Sift = [&](size_t Root, size_t End) {
    for (size_t Child; (Child = 2 * Root + 1) < End; Root = Child) {
      if (Child + 1 < End && IsLess(All[Child], All[Child + 1]))
        ++Child;
      if (!IsLess(All[Root], All[Child]))
        return;
      Swap(Root, Child);
    }
  };
  bool IsSorted = true;
  for (size_t I = 1; I < Count; ++I)
    IsSorted &= !IsLess(All[I], All[I - 1]);
  if (IsSorted)
    return;
  for (size_t I = Count / 2; I-- > 0;)
    Sift(I, Count);
  for (size_t End = Count; End-- > 1;) {
    Swap(0, End);
    Sift(0, End);
  }
}

} // namespace inmem::rt

#endif

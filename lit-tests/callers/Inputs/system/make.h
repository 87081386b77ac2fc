// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library's function that allocates for its callers.
#ifndef MAKE_H
#define MAKE_H
#include <stdlib.h>

template <class T> struct Room {
  T *Begin;
  __attribute__((noinline)) void reserve(size_t Number) {
    Begin = static_cast<T *>(malloc(Number * sizeof(T)));
  }
};
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// type_id.h - the compiler's number for a type. Part of scope.h.
#ifndef INMEM_DETAIL_TYPE_ID_H
#define INMEM_DETAIL_TYPE_ID_H

#include "../scope_api.h"
#include "../unseen.h"

namespace inmem {

namespace detail {

inline void hide(void *P) { __asm__ volatile("" : : "r"(P) : "memory"); }

/// Gets the compiler's number for T through an allocation that is not counted.
template <class T> __attribute__((noinline)) uint64_t askTypeId() {
  if (!inmem_ignored_type)
    return 0;
  Unseen Hidden;
  T *P = static_cast<T *>(__builtin_malloc(sizeof(T)));
  hide(P);
  uint64_t Id = inmem_ignored_type();
  __builtin_free(P);
  return Id;
}

} // namespace detail

/// The number of T in scopes; 0 if the calling file is uninstrumented.
template <class T> uint64_t typeId() {
  static const uint64_t Id = detail::askTypeId<T>();
  return Id;
}

} // namespace inmem

#endif

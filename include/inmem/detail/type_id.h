// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// type_id.h - the number under which the compiler knows a type. Part of
// scope.h.
#ifndef INMEM_DETAIL_TYPE_ID_H
#define INMEM_DETAIL_TYPE_ID_H

#include "../scope_api.h"
#include "../unseen.h"

#include <cstdint>
#include <cstdlib>

namespace inmem {

namespace detail {

inline void hide(void *P) { __asm__ volatile("" : : "r"(P) : "memory"); }

/// Learns the compiler's number for T from an allocation that is not counted.
template <class T> __attribute__((noinline)) std::uint64_t askTypeId() {
  if (!inmem_ignored_type)
    return 0;
  Unseen Hidden;
  T *P = static_cast<T *>(std::malloc(sizeof(T)));
  hide(P);
  std::uint64_t Id = inmem_ignored_type();
  std::free(P);
  return Id;
}

} // namespace detail

/// The number of T in scopes; 0 if the calling file is not instrumented.
template <class T> std::uint64_t typeId() {
  static const std::uint64_t Id = detail::askTypeId<T>();
  return Id;
}

} // namespace inmem

#endif

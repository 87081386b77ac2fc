// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// type_limit.h - limits on blocks of single types in a budget. Part of
// budget.h.
#ifndef INMEM_TYPE_LIMIT_H
#define INMEM_TYPE_LIMIT_H

#include "detail/names.h"
#include "detail/status.h"
#include "detail/type_id.h"

#include <string>

namespace inmem {

constexpr uint64_t noLimit = INMEM_NO_LIMIT;

/// A limit on blocks of one type; created by typeLimit<T>().
struct TypeLimit {
  uint64_t id = 0;
  const char *name = "";
  uint64_t bytes = noLimit, objects = noLimit;
};

namespace detail {
template <class T> const char *storedNameOf() {
  static const std::string *const Name = [] {
    Unseen Hidden;
    return new std::string(nameOf<T>());
  }();
  return Name->c_str();
}
} // namespace detail

/// Limits blocks of T to \p Blocks, and their bytes to \p Bytes.
template <class T>
TypeLimit typeLimit(uint64_t Blocks, uint64_t Bytes = noLimit) {
  return {typeId<T>(), detail::storedNameOf<T>(), Bytes, Blocks};
}
/// Deprecated name of typeLimit().
template <class T> TypeLimit limit(uint64_t Blocks, uint64_t Bytes = noLimit) {
  return typeLimit<T>(Blocks, Bytes);
}

/// Up to eight limits, stored inline.
class TypeLimits {
public:
  TypeLimits() = default;
  TypeLimits(std::initializer_list<TypeLimit> All) {
    if (All.size() > kMost)
      detail::fail("a budget limits at most 8 types");
    for (const TypeLimit &L : All)
      Limits[Count++] = {L.id, L.name, L.bytes, L.objects, 0, 0};
  }
  inmem_type_limit *data() { return Limits; }
  uint32_t size() const { return Count; }

private:
  static constexpr std::size_t kMost = 8;
  inmem_type_limit Limits[kMost] = {};
  uint32_t Count = 0;
};

} // namespace inmem

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CompatCxx.cpp - functions that libstdc++ added after GCC 8, for plugins that
// run with an older one.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <typeinfo>

namespace std {

// GCC 11. clang does not throw exceptions either.
__attribute__((visibility("hidden"))) void __throw_bad_array_new_length();
void __throw_bad_array_new_length() { abort(); }

// GCC 9: code without type information uses it to ask code with it for the
// object of a make_shared.
__attribute__((visibility("hidden"))) bool
_Sp_make_shared_tag::_S_eq(const type_info &Type) noexcept {
  return strcmp(Type.name(), "St19_Sp_make_shared_tag") == 0;
}

} // namespace std

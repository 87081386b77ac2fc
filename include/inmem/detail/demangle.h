// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// demangle.h - demangles linkage names and typeid names.
#ifndef INMEM_DETAIL_DEMANGLE_H
#define INMEM_DETAIL_DEMANGLE_H

#include <string>

// As <cxxabi.h> declares it.
namespace __cxxabiv1 {
extern "C" char *__cxa_demangle(const char *, char *, size_t *, int *);
} // namespace __cxxabiv1

namespace inmem::detail {

/// \p Name: a typeid name, or a C++ linkage name.
inline std::string demangledType(const char *Name) {
  int Failed = 0;
  char *Plain = __cxxabiv1::__cxa_demangle(Name, nullptr, nullptr, &Failed);
  std::string Out = Failed == 0 && Plain ? Plain : Name;
  __builtin_free(Plain);
  return Out;
}

/// \p Linkage: a function's linkage name; C names are returned unchanged.
inline std::string demangled(const char *Linkage) {
  return Linkage[0] == '_' && Linkage[1] == 'Z' ? demangledType(Linkage)
                                                : Linkage;
}

} // namespace inmem::detail

#endif

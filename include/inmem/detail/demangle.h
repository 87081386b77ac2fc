// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// demangle.h - linkage names and names of typeid as C++ has them.
#ifndef INMEM_DETAIL_DEMANGLE_H
#define INMEM_DETAIL_DEMANGLE_H

#include <string>

// As <cxxabi.h> declares it.
namespace __cxxabiv1 {
extern "C" char *__cxa_demangle(const char *, char *, size_t *, int *);
} // namespace __cxxabiv1

namespace inmem::detail {

/// \p Name: of typeid, or a linkage name of C++.
inline std::string demangledType(const char *Name) {
  int Failed = 0;
  char *Plain = __cxxabiv1::__cxa_demangle(Name, nullptr, nullptr, &Failed);
  std::string Out = Failed == 0 && Plain ? Plain : Name;
  __builtin_free(Plain);
  return Out;
}

/// \p Linkage: a function's name; names of C are returned as they are.
inline std::string demangled(const char *Linkage) {
  return Linkage[0] == '_' && Linkage[1] == 'Z' ? demangledType(Linkage)
                                                : Linkage;
}

} // namespace inmem::detail

#endif

//===- Interpose.h - Functions that ours hide -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_INTERPOSE_H
#define INMEM_RUNTIME_INTERPOSE_H

#include <dlfcn.h>

namespace inmem::rt {

/// The function \p Name of the next library in search order, or null. Inline:
/// RTLD_NEXT means "after the caller's library".
template <class Function> inline Function *nextFunction(const char *Name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, Name));
}

/// The same, looked up once; \p Known keeps it.
template <class Function>
inline Function *nextFunction(const char *Name, Function *&Known) {
  Function *Found = __atomic_load_n(&Known, __ATOMIC_RELAXED);
  if (!Found) {
    Found = nextFunction<Function>(Name);
    __atomic_store_n(&Known, Found, __ATOMIC_RELAXED);
  }
  return Found;
}

} // namespace inmem::rt

#endif

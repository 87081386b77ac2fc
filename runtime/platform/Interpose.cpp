//===- Interpose.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Interpose.h"

#include "platform/Compiler.h"

#include <dlfcn.h>

namespace inmem::rt {

void *NextSymbol::find() {
  void *Symbol = dlsym(RTLD_NEXT, Name);
  __atomic_store_n(&Found, Symbol, __ATOMIC_RELAXED);
  return Symbol;
}

void *firstSymbol(const char *Name) { return dlsym(RTLD_DEFAULT, Name); }

extern "C" NextSymbol INMEM_HIDDEN __start_inmem_next[];
extern "C" NextSymbol INMEM_HIDDEN __stop_inmem_next[];

void findNextSymbols() {
  for (NextSymbol *S = __start_inmem_next; S != __stop_inmem_next; ++S)
    S->find();
}

} // namespace inmem::rt

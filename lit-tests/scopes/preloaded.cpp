// REQUIRES: jemalloc
// Intent: a budget refuses an allocation also where an allocator library is preloaded, which brings operator new as well
// as malloc: that is no operator of the program's own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: env LD_PRELOAD=libjemalloc.so.2 INMEM_OPTIONS=output=%t.inmem %t.exe

#include "Inputs/check.h"

struct Large {
  char bytes[2000];
};

static bool allocates() {
  try {
    Large *made = new Large;
    inmem::detail::hide(made);
    delete made;
  } catch (const inmem::budget_exceeded &) {
    return false;
  }
  return true;
}

int main() {
  CHECK(allocates());
  inmem::AllocationBudget budget{1000, inmem::noLimit, {}, inmem::OnExcess::Throw};
  CHECK(!allocates());
  return finish();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scope.h - what a piece of a C++ program allocates, and limits on it.
//
//   inmem::AllocationScope scope;
//   work();
//   inmem::Allocations a = scope.end();
//   if (a.bytes() > 120) std::cerr << a;
//
// Header-only over scope_api.h; C++17, or C++20 for designated initialisers.
// Where no runtime is present (or it is off) everything compiles and runs, and
// exact() returns false. The headers' own allocations are never counted.
// docs/allocation-tests.md has examples.
#ifndef INMEM_SCOPE_H
#define INMEM_SCOPE_H

#include "allocation_scope.h" // IWYU pragma: export
#include "budget.h"           // IWYU pragma: export
#include "no_allocation.h"    // IWYU pragma: export

#endif

//===- DeleteOperators.h - Operators of the allocator behind us -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLACE_DELETEOPERATORS_H
#define INMEM_PLACE_DELETEOPERATORS_H

namespace inmem::place {

/// True if the next allocator has its own operator new and operator delete, and
/// calls of operator delete come to us first. Then hinted operators new may
/// return placed blocks without calling the allocator's.
bool passesOperators();

} // namespace inmem::place

#endif

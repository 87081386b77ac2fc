//===- Operators.h - Operators of the allocator behind us -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLACE_OPERATORS_H
#define INMEM_PLACE_OPERATORS_H

namespace inmem::place {

/// Whether operator new and operator delete are the allocator's, and whoever
/// calls operator delete calls ours first: a block that it never made may be
/// returned by operator new.
bool passesOperators();

} // namespace inmem::place

#endif

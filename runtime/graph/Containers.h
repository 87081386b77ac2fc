//===- Containers.h - What classes of the standard library hold -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognised by name and by their members, of libstdc++ (10 to 15) and libc++
// (16 to 22), whose layouts are part of their ABI. What is not recognised is an
// ordinary class.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_CONTAINERS_H
#define INMEM_RUNTIME_CONTAINERS_H

#include "graph/PlanBuilder.h"

namespace inmem::rt {

/// Adds the steps of \p T at \p At; false if it is no such class.
bool addContainer(Builder &B, const inmem_type &T, uint32_t At,
                  const char *Label);

/// The member of a library's union that is alive as long as what it lies in:
/// the value of a node of libc++, the alternative of a libstdc++ variant that
/// its index names. Null: of any other union.
const inmem_field *liveMember(const inmem_type &Union);

/// Whether what lies in \p T is not always alive: an optional's value, a
/// variant's alternative.
bool holdsAlternatives(const inmem_type &T);

/// How many pointers to other nodes a node of a list, tree or hash table
/// begins with; 0: no node.
unsigned nodePointers(const char *TypeName);

} // namespace inmem::rt

#endif

//===- StandardClasses.h - Contents of standard classes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognised by name and by their members, of libstdc++ (10 to 15) and libc++
// (16 to 22), whose layouts are part of their ABI. What is not recognised is an
// ordinary class.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_STANDARDCLASSES_H
#define INMEM_RUNTIME_STANDARDCLASSES_H

#include "graph/PlanBuilder.h"

namespace inmem::rt {

/// Adds the steps of \p T at \p At; false if it is not a known class.
bool addContainer(Builder &B, const inmem_type &T, uint32_t At,
                  const char *Label);

/// The member of a library's union that is alive whenever the enclosing object
/// is: a libc++ node's value, or the alternative of a libstdc++ variant that
/// its index selects. Null for any other union.
const inmem_field *liveMember(const inmem_type &Union);

/// True if the contents of \p T may not be alive: an optional's value, a
/// variant's alternative.
bool holdsAlternatives(const inmem_type &T);

/// Number of pointers to other nodes at the start of a node of a list, tree or
/// hash table; 0: not a node.
unsigned nodePointers(const char *TypeName);

} // namespace inmem::rt

#endif

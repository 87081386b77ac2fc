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

/// Of a list, tree or hash table.
bool isContainerNode(const char *TypeName);

} // namespace inmem::rt

#endif

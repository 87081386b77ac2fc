//===- DynamicType.h - The class that a vtable belongs to -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_DYNAMICTYPE_H
#define INMEM_RUNTIME_DYNAMICTYPE_H

#include "graph/ObjectMemory.h"
#include "graph/Types.h"

namespace inmem::rt {

/// Sets \p Address to that of the complete object, according to the vtable of
/// the object of \p Type there; false if it has none. \p TypeInfo: its
/// std::type_info.
bool findTop(Memory &M, const inmem_type *Type, uintptr_t &Address,
             uint64_t &TypeInfo);

/// If \p Type is a polymorphic class, sets \p Address and \p Type to
/// the complete object, if its class is described.
void completeObject(Memory &M, uintptr_t &Address, const inmem_type *&Type);

} // namespace inmem::rt

#endif

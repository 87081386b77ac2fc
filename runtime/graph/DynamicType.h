//===- DynamicType.h - The class that a vtable belongs to -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_DYNAMICTYPE_H
#define INMEM_RUNTIME_DYNAMICTYPE_H

#include "graph/Memory.h"
#include "graph/Types.h"

namespace inmem::rt {

/// Makes \p Address that of the whole object, as the vtable of the object of
/// \p Type there says; false if it has none. \p TypeInfo: where its
/// std::type_info is.
bool findTop(Memory &M, const inmem_type *Type, uintptr_t &Address,
             uint64_t &TypeInfo);

/// If \p Type is a polymorphic class, makes \p Address and \p Type those of the
/// whole object, as its vtable says and if that class is described.
void completeObject(Memory &M, uintptr_t &Address, const inmem_type *&Type);

} // namespace inmem::rt

#endif

//===- DescribeTypes.h - descriptions for inmem/graph.h ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the bodies of inmem::detail::described<T>(), which return null
// without inmem: they return the records of T and of all that it leads to. Only
// programs that ask have such records.
#ifndef INMEM_PLUGIN_IR_DESCRIBETYPES_H
#define INMEM_PLUGIN_IR_DESCRIBETYPES_H

namespace llvm {
class Module;
}

namespace inmem {

/// \returns whether there were any.
bool describeTypes(llvm::Module &M, bool LTOPreLink);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_DESCRIBETYPES_H

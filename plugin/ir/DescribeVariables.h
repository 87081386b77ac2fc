//===- DescribeVariables.h - variables that hold memory ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_DESCRIBEVARIABLES_H
#define INMEM_PLUGIN_IR_DESCRIBEVARIABLES_H

namespace llvm {
class Module;
}

namespace inmem {

/// Makes a record (abi.h) of each of SiteTable::current().Variables that the
/// module defines and may change. \returns whether there is any.
bool describeVariables(llvm::Module &M, bool LTOPreLink);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_DESCRIBEVARIABLES_H

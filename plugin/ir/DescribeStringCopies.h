//===- DescribeStringCopies.h - records of strings only read ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_DESCRIBESTRINGCOPIES_H
#define INMEM_PLUGIN_IR_DESCRIBESTRINGCOPIES_H

namespace llvm {
class Module;
}

namespace inmem {

/// Makes a record (abi.h) of each of SiteTable::current().StringCopies.
/// \returns whether there are any.
bool describeStringCopies(llvm::Module &M, bool LTOPreLink);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_DESCRIBESTRINGCOPIES_H

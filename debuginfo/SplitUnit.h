//===- SplitUnit.h - One unit of a package as a file ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_SPLITUNIT_H
#define INMEM_DEBUGINFO_SPLITUNIT_H

#include "debuginfo/SplitPackage.h"

namespace inmem::debuginfo {

/// A .dwo file in memory, which the caller closes: the unit \p Of and the types
/// that it refers to. Units of other .dwo files get abbreviations with the
/// offset of their strings. -1 if the data is damaged.
int splitUnit(const SplitPackage &Package, const SplitPackage::Row &Of);

} // namespace inmem::debuginfo

#endif

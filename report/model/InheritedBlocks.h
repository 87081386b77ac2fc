//===- InheritedBlocks.h - Blocks from before a fork ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a forked process had from its parent: no part of its totals, but its
// to free. Used by ProfileBuilder.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_INHERITEDBLOCKS_H
#define INMEM_REPORT_INHERITEDBLOCKS_H

#include "report/model/Profile.h"

#include "trace/read/Trace.h"

namespace inmem::report {

/// Adds what \p T inherited to \p Out, types by the most bytes first.
void addInherited(const trace::Trace &T, std::optional<InheritedResult> &Out);

} // namespace inmem::report

#endif

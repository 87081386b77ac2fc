//===- Parts.h - Samples by thread and lifetime ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_PARTS_H
#define INMEM_REPORT_MODEL_PARTS_H

#include "report/model/LifetimeSum.h"

namespace inmem::report {

/// Divides the blocks of an entry: those freed by how long they had lived, in
/// decades, and those alive. By thread if no thread freed more than it had
/// allocated; a free counts for the thread that freed.
void addParts(const trace::Trace &T, const trace::Entry &E, const Counts &C,
              const LifetimeSum &Life, std::vector<PartResult> &To);

} // namespace inmem::report

#endif

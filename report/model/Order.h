//===- Order.h - Results in their order -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_ORDER_H
#define INMEM_REPORT_MODEL_ORDER_H

#include "report/model/Profile.h"

namespace inmem::report {

/// Sorts rows, so that output is stable, and derives what needs all of them.
/// Types without blocks or objects go.
void orderResults(Profile &Out);

} // namespace inmem::report

#endif

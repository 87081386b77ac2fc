//===- ThreadRows.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state/ThreadRows.h"

namespace inmem::rt {

constinit ThreadRows *AllThreadRows = nullptr;

} // namespace inmem::rt

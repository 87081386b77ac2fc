//===- HeapNames.h - Functions and lines of a heap snapshot -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_HEAPNAMES_H
#define INMEM_TOOLS_HEAPNAMES_H

#include "heap/HeapFile.h"

namespace inmem::tools {

/// As heap::readHeap(). Places that the process knew by their address alone,
/// such as "app+0x1c40", get the function and line of the program's file.
trace::Result<heap::Heap> readNamedHeap(const std::string &Path);

} // namespace inmem::tools

#endif

//===- Structors.h - constructors and destructors by variant ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_STRUCTORS_H
#define INMEM_PLUGIN_IR_STRUCTORS_H

namespace llvm {
class Module;
}

namespace inmem {

/// So that objects are counted, clang makes the complete variant (C1, D1) of a
/// structor a function that calls the base variant (C2, D2), where it would
/// otherwise be the same one. It knows of the base variant that it throws
/// nothing, but not of one that calls it. This marks the complete variants
/// where calls would otherwise go to the base variant: whether a call may throw
/// decides what is in a coroutine's frame.
void markCompleteStructors(llvm::Module &M);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_STRUCTORS_H

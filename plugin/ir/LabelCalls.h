//===- LabelCalls.h - names for calls in the user's code --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes inmem_call records (abi.h) of calls that may lead to an allocation by
// code that others wrote. No byte of code; debug information is not needed.
#ifndef INMEM_PLUGIN_IR_LABELCALLS_H
#define INMEM_PLUGIN_IR_LABELCALLS_H

#include "ir/DescriptorEmitter.h"
#include "ir/Pipeline.h"

namespace inmem {

/// True if callers are followed in code for the target of \p M.
bool followsCallers(const llvm::Module &M);

/// Labels the calls of \p M. \p BeforeLink: functions may be inlined later.
/// \returns whether there are any
bool labelCalls(llvm::Module &M, const PipelineState &State, bool BeforeLink,
                DescriptorEmitter &Emitter,
                llvm::function_ref<FrameInfo(const llvm::DILocation &,
                                             const llvm::Function &)>
                    Describe);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_LABELCALLS_H

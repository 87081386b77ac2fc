//===- ModuleRecords.h - records of a module besides its sites' -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_MODULERECORDS_H
#define INMEM_PLUGIN_IR_MODULERECORDS_H

#include "ir/DescriptorEmitter.h"
#include "ir/Pipeline.h"
#include "llvm/ADT/StringMap.h"

namespace llvm {
class Module;
}
namespace llvm {
class Module;
}
namespace llvm {
class Module;
}
namespace llvm {
class DILocation;
class Module;
} // namespace llvm

namespace inmem {

// DescribeTypes.cpp: descriptions for inmem/graph.h.
//
// Replaces the bodies of inmem::detail::described<T>(), which return null
// without inmem, by code that returns the records of T and of all types
// reachable from it. Only programs that call it have such records.

/// \returns true if there were any.
bool describeTypes(llvm::Module &M, bool LTOPreLink);

// DescribeVariables.cpp: variables that hold memory.

/// Emits a record (abi.h) for each of SiteTable::current().Variables that the
/// module defines and may change. \returns true if there are any.
bool describeVariables(llvm::Module &M, bool LTOPreLink);

// DescribeStringCopies.cpp: records of strings only read.

/// Emits a record (abi.h) for each of SiteTable::current().StringCopies.
/// \returns true if there are any.
bool describeStringCopies(llvm::Module &M, bool LTOPreLink);

// FunctionLines.cpp: Where functions with sites begin.
//
// A profile for the compiler counts lines relative to a function's first line,
// so that it survives edits above. Sites have absolute lines, so the first
// lines go into a section that is not loaded, where `inmem optimize` finds them
// without -g.

class FunctionLines {
public:
  /// Records that \p Loc is in the function with linkage name \p Name.
  void note(llvm::StringRef Name, const llvm::DILocation &Loc);
  /// Adds the section to \p M if any line was recorded.
  void emit(llvm::Module &M) const;

private:
  llvm::StringMap<unsigned> Lines;
};

// LabelCalls.cpp: names for calls in the user's code.
//
// Writes inmem_call records (abi.h) for calls that may lead to an allocation in
// third-party code. Adds no code, and needs no debug information.

/// True if the runtime follows callers on the target of \p M.
bool followsCallers(const llvm::Module &M);

/// Labels the calls of \p M. \p BeforeLink: functions may be inlined later.
/// \returns true if there are any
bool labelCalls(llvm::Module &M, const PipelineState &State, bool BeforeLink,
                DescriptorEmitter &Emitter,
                llvm::function_ref<FrameInfo(const llvm::DILocation &,
                                             const llvm::Function &)>
                    Describe);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_MODULERECORDS_H

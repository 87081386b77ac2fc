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
// without inmem: they return the records of T and of all that it leads to. Only
// programs that ask have such records.

/// \returns whether there were any.
bool describeTypes(llvm::Module &M, bool LTOPreLink);

// DescribeVariables.cpp: variables that hold memory.

/// Makes a record (abi.h) of each of SiteTable::current().Variables that the
/// module defines and may change. \returns whether there is any.
bool describeVariables(llvm::Module &M, bool LTOPreLink);

// DescribeStringCopies.cpp: records of strings only read.

/// Makes a record (abi.h) of each of SiteTable::current().StringCopies.
/// \returns whether there are any.
bool describeStringCopies(llvm::Module &M, bool LTOPreLink);

// FunctionLines.cpp: Where functions with sites begin.
//
// A profile for the compiler counts lines from a function's first, so that it
// survives edits above. Sites have absolute lines; the first ones go into a
// section that is not loaded, where `inmem optimize` finds them without -g.

class FunctionLines {
public:
  /// \p Loc is in the function of that linkage \p Name.
  void note(llvm::StringRef Name, const llvm::DILocation &Loc);
  /// Adds the section to \p M, if anything was noted.
  void emit(llvm::Module &M) const;

private:
  llvm::StringMap<unsigned> Lines;
};

// LabelCalls.cpp: names for calls in the user's code.
//
// Writes inmem_call records (abi.h) of calls that may lead to an allocation by
// code that others wrote. No byte of code; debug information is not needed.

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

#endif // INMEM_PLUGIN_IR_MODULERECORDS_H

//===- MarkCalls.h - the marks of one function ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds, describes and removes the calls of kMarkFunctions that the AST half
// inserts.
#ifndef INMEM_PLUGIN_IR_MARKCALLS_H
#define INMEM_PLUGIN_IR_MARKCALLS_H

#include "SiteTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace inmem {

bool isMarkFunction(llvm::StringRef Name);

/// The name of the function that \p Call calls; empty for an indirect call.
llvm::StringRef directName(const llvm::CallBase &Call);

/// The object's address that the mark \p Call passes; null if it passes none.
llvm::Value *markedObject(const llvm::CallBase &Call);

/// The calls of a function in order, at the time of construction.
class MarkCalls {
public:
  explicit MarkCalls(llvm::Function &F);

  /// The first call at \p Place after the mark \p Call; null if there is none.
  llvm::CallBase *firstBehind(const llvm::CallBase &Call,
                              const SourcePlace &Place) const;
  /// The mark with the number of elements of the placed array whose address the
  /// mark \p Place passes; null if the number is constant.
  const llvm::CallBase *countBefore(const llvm::CallBase &Place) const;

private:
  struct Call {
    unsigned Order;
    llvm::CallBase *Inst;
  };
  llvm::DenseMap<const llvm::CallBase *, unsigned> Marks;
  llvm::DenseMap<std::pair<unsigned, unsigned>, llvm::SmallVector<Call, 1>>
      ByPlace;
  llvm::DenseMap<const llvm::Value *, llvm::SmallVector<Call, 1>> Counts;
};

/// Makes sure that no pass removes a mark as a computation without effects.
bool keepMarks(llvm::Module &M);

/// Turns marks into annotations, which are no calls to passes that number
/// those (-fpseudo-probe-for-profiling), and back.
/// @{
void annotateMarks(llvm::Module &M);
void callAnnotatedMarks(llvm::Module &M);
/// @}

/// \returns whether there were any.
bool removeMarks(llvm::Module &M);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_MARKCALLS_H

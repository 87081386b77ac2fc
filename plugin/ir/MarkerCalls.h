//===- MarkerCalls.h - the markers of one function --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds, describes and removes the calls of marker functions that the AST half
// inserts.
#ifndef INMEM_PLUGIN_IR_MARKERCALLS_H
#define INMEM_PLUGIN_IR_MARKERCALLS_H

#include "SiteTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace inmem {

bool isMarkerFunction(llvm::StringRef Name);

/// The name of the function that \p Call calls; empty for an indirect call.
llvm::StringRef directName(const llvm::CallBase &Call);

/// The object's address that the marker \p Call passes; null if it passes none.
llvm::Value *markedObject(const llvm::CallBase &Call);

/// The calls of a function in order, as they were when this object was
/// constructed.
class MarkerCalls {
public:
  explicit MarkerCalls(llvm::Function &F);

  /// The first call at \p Where after the marker \p Call, or null.
  llvm::CallBase *firstBehind(const llvm::CallBase &Call,
                              const SourceLoc &Where) const;
  /// For a \p Marker with the address of a placed array, returns the marker
  /// with the number of elements; null if that is constant.
  const llvm::CallBase *countBefore(const llvm::CallBase &Marker) const;

private:
  struct Call {
    unsigned Order;
    llvm::CallBase *Inst;
  };
  llvm::DenseMap<const llvm::CallBase *, unsigned> Markers;
  llvm::DenseMap<std::pair<unsigned, unsigned>, llvm::SmallVector<Call, 1>>
      ByLine;
  llvm::DenseMap<const llvm::Value *, llvm::SmallVector<Call, 1>> Counts;
};

/// Prevents passes from removing a marker as a computation without effects.
bool keepMarkers(llvm::Module &M);

/// Turns markers into annotations and back. Passes that number calls
/// (-fpseudo-probe-for-profiling) do not count annotations.
/// @{
void annotateMarkers(llvm::Module &M);
void callAnnotatedMarkers(llvm::Module &M);
/// @}

/// \returns whether there were any.
bool removeMarkers(llvm::Module &M);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_MARKERCALLS_H

//===- LostReads.h - fields that reads without a name may be of -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimiser makes one load of two, and leaves nothing that says which
// fields it reads: no place, no alias path. All that is left is the function
// that it was in. Each field that this function reads, or one that may have
// been inlined into it, may be the field: no finding may call it unread.
#ifndef INMEM_PLUGIN_IR_LOSTREADS_H
#define INMEM_PLUGIN_IR_LOSTREADS_H

#include "ir/AccessNames.h"
#include "ir/CallGraph.h"

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace inmem {

class LostReads {
public:
  LostReads(const PipelineState &State, const SiteTable &Table)
      : Calls(State.Calls), Table(Table) {}

  /// \p A, in code of \p Function (a linkage name), may read any field that the
  /// source reads there.
  void add(const Access &A, llvm::StringRef Function);
  /// One of these bits may be read.
  void add(const ObjectBits &Of, const SourceLoc &Where);

  /// The name of the type that \p I accesses, in alias metadata.
  static llvm::StringRef aliasType(const llvm::Instruction &I);

  /// Facts of INMEM_OBJECT_FIELD_UNCOUNTED, one a field.
  llvm::ArrayRef<OpaqueFact> found() const { return Found; }

private:
  using Functions = llvm::SmallVector<const FunctionFacts *, 8>;
  /// The facts of \p Function and of all functions that it may contain.
  const Functions &reachedFrom(llvm::StringRef Function,
                               llvm::StringRef Around);

  const CallGraph &Calls;
  const SiteTable &Table;
  llvm::StringMap<Functions> Reached;
  std::vector<OpaqueFact> Found;
  std::set<std::tuple<const TypeInfo *, uint64_t, uint64_t>> Known;
  std::set<std::tuple<std::string, std::string, uint64_t, uint8_t>> Done;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_LOSTREADS_H

//===- CounterRecords.h - cells that count objects --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_COUNTERRECORDS_H
#define INMEM_PLUGIN_IR_COUNTERRECORDS_H

#include "ir/DescriptorEmitter.h"

namespace inmem {

/// An object that a cell counts.
struct CountedObject {
  ObjectInfo Object;
  uint64_t Id = 0; ///< the record's ID
};

/// Records by cell name. InstrumentObjectsPass creates the cells and passes
/// this on to CombineCountersPass, which combines them and emits their records.
using CountedObjects = llvm::StringMap<CountedObject>;

/// Builds cells and their records (docs/abi.md).
class CounterRecords {
public:
  CounterRecords(llvm::Module &M, DescriptorEmitter &Emitter,
                 CountedObjects &Counted);

  /// Creates a cell for an increment in \p F. It still needs a record: either
  /// its own, by describe(), or that of a combined cell, by addCombined().
  llvm::GlobalVariable *add(const ObjectInfo &Object, llvm::Function &F);
  /// The record of a fact that is not counted by code, with a cell that stays
  /// 0; null if the module already has it.
  llvm::GlobalVariable *addUncounted(const ObjectInfo &Object);
  /// Emits the record of \p Cell unless it has one.
  void describe(llvm::GlobalVariable &Cell);
  /// The cells from add() that one cell counts for, and the multiplicity of
  /// each.
  using CombinedCell = std::vector<std::pair<llvm::GlobalVariable *, unsigned>>;
  /// Creates an array of cells for increments in \p F. Each replaces several
  /// cells from add().
  llvm::GlobalVariable *addCombined(llvm::ArrayRef<CombinedCell> Cells,
                                    llvm::Function &F);

private:
  /// An element of \p Base at byte \p At: \p Cell counts \p Of, \p Times for
  /// each increment.
  llvm::Constant *record(const CountedObject &Of, llvm::Constant *Cell,
                         llvm::GlobalVariable *Base, uint64_t At,
                         unsigned Times);

  llvm::Module &M;
  DescriptorEmitter &Emitter;
  CountedObjects &Counted;
  llvm::IntegerType *I8, *I16, *I32, *I64;
  llvm::StructType *Layout;
  llvm::StringMap<unsigned> Ordinals, Numbers;
  struct Group {
    unsigned Sites = 0;
    llvm::GlobalVariable *Last = nullptr;
  };
  llvm::StringMap<Group> Groups; ///< by the identity of the counted object
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_COUNTERRECORDS_H

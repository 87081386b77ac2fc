//===- StreamedLoops.h - loops over the elements of arrays ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds accesses whose address advances by whole objects in each iteration of a
// loop: the loop streams an array of them.
#ifndef INMEM_PLUGIN_IR_STREAMEDLOOPS_H
#define INMEM_PLUGIN_IR_STREAMEDLOOPS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"
#include <map>
#include <tuple>

namespace llvm {
class SCEV;
class ScalarEvolution;
} // namespace llvm

namespace inmem {

/// The loops of one function.
class StreamedLoops {
public:
  StreamedLoops(llvm::Function &F, llvm::FunctionAnalysisManager &Analyses)
      : F(F), Analyses(Analyses) {}

  /// The innermost loop around \p At in which \p Pointer advances by objects of
  /// \p Bytes; null if there is none.
  const llvm::Loop *around(const llvm::Instruction &At, llvm::Value *Pointer,
                           uint64_t Bytes);
  /// As around(), but also records that the loop accesses \p Bits from \p First
  /// in such objects of \p Class. Also null if the loop already accesses these
  /// bits of all elements that an iteration covers.
  const llvm::Loop *add(const llvm::Instruction &At, llvm::Value *Pointer,
                        uint64_t Bytes, const void *Class, uint64_t First,
                        uint64_t Bits);

private:
  /// The address in each iteration, and the number of objects that it advances
  /// by.
  struct Step {
    const llvm::Loop *Around = nullptr;
    const llvm::SCEV *Address = nullptr;
    uint64_t Objects = 0;
  };
  Step stepOf(const llvm::Instruction &At, llvm::Value *Pointer,
              uint64_t Bytes);

  llvm::Function &F;
  llvm::FunctionAnalysisManager &Analyses;
  llvm::LoopInfo *Loops = nullptr;
  llvm::ScalarEvolution *Evolution = nullptr;
  /// Addresses by loop, class and bits.
  std::map<std::tuple<const llvm::Loop *, const void *, uint64_t, uint64_t>,
           llvm::SmallPtrSet<const llvm::SCEV *, 2>>
      Known;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_STREAMEDLOOPS_H

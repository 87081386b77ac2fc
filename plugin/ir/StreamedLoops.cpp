//===- StreamedLoops.cpp - loops over the elements of arrays --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/StreamedLoops.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace inmem {

StreamedLoops::Step StreamedLoops::stepOf(const Instruction &At, Value *Pointer,
                                          uint64_t Bytes) {
  // At -O0, code loads addresses from the stack.
  if (!Bytes || F.hasOptNone() || !Pointer->getType()->isPointerTy())
    return {};
  if (!Loops)
    Loops = &Analyses.getResult<LoopAnalysis>(F);
  const Loop *Around = Loops->getLoopFor(At.getParent());
  if (!Around)
    return {};
  if (!Evolution)
    Evolution = &Analyses.getResult<ScalarEvolutionAnalysis>(F);
  const auto *Address = dyn_cast<SCEVAddRecExpr>(Evolution->getSCEV(Pointer));
  const auto *Distance =
      Address && Address->getLoop() == Around
          ? dyn_cast<SCEVConstant>(Address->getStepRecurrence(*Evolution))
          : nullptr;
  if (!Distance)
    return {};
  const uint64_t Each = Distance->getAPInt().abs().getLimitedValue();
  if (!Each || Each % Bytes)
    return {};
  return {Around, Address, Each / Bytes};
}

const Loop *StreamedLoops::around(const Instruction &At, Value *Pointer,
                                  uint64_t Bytes) {
  return stepOf(At, Pointer, Bytes).Around;
}

const Loop *StreamedLoops::add(const Instruction &At, Value *Pointer,
                               uint64_t Bytes, const void *Class,
                               uint64_t First, uint64_t Bits) {
  const Step Found = stepOf(At, Pointer, Bytes);
  if (!Found.Around)
    return nullptr;
  auto &Addresses = Known[{Found.Around, Class, First, Bits}];
  if (Addresses.size() >= Found.Objects ||
      !Addresses.insert(Found.Address).second)
    return nullptr;
  return Found.Around;
}

} // namespace inmem

//===- Structors.cpp - constructors and destructors by variant ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/AllocationFunctions.h"
#include "ir/FunctionFacts.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

/// True if \p Complete and \p Base are names of the two variants: they differ
/// only in the digit of C1 and C2, or of D1 and D2.
static bool areVariants(StringRef Complete, StringRef Base) {
  if (Complete.size() != Base.size() || !Complete.starts_with("_Z"))
    return false;
  size_t At = 0;
  while (At < Base.size() && Complete[At] == Base[At])
    ++At;
  return At > 0 && At < Base.size() && Complete[At] == '1' && Base[At] == '2' &&
         (Base[At - 1] == 'C' || Base[At - 1] == 'D') &&
         Complete.substr(At + 1) == Base.substr(At + 1);
}

/// True if \p F only calls its base variant. Sets \p MayThrow if that may
/// throw.
static bool callsBase(const Function &F, bool &MayThrow) {
  bool Result = false;
  MayThrow = false;
  for (const Instruction &I : instructions(F)) {
    MayThrow |= I.mayThrow();
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? directCallee(*Call) : nullptr;
    Result |= Callee && areVariants(F.getName(), Callee->getName());
  }
  return Result;
}

void markCompleteStructors(Module &M) {
  for (Function &F : M) {
    bool MayThrow = false;
    if (F.isDeclaration() || F.isInterposable() || !callsBase(F, MayThrow))
      continue;
    // If other code may call it, the function would become an alias, and calls
    // through an alias do not show that it cannot throw.
    if (!F.isDiscardableIfUnused())
      F.removeFnAttr(Attribute::NoUnwind);
    else if (!MayThrow)
      F.setDoesNotThrow();
  }
}

} // namespace inmem

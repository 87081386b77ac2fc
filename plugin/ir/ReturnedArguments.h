//===- ReturnedArguments.h - pointers that functions give back --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_RETURNEDARGUMENTS_H
#define INMEM_PLUGIN_IR_RETURNEDARGUMENTS_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>

namespace llvm {
class Argument;
class CallBase;
class DataLayout;
class GEPOperator;
class Value;
} // namespace llvm

namespace inmem {

/// A set of positions that a pointer may have relative to the pointer that it
/// was computed from.
enum Step : uint8_t {
  kNowhere = 0, ///< not computed from it
  kSame = 1,    ///< maybe the same address; elements at a variable index too
  kBehind = 2,  ///< a member or element at a fixed offset
  kBefore = 4,  ///< maybe before it: back to a header
};

/// Combines the two steps \p First and \p Second into one.
Step join(Step First, Step Second);

/// The step that \p Element takes from its pointer operand.
Step stepOf(const llvm::GEPOperator &Element, const llvm::DataLayout &Layout);

/// Finds the pointer arguments that a function may return. Visits each argument
/// once, on its first query. Values loaded from memory do not count as
/// arguments.
class ReturnedArguments {
public:
  /// The set of steps from argument \p Index of \p Call to its result.
  uint8_t stepsThrough(const llvm::CallBase &Call, unsigned Index);

private:
  uint8_t stepsFrom(const llvm::Argument &Given);
  uint8_t follow(const llvm::Argument &Given);

  llvm::DenseMap<const llvm::Argument *, uint8_t> Known;
  unsigned Depth = 0;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_RETURNEDARGUMENTS_H

//===- CallTable.h - Calls on the way to allocations ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts consist of few distinct calls: a recursive program has many thousand
// contexts of a few dozen calls. Each call is stored once, and a context is a
// list of numbers.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_OPTIMIZE_CALLTABLE_H
#define INMEM_REPORT_OPTIMIZE_CALLTABLE_H

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace inmem::report {

/// A source location as a profile names it. It does not depend on where in its
/// file the function is.
struct CodeFrame {
  std::string Function; ///< linkage name
  uint32_t LineOffset = 0, Column = 0;
  bool Inlined = false; ///< into the next outer frame
  auto operator<=>(const CodeFrame &) const = default;
};
/// Innermost first.
using CodeStack = std::vector<CodeFrame>;

/// Numbers of calls, innermost first. The first call is the allocation.
using CallStack = std::vector<uint32_t>;

class CallTable {
public:
  /// Splits frames into calls: each consists of inlined frames and the frame
  /// that they were inlined into. Adds new ones.
  CallStack add(const CodeStack &Frames);
  /// The number of a call; nothing if it is not in the table.
  std::optional<uint32_t> find(const CodeStack &Call) const;
  const CodeStack &operator[](uint32_t Call) const { return *Calls[Call]; }
  size_t size() const { return Calls.size(); }
  CodeStack frames(const CallStack &Stack) const;
  /// True if both calls are in one function, ignoring inlining.
  bool isSameFunction(uint32_t A, uint32_t B) const {
    return Calls[A]->back().Function == Calls[B]->back().Function;
  }
  /// Indexed by number: the position of each call in the order of their
  /// contents, which does not depend on the order of insertion.
  std::vector<uint32_t> ranks() const;

private:
  uint32_t numberOf(CodeStack Call);

  std::map<CodeStack, uint32_t> Numbers;
  std::vector<const CodeStack *> Calls; ///< keys of Numbers
};

/// Shortens a recursion. A function occurs at most twice among the callers:
/// twice, so that its calls of itself stay known. Each remaining call leads to
/// the one before it.
CallStack foldRecursion(CallStack Stack, const CallTable &Of);

} // namespace inmem::report

#endif

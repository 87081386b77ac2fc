// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// budget.h - limits on what a piece of a program allocates:
//
//   inmem::AllocationBudget budget{.bytes = 4096};
//
// docs/allocation-tests.md has examples.
#ifndef INMEM_BUDGET_H
#define INMEM_BUDGET_H

#include "allocation_scope.h" // IWYU pragma: export
#include "detail/active_budget.h"

namespace inmem {

/// Limits what the thread (or .thread = inmem::allThreads) allocates during its
/// lifetime:
///
///   inmem::AllocationBudget budget{.bytes = 4096, .blocks = 10,
///                                  .types = {inmem::typeLimit<Foo>(2)}};
///
/// Freed blocks still count as used. Budgets nest; if an allocation exceeds
/// several, the innermost acts. An aggregate, for designated initialisers. It
/// cannot be copied, since the runtime holds its address.
struct AllocationBudget {
  uint64_t bytes = noLimit, blocks = noLimit;
  TypeLimits types = {};
  ExcessResponse onExcess = OnExcess::Throw;
  Subject thread = thisThread;
  /// Deprecated name of blocks; the smaller limit applies. It stays at this
  /// position so that positional initialisers keep their meaning; g++ requires
  /// designated initialisers in this order.
  uint64_t objects = noLimit;
  const char *file = __builtin_FILE();
  int line = __builtin_LINE();
  detail::ActiveBudget active{
      bytes, blocks < objects ? blocks : objects, &types, &onExcess, file, line,
      thread};

  /// False if there is no runtime, or it records nothing: no limit is enforced.
  bool enforced() const { return active.status() == INMEM_SCOPE_OK; }
  uint64_t usedBytes() const { return active.counters().used_bytes; }
  uint64_t usedBlocks() const { return active.counters().used_blocks; }
  uint64_t usedObjects() const { return usedBlocks(); } ///< deprecated name
  /// Number of allocations that exceeded a limit.
  uint64_t excesses() const { return active.counters().excesses; }
  /// Throws budget_exceeded if an allocation exceeded a limit but could not
  /// throw; the destructor then does not report it again.
  void check() { active.check(); }
};

} // namespace inmem

#endif

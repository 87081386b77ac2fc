// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// no_allocation.h - code in which nothing may be allocated:
// INMEM_NO_ALLOCATION.
#ifndef INMEM_NO_ALLOCATION_H
#define INMEM_NO_ALLOCATION_H

#include "budget.h"

namespace inmem {

/// Forbids allocations by this thread during its lifetime. See
/// INMEM_NO_ALLOCATION.
class NoAllocation {
public:
  explicit NoAllocation(Action What = OnExcess::Abort,
                        const char *File = __builtin_FILE(),
                        int Line = __builtin_LINE())
      : What(std::move(What)),
        Active(noLimit, 0, nullptr, &this->What, File, Line) {}

private:
  Action What;
  detail::ActiveBudget Active;
};

} // namespace inmem

#define INMEM_DETAIL_JOIN_(A, B) A##B
#define INMEM_DETAIL_JOIN(A, B) INMEM_DETAIL_JOIN_(A, B)
/// Runs the statement that follows during the lifetime of an object
/// Type(arguments...). Safe before a dangling else.
#define INMEM_DETAIL_WITH(Type, ...)                                           \
  switch (0)                                                                   \
  case 0:                                                                      \
  default:                                                                     \
    if (const Type INMEM_DETAIL_JOIN(inmemWith, __LINE__)(__VA_ARGS__); true)
/// From here to the end of the block, an allocation by this thread aborts the
/// program, with the site and the stack on stderr: INMEM_NO_ALLOCATION;
#define INMEM_NO_ALLOCATION                                                    \
  const ::inmem::NoAllocation INMEM_DETAIL_JOIN(inmemNoAllocation, __LINE__)

#endif

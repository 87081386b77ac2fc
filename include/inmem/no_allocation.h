// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// no_allocation.h - code in which nothing may be allocated:
// INMEM_NO_ALLOCATION.
#ifndef INMEM_NO_ALLOCATION_H
#define INMEM_NO_ALLOCATION_H

#include "budget.h"

#include <utility>

namespace inmem {

/// No allocation by this thread while this lives. See INMEM_NO_ALLOCATION.
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
/// The statement that follows runs while an object Type(arguments...) lives. An
/// else after it cannot be meant for it.
#define INMEM_DETAIL_WITH(Type, ...)                                           \
  switch (0)                                                                   \
  case 0:                                                                      \
  default:                                                                     \
    if (const Type INMEM_DETAIL_JOIN(inmemWith, __LINE__)(__VA_ARGS__); true)
/// From here to the end of the block an allocation by this thread aborts the
/// program, with the site and the stack on stderr:  INMEM_NO_ALLOCATION;
#define INMEM_NO_ALLOCATION                                                    \
  const ::inmem::NoAllocation INMEM_DETAIL_JOIN(inmemNoAllocation, __LINE__)

#endif

//===- MadeInPart.cpp - Rows of blocks allocated in a part of a run -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/PartRows.h"

#include "report/base/Arithmetic.h"

namespace inmem::report {

bool leaveMadeInPart(Profile &P) {
  bool Any = false;
  const auto Leave = [&](Counts &C) {
    Any |= C.CarriedAllocations > 0;
    C.LiveAllocations = minus(C.LiveAllocations, C.CarriedAllocations);
    C.LiveBytes = minus(C.LiveBytes, C.CarriedBytes);
    C.CarriedAllocations = C.CarriedBytes = 0;
  };
  for (TypeResult &T : P.Types) {
    Leave(T.Sum);
    for (KindResult &Kind : T.Kinds)
      Leave(Kind.Sum);
  }
  for (SiteResult &S : P.Sites)
    Leave(S.Sum);
  for (StackResult &S : P.Calls.Stacks)
    Leave(S.Sum);
  return Any;
}

} // namespace inmem::report

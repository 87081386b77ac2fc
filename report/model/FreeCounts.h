//===- FreeCounts.h - Who freed what --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_FREECOUNTS_H
#define INMEM_REPORT_MODEL_FREECOUNTS_H

#include "report/model/Blocks.h"

namespace inmem::report {

/// Frees by the block's site and the freeing code.
class FreeSums {
public:
  FreeSums(const ProfileOptions &With, Profile &Out, StackBuilder &Calls)
      : Options(With), Out(Out), Calls(Calls) {}

  /// \param Blocks of the same trace, added before
  void add(const TracePart &Part, const BlockSums &Blocks);

private:
  const ProfileOptions &Options;
  Profile &Out;
  StackBuilder &Calls;
};

} // namespace inmem::report

#endif

//===- Samples.h - Where threads were -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_SAMPLES_H
#define INMEM_REPORT_MODEL_SAMPLES_H

#include "report/model/CallStacks.h"

namespace inmem::report {

class SampleSums {
public:
  SampleSums(const ProfileOptions &With, Profile &Out, StackBuilder &Calls)
      : Options(With), Out(Out), Calls(Calls) {}

  void add(const trace::Trace &T);
  /// After all sites are known: what the functions allocate.
  void finish();

private:
  const ProfileOptions &Options;
  Profile &Out;
  StackBuilder &Calls;
};

} // namespace inmem::report

#endif

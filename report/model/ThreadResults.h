//===- ThreadResults.h - Activity of single threads -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_THREADRESULTS_H
#define INMEM_REPORT_MODEL_THREADRESULTS_H

#include "report/model/CallStacks.h"
#include "report/model/NoteList.h"
#include "report/model/TracePart.h"

namespace inmem::report {

class ThreadSums {
public:
  ThreadSums(const ProfileOptions &With, std::vector<ThreadResult> &Out,
             StackBuilder &Calls, NoteList &Notes)
      : Options(With), Out(Out), Calls(Calls), Notes(Notes) {}

  void add(const TracePart &Part);

private:
  void addLived(const trace::Trace &T);
  std::string startOf(const trace::Trace &T, const trace::LivedThread &Thread);

  const ProfileOptions &Options;
  std::vector<ThreadResult> &Out;
  StackBuilder &Calls;
  NoteList &Notes;
};

} // namespace inmem::report

#endif

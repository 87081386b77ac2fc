//===- ProcessRows.h - A row for each process, with its notes -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_PROCESSROWS_H
#define INMEM_REPORT_MODEL_PROCESSROWS_H

#include "report/model/NoteList.h"
#include "report/model/TracePart.h"

namespace inmem::report {

void addProcess(const TracePart &Part, const ProfileOptions &Options,
                NoteList &Notes, Profile &Out);

} // namespace inmem::report

#endif

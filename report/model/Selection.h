//===- Selection.h - Rows that the options select -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_SELECTION_H
#define INMEM_REPORT_MODEL_SELECTION_H

#include "report/model/Profile.h"

namespace inmem::report {

bool selects(const ProfileOptions &Options, const TypeResult &Type);
/// Blocks go by their site's name, too: `std::string buffer` for `char`.
bool selects(const ProfileOptions &Options, const TypeResult &Type,
             const SiteResult &Site);
/// \p Index of the thread's rows
bool selectsThread(const ProfileOptions &Options, const trace::Trace &T,
                   uint32_t Index);
bool selectsThread(const ProfileOptions &Options,
                   const trace::LivedThread &Thread);

} // namespace inmem::report

#endif

//===- Screen.h - A report that fits one screen ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_SCREEN_H
#define INMEM_REPORT_TEXT_SCREEN_H

#include "report/text/TextReport.h"

namespace inmem::report {

/// Findings, the largest types, the lines with most live bytes, and commands
/// that lead on: at most 49 lines at 80 columns, so that the prompt fits below.
std::string printScreen(const Profile &P, const View &V,
                        const TextOptions &Options);

} // namespace inmem::report

#endif

//===- MarkdownReport.h - A summary for a comment, or for a program -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GitHub's Markdown, short enough for a pull request's comment and for a
// language model's context: totals, findings, the largest types or sites, and
// the commands that lead further.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_MARKDOWNREPORT_H
#define INMEM_REPORT_MARKDOWNREPORT_H

#include "report/model/View.h"

namespace inmem::report {

/// No longer summary than this, in characters.
constexpr size_t kMarkdownRoom = 4000;

/// \param File what the commands name
std::string printMarkdown(const Profile &P, const View &V,
                          std::string_view File);

/// A cell of a table: no markup of its own, at most \p Most characters.
std::string markdownCode(std::string_view Text, size_t Most);

} // namespace inmem::report

#endif

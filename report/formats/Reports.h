//===- Reports.h - A profile as JSON, CSV and Markdown ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FORMATS_REPORTS_H
#define INMEM_REPORT_FORMATS_REPORTS_H

#include "report/formats/Json.h"
#include "report/model/View.h"

namespace inmem::report {

// JsonReport.cpp: A profile as "inmem-report/1".
//
// The schema scripts rely on (docs: contract): exact integers, unknown is
// null. Members beyond the schema: alias, buckets, threads, sites, module,
// chain, objects.constructed.{thread,placed,unknown}.

/// Adds the members that every row of counts has.
void putCounts(Json &Into, const Counts &C);

/// The object that printJson() prints.
Json reportJson(const Profile &P, const View &V);
/// One JSON object, indented by two, with a final newline. Invalid UTF-8
/// becomes U+FFFD.
std::string printJson(const Profile &P, const View &V);

// CsvReport.cpp: A profile as comma-separated values.
//
// RFC 4180: a header line, CRLF, quotes if needed; exact integers; an empty
// field if unknown. One row per type, site or thread.

/// The first of V.Tables selects the rows.
std::string printCsv(const Profile &P, const View &V);

// MarkdownReport.cpp: A summary for a comment, or for a program.
//
// GitHub's Markdown, short enough for a pull request's comment and for a
// language model's context: totals, findings, the largest types or sites, and
// the commands for more details.

/// The longest summary, in characters.
constexpr size_t kMarkdownRoom = 4000;

/// \param File an argument for the commands
std::string printMarkdown(const Profile &P, const View &V,
                          std::string_view File);

/// A cell of a table as code, at most \p Most characters.
std::string markdownCode(std::string_view Text, size_t Most);

} // namespace inmem::report

#endif

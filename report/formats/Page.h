//===- Page.h - The page of `inmem html` and `inmem serve` ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The application that web/ builds, with data in it. The markup has no text of
// a trace: the data is base64 in an element that browsers do not execute.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_PAGE_H
#define INMEM_REPORT_PAGE_H

#include "report/formats/PageData.h"

#include <map>
#include <string>
#include <string_view>

namespace inmem::report {

enum class PageUse {
  File,  ///< standalone: it must not load anything
  Served ///< may ask the server that it came from
};

/// A whole HTML document. \param Data a result of pageData()
std::string pageHtml(std::string_view Data, PageUse Use);

/// RFC 4648, with padding.
std::string base64(std::string_view Bytes);

// PageParts.cpp: Members of a page's head.

/// Members of the classes that have blocks or objects, by index of the type.
Json fieldsJson(const Profile &P, std::span<const trace::Trace> Traces);

/// Source files that exist, by descending bytes.
/// \param ByFile bytes that the lines of a file allocate or keep
Json pageSources(const std::map<std::string, uint64_t> &ByFile,
                 const PageOptions &Options);

/// Figures that another tool did not count: the page's columns, by the names
/// used there.
Json unknownJson(const Profile &P);

/// Texts of reports about findings: the savings of each as a text, the sum of
/// all with each block counted once, and the reason why none makes the program
/// faster (null if some do).
Json adviceJson(const Profile &P);

} // namespace inmem::report

#endif

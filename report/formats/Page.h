//===- Page.h - The page of `inmem html` and `inmem serve` ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The application that web/ builds, with data in it. Nothing of a trace reaches
// the markup: the data is base64 in an element that no browser executes.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_PAGE_H
#define INMEM_REPORT_PAGE_H

#include <string>
#include <string_view>

namespace inmem::report {

enum class PageUse {
  File,  ///< by itself: it may load nothing
  Served ///< may ask the server that it came from
};

/// A whole HTML document. \param Data as pageData() makes it
std::string pageHtml(std::string_view Data, PageUse Use);

/// RFC 4648, with padding.
std::string base64(std::string_view Bytes);

} // namespace inmem::report

#endif

//===- ApartNames.h - Short names that still differ -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a table have names that differ in the middle: `ns::Table<ns::Key,
// 8>::Node` next to `ns::Table<ns::Row, 8>::Node`. Cut one by one they read the
// same. Here the parts that all names share are dropped first: `…<…Key…>::Node`
// next to `…<…Row…>::Node`.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_TEXT_APARTNAMES_H
#define INMEM_REPORT_TEXT_APARTNAMES_H

#include "report/text/Table.h"

#include <string>
#include <string_view>
#include <vector>

namespace inmem::report {

/// Each of \p Names in at most \p Width columns, so that different names read
/// differently if there is room. The last component is kept longest, and a
/// number is whole or absent. Accepts any text.
std::vector<std::string> apartNames(const Style &S,
                                    const std::vector<std::string_view> &Names,
                                    size_t Width);

/// Shortens each of \p Names that is wider than \p Width on its own. Names that
/// then read the same are shortened by apartNames().
std::vector<std::string>
shortNames(const Style &S, const std::vector<std::string> &Names, size_t Width);

/// As apartNames(), for results of locationText(): the file's name with its
/// line is kept, and the functions before it are made to differ.
std::vector<std::string>
apartLocations(const Style &S, const std::vector<std::string_view> &Locations,
               size_t Width);

} // namespace inmem::report

#endif

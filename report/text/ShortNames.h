//===- ShortNames.h - C++ names in few columns ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_SHORTNAMES_H
#define INMEM_REPORT_TEXT_SHORTNAMES_H

#include <cstddef>
#include <string>
#include <string_view>

namespace inmem::report {

struct Style;

/// A C++ name in at most \p Width columns. A function's parameters go first,
/// then template arguments, innermost before outer:
/// `std::map<int, std::vector<…>>`, then `std::map<…>`; the end is cut last.
/// Thread-safe.
std::string shortenName(const Style &S, std::string_view Name, size_t Width);

/// Without `std::` in front of its words: `vector<string>`. `my_std::` and
/// `ns::std::` stay.
std::string withoutStd(std::string Text);

/// The part of a name that may be laid out: the beginning of one that no
/// programmer wrote, or all. Fitting a line reads all of a name many times.
std::string_view frontOf(std::string_view Name);

} // namespace inmem::report

#endif

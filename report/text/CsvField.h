//===- CsvField.h - A field of comma-separated values ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_CSVFIELD_H
#define INMEM_REPORT_TEXT_CSVFIELD_H

#include <string>
#include <string_view>

namespace inmem::report {

/// A field, quoted if it holds a comma, a quote or a line break; without other
/// control characters.
std::string csvField(std::string_view Text);

} // namespace inmem::report

#endif

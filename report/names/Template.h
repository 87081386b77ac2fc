//===- Template.h - A name and its template arguments ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_NAMES_TEMPLATE_H
#define INMEM_REPORT_NAMES_TEMPLATE_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inmem::report {

/// As they are spelled.
using Arguments = std::vector<std::string>;

/// Without spaces at either end.
std::string_view trim(std::string_view Text);
/// "A, B"
std::string join(const Arguments &Args);

/// `Name<Args>Rest`, split at the first template argument list.
struct TemplateName {
  std::string Name;
  Arguments Args;
  std::string Rest;
};

/// Splits a simplified spelling.
std::optional<TemplateName> splitTemplate(std::string_view Text);

} // namespace inmem::report

#endif

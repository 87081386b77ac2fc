//===- Demangler.h - Names that libiberty does not know yet ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's manglings of constrained templates, lambdas and modules, by LLVM's
// demangler.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_DEMANGLER_H
#define INMEM_REPORT_DEMANGLER_H

#include <optional>
#include <string>

namespace inmem::report {

/// \p Mangled as C++ writes it. None if it is not a name, or might become
/// longer than \p Most: some small names expand to gigabytes of text.
std::optional<std::string> demangleNewer(const std::string &Mangled,
                                         size_t Most);

} // namespace inmem::report

#endif

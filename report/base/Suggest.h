//===- Suggest.h - Which word was meant -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_BASE_SUGGEST_H
#define INMEM_REPORT_BASE_SUGGEST_H

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace inmem::report {

/// Number of letters to add, drop, replace, or exchange with the next one, to
/// turn A into B.
size_t editDistance(std::string_view A, std::string_view B);

/// `; did you mean 'report'?`, or nothing if no word is close to what was
/// typed: one letter in three may differ.
std::string didYouMean(std::string_view Typed,
                       std::span<const std::string> Words);

/// `a, b or c`.
std::string listed(std::span<const std::string> Words);

} // namespace inmem::report

#endif

//===- StringCopy.h - Strings that are only read ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_STRINGCOPY_H
#define INMEM_REPORT_MODEL_STRINGCOPY_H

#include "report/model/CallerResolver.h"

namespace inmem::report {

/// A source location at which the compiler found a string that is only read, if
/// it is made at all.
struct StringCopy {
  SourceLocation Where; ///< Function is empty for an argument
  std::string Name;     ///< variable or parameter name
  uint64_t Key = 0;     ///< the parameter's key; 0 for a variable
  uint8_t Kind = 0;     ///< enum inmem_copy_kind
  uint8_t Flags = 0;    ///< enum inmem_copy_flags
};

} // namespace inmem::report

#endif

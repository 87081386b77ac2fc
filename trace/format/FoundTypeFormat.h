//===- FoundTypeFormat.h - Types found in programs' files -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of the format (Format.h): types of uninstrumented sites.
#ifndef INMEM_TRACE_FOUNDTYPEFORMAT_H
#define INMEM_TRACE_FOUNDTYPEFORMAT_H

#include "trace/format/Format.h"

namespace inmem::trace {

/// Certainty of a type. Larger values are less sure.
enum class TypeSource : uint8_t {
  None = 0,     ///< there is no type
  Compiler = 1, ///< the plugin saw the source
  Certain = 2,  ///< two analyses agree, or a vtable is stored
  Inferred = 3, ///< from debug information, by one rule
  Symbol = 4    ///< from the name of a function
};

/// The rule that found a type in a program's file (docs/types.md).
enum class FoundRule : uint8_t {
  None = 0,
  TemplateArgument = 1, ///< of a library's function
  Vtable = 2,           ///< stored at the block's start
  Constructor = 3,      ///< called for the block
  Variable = 4,         ///< pointer variable in debug information
  Member = 5,           ///< pointer member of a class
  Result = 6,           ///< the function's result type
  Parameter = 7,        ///< type of the parameter it is passed to
  Exception = 8,        ///< it is thrown
  Symbol = 9,           ///< a function's name
  Bytes = 10            ///< only character pointers hold the block
};

struct FoundTypeRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_FOUND_TYPE_RECORD)
};
static_assert(sizeof(FoundTypeRecord) == 32);

} // namespace inmem::trace

#endif

//===- RecordBuilder.h - One record of the trace --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_RECORDBUILDER_H
#define INMEM_RUNTIME_RECORDBUILDER_H

#include "trace/format/Format.h"

#include <stddef.h>

namespace inmem::rt {

/// Builds a trace record followed by its strings in a fixed buffer. Strings
/// that do not fit are cut.
class RecordBuilder {
public:
  RecordBuilder(trace::RecordKind Kind, size_t FixedBytes);
  /// Offset of a copy of \p S in the record; 0 for null or empty.
  trace::StringOffset string(const char *S);
  uint32_t bytes(const void *Data, size_t Size);
  /// Reserves \p Size bytes, 8-byte aligned; 0 without room.
  uint32_t reserve(size_t Size);
  void *at(uint32_t Offset) { return Buffer + Offset; }
  /// Pads, stores the fixed part and appends the record to the trace.
  bool append(const void *Fixed, size_t FixedBytes);

private:
  trace::RecordKind Kind;
  char *Buffer;
  size_t Used;
};

/// Makes room for records, once; false when out of memory. With the mutex.
bool makeRecordBuffer();

/// Adds a warning to the trace, which reports show. Needs the runtime's mutex.
void addWarning(const char *Text);

} // namespace inmem::rt

#endif

//===- RecordBuilder.h - One record of the trace ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_RECORDBUILDER_H
#define INMEM_RUNTIME_RECORDBUILDER_H

#include "state/Runtime.h"
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

/// Makes room for records, once; false when out of memory. Needs the mutex.
bool makeRecordBuffer();

/// Adds a warning to the trace, which reports show. Needs the runtime's mutex.
void addWarning(const char *Text);

/// Room for one more element in a growing list of extents; null without room.
/// \p First and \p Most: sizes of extents in bytes. The element counts once
/// publishElement() is called. Needs the mutex.
template <class Element>
Element *addElement(trace::ExtentHeader *&Current, trace::ExtentKind Kind,
                    uint32_t Owner, uint64_t First, uint64_t Most) {
  using trace::ExtentHeader;
  // In a truncated file, extents read as zeros.
  if (!Current || Current->Bytes < sizeof(ExtentHeader) +
                                       (Current->Used + 1) * sizeof(Element)) {
    uint64_t Bytes = Current ? Current->Bytes * 2 : First;
    Bytes = Bytes < First ? First : Bytes > Most ? Most : Bytes;
    ExtentHeader *Fresh =
        Process.Trace.addExtent(Kind, Owner, 0, Bytes - sizeof(ExtentHeader));
    if (!Fresh)
      return nullptr;
    Current = Fresh;
  }
  return reinterpret_cast<Element *>(Current + 1) + Current->Used;
}

inline void publishElement(trace::ExtentHeader *E) {
  __atomic_store_n(&E->Used, E->Used + 1, __ATOMIC_RELEASE);
}

} // namespace inmem::rt

#endif

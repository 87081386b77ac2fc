//===- FieldResult.h - Accesses to a field of a class ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_FIELDRESULT_H
#define INMEM_REPORT_MODEL_FIELDRESULT_H

#include "report/model/Profile.h"

namespace inmem::report {

/// accesses=on: executed accesses to one field of a class, or padding.
struct FieldResult {
  std::string Name; ///< empty: padding, or an unnamed field
  std::string Type; ///< canonical name
  std::string Of;   ///< declaring base class; empty: the class itself
  uint64_t FirstBit = 0, Bits = 0; ///< position within the object
  uint64_t TypeId = 0; ///< of its class, pointee or element; 0: none
  uint8_t Kind = 0;    ///< enum inmem_field_kind
  bool Padding = false;
  bool Class = false; ///< an embedded class, or an array of them
  uint64_t Reads = 0, Writes = 0;
  uint64_t Copies = 0;      ///< reads that only copy; not in Reads
  uint64_t Initialised = 0; ///< part of Writes: by constructors
  uint64_t Released = 0;    ///< part of Reads: by destructors
  uint64_t OneOf = 0;  ///< reads of this field or another; half is in Reads
  uint64_t Loaded = 0; ///< loads along with a bit-field that was read
  /// Code that does not name the field may access it.
  bool Opaque = false;
  /// The field is read in objects of this class that are members of others.
  bool ReadInOthers = false;
  /// The field may be read in objects on the stack, or in variables, which
  /// counters do not cover.
  bool ReadUncounted = false;
  SourceLocation InSource; ///< a location that reads it; Line 0: none
  SourceLocation Hottest;  ///< Line 0: none
  uint64_t HottestCount = 0;
  bool HottestReads = false;

  /// True if all of Reads come from instructions that access only this field.
  bool exact() const { return OneOf == 0; }
};

/// accesses=on: a loop that accesses the elements of an array in order.
struct StreamResult {
  SourceLocation Where;
  uint64_t Elements = 0; ///< elements visited in all executions
  /// The number of elements in which it accessed each of TypeResult::Fields.
  std::vector<uint64_t> Accessed;
};

/// Bytes read and written by accesses to the objects, per allocated byte.
struct AccessesPerByte {
  double Reads = 0, Writes = 0;
};
/// Nothing if no accesses were counted, or nothing was allocated.
inline std::optional<AccessesPerByte> accessesPerByte(const TypeResult &T) {
  if (T.Fields.empty() || T.Sum.AllocatedBytes == 0)
    return std::nullopt;
  AccessesPerByte Out;
  const auto Allocated = static_cast<double>(T.Sum.AllocatedBytes);
  for (const FieldResult &F : T.Fields) {
    const double Bytes = static_cast<double>(F.Bits) / 8;
    Out.Reads += static_cast<double>(F.Reads + F.Copies) * Bytes / Allocated;
    Out.Writes += static_cast<double>(F.Writes) * Bytes / Allocated;
  }
  return Out;
}

} // namespace inmem::report

#endif

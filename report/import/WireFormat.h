//===- WireFormat.h - Positions in a protobuf message -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// protobuf's parser says that a message is wrong, and not where. Messages of
// ours do.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_IMPORT_WIREFORMAT_H
#define INMEM_REPORT_IMPORT_WIREFORMAT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace google::protobuf {
class Descriptor;
} // namespace google::protobuf

namespace inmem::report {

/// Where bytes stop being a message: the first field that does not end within
/// it, has no valid tag, or has bytes that are not its type's. None if all are
/// right.
std::optional<uint64_t> firstBadByte(std::span<const std::byte> Message,
                                     const google::protobuf::Descriptor &Type);

/// The byte at which an element of a field of the outermost message begins, its
/// tag included; the message's end if there is none.
uint64_t offsetOfElement(std::span<const std::byte> Message, int Field,
                         int Index);

} // namespace inmem::report

#endif

//===- Offsets.h - Positions of values in JSON and protobuf -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_IMPORT_OFFSETS_H
#define INMEM_REPORT_IMPORT_OFFSETS_H

#include "report/formats/Json.h"
#include "trace/read/Buffer.h"
#include "trace/read/Status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace google::protobuf {
class Descriptor;
} // namespace google::protobuf

namespace inmem::report {

// JsonOffset.cpp: Positions of values in a JSON text.

/// The byte at which a value begins. It is found by a second pass over the
/// text, so only for messages.
/// \param Root the parsed text
/// \param Node Root or a value in it
size_t offsetOf(std::string_view Text, const Json &Root, const Json &Node);

/// A value that is not as a format has it. Thrown within parseJson().
struct WrongJson {
  const Json *At; ///< the value, or the object that lacks a member
  std::string What, Expected, Found;
};

/// A value for a message: a few characters of ASCII.
std::string shownJson(const Json &Value);

/// The member of an object.
const Json &memberOf(const Json &Object, const char *Name);
const Json &arrayIn(const Json &Object, const char *Name);
uint64_t numberIn(const Json &Object, const char *Name);
std::string textIn(const Json &Object, const char *Name);

/// Parses the file and calls \p Read with the value.
/// \param Kind "no DHAT file", where it is not JSON
/// \returns an error with the byte where something is wrong.
trace::Status parseJson(const trace::Buffer &File, const char *Kind,
                        const std::function<void(const Json &)> &Read);

// WireFormat.cpp: Positions in a protobuf message.
//
// protobuf's parser says that a message is wrong, and not where. Messages of
// ours do.

/// Where bytes stop being a message: the first field that does not end within
/// it, has no valid tag, or has bytes that are not its type's. None if all are
/// right.
std::optional<uint64_t> firstBadByte(std::span<const std::byte> Message,
                                     const google::protobuf::Descriptor &Type);

/// The byte at which an element of a field of the outermost message begins, its
/// tag included; the message's end if it has no such element.
uint64_t offsetOfElement(std::span<const std::byte> Message, int Field,
                         int Index);

} // namespace inmem::report

#endif

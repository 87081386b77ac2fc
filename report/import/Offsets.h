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

/// The byte at which a value begins. A second pass over the text finds it, so
/// this is only for messages. \param Root the parsed text \param Node Root or a
/// value in it
size_t offsetOf(std::string_view Text, const Json &Root, const Json &Node);

/// A value that does not conform to a format. Thrown within parseJson().
struct WrongJson {
  const Json *At; ///< the value, or the object that lacks a member
  std::string What, Expected, Found;
};

/// A value for a message: a few ASCII characters.
std::string shownJson(const Json &Value);

/// The member of an object.
const Json &memberOf(const Json &Object, const char *Name);
const Json &arrayIn(const Json &Object, const char *Name);
uint64_t numberIn(const Json &Object, const char *Name);
std::string textIn(const Json &Object, const char *Name);

/// Parses the file and calls \p Read with the value. \param Kind for errors if
/// it is not JSON: "no DHAT file" \returns an error with the byte at which
/// something is wrong
trace::Status parseJson(const trace::Buffer &File, const char *Kind,
                        const std::function<void(const Json &)> &Read);

// WireFormat.cpp: Positions in a protobuf message.
//
// protobuf's parser reports that a message is wrong, but not where. Our
// messages say where.

/// The byte from which the data is not a message: the first field that does not
/// end within it, has no valid tag, or has bytes that do not fit its type. None
/// if all fields are valid.
std::optional<uint64_t> firstBadByte(std::span<const std::byte> Message,
                                     const google::protobuf::Descriptor &Type);

/// The byte at which an element of a field of the outermost message begins,
/// including its tag; the message's end if there is no such element.
uint64_t offsetOfElement(std::span<const std::byte> Message, int Field,
                         int Index);

} // namespace inmem::report

#endif

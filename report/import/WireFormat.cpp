//===- WireFormat.cpp - Positions in a protobuf message -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/import/Offsets.h"

#include <google/protobuf/descriptor.h>
#include <string_view>
#include <utf8proc.h>

namespace inmem::report {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

enum WireType : uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// A field as it is on the wire.
struct Field {
  size_t Start = 0; ///< offset of the tag
  uint32_t Number = 0, Wire = 0;
  size_t Data = 0, Size = 0; ///< for length-delimited fields
};

/// Reads a message's fields in order.
class Fields {
public:
  Fields(std::span<const std::byte> Of, size_t From, size_t To)
      : All(Of), At(From), End(To) {}

  /// \returns false at the end, or if the field is damaged
  bool next(Field &F) {
    if (At >= End)
      return false;
    F = {};
    F.Start = At;
    uint64_t Tag = 0, Value = 0;
    Damaged = true;
    if (!varint(Tag) || Tag > UINT32_MAX || Tag >> 3 == 0)
      return false;
    F.Number = static_cast<uint32_t>(Tag >> 3);
    F.Wire = Tag & 7;
    if (F.Wire == Varint) {
      if (!varint(Value))
        return false;
    } else {
      if (F.Wire == Bytes && !varint(Value))
        return false;
      if (F.Wire != Bytes && F.Wire != Fixed64 && F.Wire != Fixed32)
        return false;
      F.Size = F.Wire == Fixed64 ? 8 : F.Wire == Fixed32 ? 4 : Value;
      F.Data = At;
      if (F.Size > End - At) {
        IsCut = true;
        return false;
      }
      At += F.Size;
    }
    Damaged = false;
    return true;
  }

  bool damaged() const { return Damaged; }
  /// True if the field is longer than the rest of the file.
  bool cut() const { return IsCut; }

private:
  bool varint(uint64_t &Into) {
    Into = 0;
    for (unsigned Shift = 0; Shift < 70; Shift += 7) {
      if (At >= End) {
        IsCut = true;
        return false;
      }
      const auto Byte = static_cast<uint64_t>(All[At++]);
      Into |= (Byte & 127) << std::min(Shift, 63U);
      if (!(Byte & 128))
        return true;
    }
    return false;
  }

  std::span<const std::byte> All;
  size_t At, End;
  bool Damaged = false, IsCut = false;
};

bool isUtf8(std::string_view Text) {
  for (size_t At = 0; At < Text.size();) {
    utf8proc_int32_t Code = -1;
    const auto Size = utf8proc_iterate(
        reinterpret_cast<const utf8proc_uint8_t *>(Text.data()) + At,
        static_cast<utf8proc_ssize_t>(Text.size() - At), &Code);
    if (Size <= 0)
      return false;
    At += static_cast<size_t>(Size);
  }
  return true;
}

/// \param Depth of the message. Types nest no deeper than their definition
std::optional<uint64_t> firstBad(std::span<const std::byte> All, size_t From,
                                 size_t To, const Descriptor &Type,
                                 unsigned Depth) {
  Fields In(All, From, To);
  Field F;
  while (In.next(F)) {
    const FieldDescriptor *Known =
        Type.FindFieldByNumber(static_cast<int>(F.Number));
    if (!Known || F.Wire != Bytes)
      continue;
    if (Known->type() == FieldDescriptor::TYPE_MESSAGE && Depth < 16) {
      if (const auto Bad = firstBad(All, F.Data, F.Data + F.Size,
                                    *Known->message_type(), Depth + 1))
        return Bad;
    } else if (Known->type() == FieldDescriptor::TYPE_STRING &&
               !isUtf8({reinterpret_cast<const char *>(All.data()) + F.Data,
                        F.Size})) {
      return F.Data;
    }
  }
  if (!In.damaged())
    return std::nullopt;
  // Reports a cut at the end of the file if bytes are missing there.
  return In.cut() && To == All.size() ? All.size() : F.Start;
}

} // namespace

std::optional<uint64_t> firstBadByte(std::span<const std::byte> Message,
                                     const Descriptor &Type) {
  return firstBad(Message, 0, Message.size(), Type, 0);
}

uint64_t offsetOfElement(std::span<const std::byte> Message, int Number,
                         int Index) {
  Fields In(Message, 0, Message.size());
  Field F;
  while (In.next(F))
    if (F.Number == static_cast<uint32_t>(Number) && Index-- == 0)
      return F.Start;
  return Message.size();
}

} // namespace inmem::report

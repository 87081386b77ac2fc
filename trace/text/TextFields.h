//===- TextFields.h - Which members a line of the text form has -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to trace/: one table per structure, read by Text.cpp (structure to
// words) and Assembler.cpp (words to structure), so that both always agree.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_TEXTFIELDS_H
#define INMEM_TRACE_TEXTFIELDS_H

#include "trace/format/FeatureRecords.h"
#include "trace/format/FoundTypeFormat.h"
#include "trace/format/Records.h"
#include "trace/text/Names.h"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace inmem::trace {

enum class Form : uint8_t {
  Decimal,
  Hex,
  Signed,
  Double,
  Word,  ///< one of Names
  Words, ///< bits of Names, joined by commas
  Text,  ///< a StringOffset
  Chars, ///< text of Size bytes, NUL-terminated
};

struct Member {
  std::string_view Key;
  size_t Offset;
  size_t Size;
  Form As = Form::Decimal;
  std::span<const Name> Names = {};
};

#define INMEM_MEMBER(Struct, Key, Field, ...)                                  \
  ::inmem::trace::Member {                                                     \
    Key, offsetof(Struct, Field), sizeof(Struct::Field), __VA_ARGS__           \
  }

/// Sorts members by their ranks, which run from 0 to the last without gaps.
std::vector<Member>
inOrder(std::initializer_list<std::pair<unsigned, Member>> Ranked);
// In a function: the members of Struct from its list in Records.h.
#define INMEM_RANKED(Rank, Type, Name, Key, ...)                               \
  {Rank, INMEM_MEMBER(R, Key, Name, Form::__VA_ARGS__)},
#define INMEM_RANKED_TEXT(Rank, Name, Key)                                     \
  {Rank, INMEM_MEMBER(R, Key, Name, Form::Text)},
#define INMEM_MEMBERS_OF(Struct, Record)                                       \
  [] {                                                                         \
    using R = Struct;                                                          \
    return inOrder({Record(INMEM_RANKED, INMEM_RANKED_TEXT, INMEM_NOT_SEEN)}); \
  }()

/// Each returns the members of one structure, in the order in which they are
/// written. All tables are defined in one file: inline definitions would mix
/// constant and dynamic initialisation between files, and tables would be
/// empty.
std::span<const Member> headerMembers();
std::span<const Member> typeMembers();
std::span<const Member> fieldMembers();
std::span<const Member> siteMembers();
std::span<const Member> frameMembers();
std::span<const Member> moduleMembers();
std::span<const Member> threadMembers();
std::span<const Member> objectMembers();
std::span<const Member> stringCopyMembers();
std::span<const Member> sourceMembers();
std::span<const Member> noteMembers();
std::span<const Member> phaseMembers();
std::span<const Member> addressMembers();
std::span<const Member> stackMembers();
std::span<const Member> stackedSiteMembers();
std::span<const Member> calledSiteMembers();
std::span<const Member> callerCallMembers();
std::span<const Member> symbolMembers();
std::span<const Member> nameMembers();
std::span<const Member> foundTypeMembers();
std::span<const Member> rowMembers();
std::span<const Member> cellMembers();
std::span<const Member> peakMembers();
std::span<const Member> freeMembers();
std::span<const Member> mappedMembers();
std::span<const Member> markRowMembers();
std::span<const Member> markObjectMembers();
std::span<const Member> markPeakMembers();
std::span<const Member> peakRowMembers();
std::span<const Member> threadLifetimeMembers();
std::span<const Member> profileMembers();
std::span<const Member> waitMembers();
std::span<const Member> sampleMembers();
std::span<const Member> crossingMembers();
std::span<const Member> threadLineMembers();
std::span<const Member> totalMembers();
std::span<const Member> snapshotMembers();

/// An element of an extent that is a line by itself.
struct PlainElement {
  size_t Bytes;
  std::span<const Member> Members;
};
/// Finds an element by the first word of its line; nullopt: no such element.
std::optional<PlainElement> plainElement(std::string_view Word);

/// A record that is a line by itself.
struct RecordShape {
  RecordKind Kind;
  size_t Bytes; ///< without the variable-sized part
  std::span<const Member> Members;
};
/// Finds a record by the first word of its line; nullopt: no such record.
std::optional<RecordShape> recordShape(std::string_view Word);

} // namespace inmem::trace

#endif

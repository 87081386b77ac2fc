//===- RecordBuilder.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registry/RecordBuilder.h"

#include "platform/Mappings.h"
#include "state/Runtime.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

constexpr size_t kRecordBuffer = 64 * 1024;
constinit char *Scratch = nullptr;

} // namespace

bool makeRecordBuffer() {
  if (!Scratch)
    Scratch = static_cast<char *>(mapPages(kRecordBuffer));
  return Scratch;
}

RecordBuilder::RecordBuilder(RecordKind Kind, size_t FixedBytes)
    : Kind(Kind), Buffer(Scratch), Used(FixedBytes) {}

uint32_t RecordBuilder::reserve(size_t Size) {
  size_t At = roundUp(Used, 8);
  if (Size > kRecordBuffer || At + Size > kRecordBuffer - 16)
    return 0;
  memset(Buffer + Used, 0, At + Size - Used);
  Used = At + Size;
  return static_cast<uint32_t>(At);
}

uint32_t RecordBuilder::bytes(const void *Data, size_t Size) {
  if (Used + Size > kRecordBuffer - 16)
    return 0;
  memcpy(Buffer + Used, Data, Size);
  Used += Size;
  return static_cast<uint32_t>(Used - Size);
}

StringOffset RecordBuilder::string(const char *S) {
  if (!S || !*S)
    return 0;
  size_t Length = strlen(S);
  size_t Room = kRecordBuffer - 17 - Used;
  if (Used > kRecordBuffer - 64)
    return 0;
  if (Length > Room)
    Length = Room;
  auto At = static_cast<StringOffset>(Used);
  memcpy(Buffer + Used, S, Length);
  Used += Length;
  Buffer[Used++] = 0;
  return At;
}

bool RecordBuilder::append(const void *Fixed, size_t FixedBytes) {
  memcpy(Buffer, Fixed, FixedBytes);
  size_t End = roundUp(Used, 8);
  memset(Buffer + Used, 0, End - Used);
  auto *Header = reinterpret_cast<RecordHeader *>(Buffer);
  Header->Kind = Kind;
  Header->Bytes = static_cast<uint32_t>(End);
  return Process.Trace.appendRecord(Header);
}

void addWarning(const char *Text) {
  NoteRecord R = {};
  RecordBuilder Builder(RecordKind::Note, sizeof R);
  R.Kind = NoteKind::Warning;
  R.Ticks = Process.Trace.header()->LastTicks;
  R.Text = Builder.string(Text);
  Builder.append(&R, sizeof R);
}

} // namespace inmem::rt

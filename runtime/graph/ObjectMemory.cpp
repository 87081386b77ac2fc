//===- ObjectMemory.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/ObjectMemory.h"

#include "platform/Files.h"

namespace inmem::rt {

namespace {

uintptr_t readHex(const char *&Text) {
  uintptr_t Value = 0;
  for (;; ++Text) {
    char C = *Text;
    unsigned Digit = C >= '0' && C <= '9' ? static_cast<unsigned>(C - '0')
                     : C >= 'a' && C <= 'f'
                         ? static_cast<unsigned>(C - 'a') + 10
                         : 16;
    if (Digit == 16)
      return Value;
    Value = Value << 4 | Digit;
  }
}

/// "start-end rwxp offset device inode   name"
Mapping parseMapping(const char *Line, const char *Text) {
  Mapping M = {};
  M.Start = readHex(Line);
  ++Line;
  M.End = readHex(Line);
  ++Line;
  M.Readable = Line[0] == 'r';
  M.Writable = Line[1] == 'w';
  M.Executable = Line[2] == 'x';
  M.Shared = Line[3] == 's';
  const char *Name = Line;
  for (int Field = 0; Field < 4; ++Field) {
    while (*Name && *Name != ' ') {
      if (Field >= 2) // device and inode fields
        M.File = (M.File ^ static_cast<unsigned char>(*Name)) * 0x100000001b3u;
      ++Name;
    }
    while (*Name == ' ')
      ++Name;
  }
  M.Name = static_cast<uint32_t>(Name - Text);
  M.IsFile = *Name == '/';
  if (!M.IsFile)
    M.File = 0;
  M.IsHeap = strncmp(Name, "[heap]", 6) == 0;
  M.IsStack = strncmp(Name, "[stack]", 7) == 0;
  return M;
}

} // namespace

bool Mappings::readText() {
  Text.shrinkTo(0);
  int Fd = openForReading("/proc/self/maps");
  if (Fd < 0)
    return false;
  for (;;) {
    constexpr size_t kStep = 64 * 1024;
    const size_t Before = Text.size();
    char *To = Text.extend(kStep);
    long Got = To ? readAt(Fd, To, kStep - 1, Before) : 0; // room for a 0
    Text.shrinkTo(Before + static_cast<size_t>(Got > 0 ? Got : 0));
    if (Got <= 0)
      break;
  }
  closeFile(Fd);
  Text.add(0);
  return Text.size() > 1;
}

bool Mappings::read() {
  All.shrinkTo(0);
  // A growing buffer moves, and the text still lists its old address as mapped.
  // So read again until everything fits.
  size_t TextRoom, Lines, LineRoom;
  do {
    TextRoom = Text.capacity();
    LineRoom = All.capacity();
    if (!readText())
      return false;
    Lines = 0;
    for (const char C : Text)
      Lines += C == '\n';
    if (!All.reserve(Lines))
      return false;
  } while (Text.capacity() != TextRoom || All.capacity() != LineRoom);
  for (char *Line = Text.data(); *Line;) {
    char *End = Line;
    while (*End && *End != '\n')
      ++End;
    const bool More = *End != 0;
    *End = 0;
    All.add(parseMapping(Line, Text.data()));
    Line = More ? End + 1 : End;
  }
  return All.size() > 0;
}

void Mappings::release() {
  All.release();
  Text.release();
  Last = 0;
}

const Mapping *Mappings::find(uintptr_t Address) const {
  if (Last < All.size() && All[Last].contains(Address))
    return &All[Last];
  size_t Low = 0, High = All.size();
  while (Low < High) {
    size_t Middle = (Low + High) / 2;
    if (All[Middle].End <= Address)
      Low = Middle + 1;
    else
      High = Middle;
  }
  if (Low == All.size() || !All[Low].contains(Address))
    return nullptr;
  Last = Low;
  return &All[Low];
}

bool Memory::readDirectly() {
  HasMaps = true;
  return Direct = Maps.read();
}

/// Copies by a system call, or directly, after checking that each page is
/// readable, if the kernel refuses the call.
bool Memory::copy(void *To, uintptr_t From, size_t Bytes) {
  if (!Refused) {
    long Got = readOwnMemory(To, From, Bytes);
    if (Got == static_cast<long>(Bytes))
      return true;
    if (Got != kNotPermitted)
      return false;
    Refused = true;
  }
  for (uintptr_t At = From & ~uintptr_t{7}; At < From + Bytes;
       At = (At & ~(kPage - 1)) + kPage)
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    if (!isReadable(reinterpret_cast<const void *>(At)))
      return false;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  memcpy(To, reinterpret_cast<const void *>(From), Bytes);
  return true;
}

const char *Memory::page(uintptr_t Number) {
  if (!Keys.size() &&
      (!Keys.extend(kCached) || !Contents.extend(kCached * kPage)))
    return nullptr;
  const size_t I = Number % kCached;
  char *Content = Contents.data() + I * kPage;
  if (Keys[I].Number != Number + 1)
    Keys[I] = {Number + 1, copy(Content, Number * kPage, kPage)};
  return Keys[I].Readable ? Content : nullptr;
}

bool Memory::read(void *To, uintptr_t From, size_t Bytes) {
  constexpr uintptr_t kUserSpace = uintptr_t{1} << 56;
  if (From < kPage || From >= kUserSpace || Bytes >= kUserSpace)
    return false;
  if (Direct) {
    for (uintptr_t At = From; At < From + Bytes;) {
      const Mapping *M = Maps.find(At);
      if (!M || !M->Readable)
        return false;
      At = M->End;
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    memcpy(To, reinterpret_cast<const void *>(From), Bytes);
    return true;
  }
  if (Bytes > 2 * kPage)
    return copy(To, From, Bytes);
  auto *Out = static_cast<char *>(To);
  while (Bytes) {
    const size_t Within = From % kPage;
    const size_t Here = Bytes < kPage - Within ? Bytes : kPage - Within;
    const char *Content = page(From / kPage);
    if (!Content)
      return false;
    memcpy(Out, Content + Within, Here);
    Out += Here;
    From += Here;
    Bytes -= Here;
  }
  return true;
}

} // namespace inmem::rt

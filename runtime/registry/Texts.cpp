//===- Texts.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registry/Texts.h"

#include "platform/Compiler.h"
#include "platform/Lock.h"
#include "platform/Mappings.h"
#include "tables/Hash.h"
#include "tables/OpenTable.h"

#include <string.h>

// Declared first, because a constant is otherwise local to its file.
INMEM_EXPORT const char INMEM_PACKED_SYMBOL;
const char INMEM_PACKED_SYMBOL = 1;

namespace inmem::rt {

namespace {

constexpr size_t kMostTexts = INMEM_PACKED_MOST / INMEM_PACKED_LEAST;
/// Texts of a unit are used together; the names of its types belong to another
/// unit now and then.
constexpr size_t kUnpacked = 8;

struct Unpacked {
  const struct inmem_packed_texts *Of; ///< null: unused
  uint16_t Starts[kMostTexts];
  char Texts[INMEM_PACKED_MOST];
};

/// A text that was requested; never freed. Units share many texts.
struct KeptText {
  struct Key {
    const char *Text;
    size_t Length;
  };
  const char *Text; ///< null: none

  explicit operator bool() const { return Text != nullptr; }
  static uint64_t hashOf(const Key &K) { return hashBytes(K.Text, K.Length); }
  uint64_t hash() const { return hashText(Text); }
  bool is(const Key &K) const {
    return strncmp(Text, K.Text, K.Length) == 0 && !Text[K.Length];
  }
  bool isSame(const KeptText &Other) const { return Text == Other.Text; }
  void clear() { Text = nullptr; }
  void copy(const KeptText &Other) { Text = Other.Text; }
};

constinit Lock TextLock;
constinit Unpacked *Cache = nullptr;
constinit size_t NextUnpacked = 0;
constinit OpenTable<KeptText, 1024> Kept;
constinit char *Chunk = nullptr;
constinit size_t ChunkLeft = 0;

/// Parses a number in the steps of inmem_packed_texts.
bool takeNumber(const uint8_t *&At, const uint8_t *End, uint32_t &Number) {
  Number = 0;
  for (unsigned Shift = 0; At < End && Shift < 28; Shift += 7) {
    const uint8_t Byte = *At++;
    Number |= static_cast<uint32_t>(Byte & 0x7f) << Shift;
    if (!(Byte & 0x80))
      return true;
  }
  return false;
}

/// Unpacks \p Texts; null if they are damaged, or when out of memory.
const Unpacked *unpacked(const struct inmem_packed_texts &Texts) {
  if (!Cache)
    Cache = static_cast<Unpacked *>(mapPages(kUnpacked * sizeof(Unpacked)));
  if (!Cache)
    return nullptr;
  for (size_t I = 0; I < kUnpacked; ++I)
    if (Cache[I].Of == &Texts)
      return &Cache[I];
  Unpacked &U = Cache[NextUnpacked];
  NextUnpacked = (NextUnpacked + 1) % kUnpacked;
  U.Of = nullptr;
  orderStores();
  if (Texts.count > kMostTexts || !unpackTexts(Texts, U.Texts))
    return nullptr;
  size_t At = 0;
  for (uint32_t I = 0; I < Texts.count; ++I) {
    if (At >= Texts.bytes)
      return nullptr;
    U.Starts[I] = static_cast<uint16_t>(At);
    At += strlen(U.Texts + At) + 1;
  }
  orderStores();
  U.Of = &Texts;
  return &U;
}

/// Returns a permanent copy of \p Text.
const char *keep(const char *Text) {
  constexpr size_t kChunk = 64 * 1024;
  static_assert(kChunk >= INMEM_PACKED_MOST);
  const size_t Length = strlen(Text);
  KeptText *Slot = Kept.findOrMake(KeptText::Key{Text, Length});
  if (!Slot || *Slot)
    return Slot ? Slot->Text : nullptr;
  if (ChunkLeft <= Length) {
    ChunkLeft = 0;
    orderStores();
    Chunk = static_cast<char *>(mapPages(kChunk));
    orderStores();
    ChunkLeft = Chunk ? kChunk : 0;
    if (!Chunk)
      return nullptr;
  }
  // In this order: a jump in between leaves some of the chunk unused.
  ChunkLeft -= Length + 1;
  orderStores();
  char *Copy = Chunk;
  Chunk += Length + 1;
  memcpy(Copy, Text, Length + 1);
  Kept.add(Slot, {Copy});
  return Copy;
}

} // namespace

bool unpackTexts(const struct inmem_packed_texts &From, char *To) {
  const auto *At = reinterpret_cast<const uint8_t *>(&From + 1);
  const uint8_t *End = At + From.packed_bytes;
  if (!From.bytes || From.bytes > INMEM_PACKED_MOST)
    return false;
  uint32_t Done = 0;
  for (;;) {
    uint32_t Plain, Length, Distance;
    if (!takeNumber(At, End, Plain) || Plain > From.bytes - Done ||
        Plain > static_cast<size_t>(End - At))
      return false;
    memcpy(To + Done, At, Plain);
    At += Plain;
    Done += Plain;
    if (Done == From.bytes)
      return At == End && !To[Done - 1];
    if (!takeNumber(At, End, Length) || !takeNumber(At, End, Distance))
      return false;
    Length += INMEM_PACKED_MATCH;
    if (Length > From.bytes - Done || Distance > Done || !Distance)
      return false;
    for (const uint32_t Until = Done + Length; Done < Until; ++Done)
      To[Done] = To[Done - Distance]; // source and target may overlap
  }
}

const char *textAt(const int32_t &Member) {
  if (!Member)
    return nullptr;
  const char *Text = reinterpret_cast<const char *>(&Member) + Member;
  if (static_cast<unsigned char>(*Text) != INMEM_PACKED_TEXT)
    return Text;
  const auto *Word = reinterpret_cast<const uint32_t *>(Text);
  const uint32_t Behind = *Word >> 8;
  const auto &Texts =
      *reinterpret_cast<const struct inmem_packed_texts *>(Word + Behind);
  if (!Behind || Behind > Texts.count)
    return nullptr;
  Locked L(TextLock);
  const Unpacked *U = unpacked(Texts);
  return U ? keep(U->Texts + U->Starts[Texts.count - Behind]) : nullptr;
}

void forgetPackedTexts() {
  Locked L(TextLock);
  for (size_t I = 0; Cache && I < kUnpacked; ++I)
    Cache[I].Of = nullptr;
}

void resetTextLock() { TextLock.reset(); }
void releaseTextLock() { TextLock.releaseOwn(); }

} // namespace inmem::rt

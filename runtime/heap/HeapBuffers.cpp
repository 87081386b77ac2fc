//===- HeapBuffers.cpp - Used parts of containers' buffers ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer may have room after its last element, where destroyed elements or
// old data look like objects. Only its owner records how much of it is filled.
// The owner may be anywhere: in a block, a variable, on a stack. Owners are
// recognised by their words, not by type, since types of local variables are
// unknown. If several seem to own a buffer, the one with the most elements
// counts.
//
//===----------------------------------------------------------------------===//
#include "heap/HeapWriter.h"

namespace inmem::rt {

void HeapWriter::noteLive(uint32_t Object, uintptr_t Begin, uintptr_t End) {
  uint64_t *Number = LiveNumbers.findOrMake(uint64_t{Object} + 1);
  if (!Number)
    return;
  if (!*Number) {
    if (Lifetimes.add({Begin, End}))
      *Number = Lifetimes.size();
    return;
  }
  Live &Known = Lifetimes[*Number - 1];
  Known.Begin = Begin < Known.Begin ? Begin : Known.Begin;
  Known.End = End > Known.End ? End : Known.End;
}

const HeapWriter::Live *HeapWriter::liveOf(uint32_t Object) const {
  const uint64_t *Number = LiveNumbers.find(uint64_t{Object} + 1);
  return Number && *Number ? &Lifetimes[*Number - 1] : nullptr;
}

/// First element, end of the elements, end of the buffer: vectors of libstdc++
/// and libc++.
bool HeapWriter::noteVector(const uint64_t *Owner) {
  if (Owner[1] < Owner[0] || Owner[2] < Owner[1] || Owner[2] == Owner[0])
    return false;
  const uint32_t Buffer = find(Owner[0]);
  if (!isWhole(Buffer, Owner[0], Owner[2] - Owner[0]))
    return false;
  noteLive(Buffer, Owner[0], Owner[1]);
  return true;
}

/// Map, its length, and two iterators (current, first, last, node): libstdc++'s
/// deque.
bool HeapWriter::noteDeque(const uint64_t *Owner) {
  const uint64_t Map = Owner[0], Length = Owner[1];
  const uint64_t *Start = Owner + 2, *Finish = Owner + 6;
  const auto IsIterator = [](const uint64_t *I) {
    return I[1] <= I[0] && I[0] <= I[2] && I[1] < I[2];
  };
  if (Length < 1 || Length > UINT32_MAX || !IsIterator(Start) ||
      !IsIterator(Finish) || Start[3] < Map || Finish[3] < Start[3] ||
      Finish[3] >= Map + Length * 8 || (Start[3] - Map) % 8 ||
      (Finish[3] - Map) % 8)
    return false;
  const uint32_t Nodes = find(Map);
  if (!isWhole(Nodes, Map, Length * 8))
    return false;
  noteLive(Nodes, Start[3], Finish[3] + 8);
  for (uintptr_t Node = Start[3]; Node <= Finish[3]; Node += 8) {
    const uintptr_t Begin = M.wordOr0(Node);
    const uint64_t Bytes = Start[2] - Start[1];
    if (const uint32_t Buffer = find(Begin); isWhole(Buffer, Begin, Bytes))
      noteLive(Buffer, Node == Start[3] ? Start[0] : Begin,
               Node == Finish[3] ? Finish[0] : Begin + Bytes);
  }
  return true;
}

/// Begin of the map, first node, last node, end of the map, index of the first
/// element, number of elements: libc++'s deque.
bool HeapWriter::noteLibcxxDeque(const uint64_t *Owner) {
  const uint64_t First = Owner[4], Last = First + Owner[5];
  if (Owner[1] < Owner[0] || Owner[2] < Owner[1] || Owner[3] < Owner[2] ||
      Owner[3] == Owner[0] || (Owner[1] - Owner[0]) % 8 ||
      (Owner[2] - Owner[1]) % 8 || Last < First)
    return false;
  const uint32_t Nodes = find(Owner[0]);
  if (!isWhole(Nodes, Owner[0], Owner[3] - Owner[0]))
    return false;
  bool Any = false;
  uint64_t From = 0; // index of the buffer's first element
  for (uintptr_t Node = Owner[1]; Node < Owner[2]; Node += 8) {
    const uintptr_t Begin = M.wordOr0(Node);
    const uint32_t Buffer = find(Begin);
    if (Buffer == kNone || Objects[Buffer].Begin != Begin)
      return Any;
    const inmem_type *Type = factsOf(Objects[Buffer]).Type;
    if (!Type || !Type->size)
      return Any;
    const uint64_t Count = Objects[Buffer].Size / Type->size;
    const auto Within = [&](uint64_t Element) {
      const uint64_t Index = Element > From ? Element - From : 0;
      return Begin + (Index < Count ? Index : Count) * Type->size;
    };
    noteLive(Buffer, Within(First), Within(Last));
    From += Count;
    Any = true;
  }
  if (Any)
    noteLive(Nodes, Owner[1], Owner[2]);
  return Any;
}

void HeapWriter::noteOwners(const char *Words, uint64_t Bytes) {
  constexpr unsigned kVector = 3, kLibcxxDeque = 6, kDeque = 10;
  uint64_t All[kDeque];
  for (uint64_t At = 0; At + kVector * 8 <= Bytes; At += 8) {
    const uint64_t Left = Bytes - At;
    memcpy(All, Words + At, sizeof *All);
    if (!mayBeInBlock(All[0]))
      continue;
    memcpy(All, Words + At, Left < sizeof All ? Left : sizeof All);
    if (Left >= kLibcxxDeque * 8 && noteLibcxxDeque(All))
      continue;
    if (!noteVector(All) && Left >= sizeof All)
      noteDeque(All);
  }
}

/// Finds the owners in blocks; writeWords() finds the others.
void HeapWriter::findBuffers() {
  for (const Object &O : Objects) {
    const uintptr_t First = (O.Begin + 7) & ~uintptr_t{7};
    const Mapping *In = M.mappings().find(First);
    if (In && In->Readable && O.Begin + O.Size <= In->End)
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      noteOwners(reinterpret_cast<const char *>(First),
                 O.Begin + O.Size > First ? O.Begin + O.Size - First : 0);
  }
}

} // namespace inmem::rt

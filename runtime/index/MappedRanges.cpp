//===- MappedRanges.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/MappedRanges.h"

#include <string.h>

namespace inmem::rt {

MappedRanges::Position MappedRanges::firstEndingAfter(uintptr_t Address) const {
  uint32_t First = 0;
  for (uint32_t Left = Leaves.Count; Left > 0;) {
    const uint32_t Half = Left / 2;
    const Leaf &L = *Leaves[First + Half];
    if (L.Ranges[L.Count - 1].End <= Address) {
      First += Half + 1;
      Left -= Half + 1;
    } else {
      Left = Half;
    }
  }
  if (First == Leaves.Count)
    return {First, 0};
  const Leaf &L = *Leaves[First];
  uint32_t At = 0;
  for (auto Left = static_cast<uint32_t>(L.Count); Left > 0;) {
    const uint32_t Half = Left / 2;
    if (L.Ranges[At + Half].End <= Address) {
      At += Half + 1;
      Left -= Half + 1;
    } else {
      Left = Half;
    }
  }
  return {First, At};
}

MappedRange *MappedRanges::rangeBefore(Position P) {
  if (P.At > 0)
    return &Leaves[P.Leaf]->Ranges[P.At - 1];
  if (P.Leaf == 0)
    return nullptr;
  Leaf &Before = *Leaves[P.Leaf - 1];
  return &Before.Ranges[Before.Count - 1];
}

bool MappedRanges::addLeaf(uint32_t At) {
  if (!Leaves.reserve(uint64_t{Leaves.Count} + 1))
    return false;
  Leaf *Fresh = Free;
  if (Fresh)
    Free = Fresh->NextFree;
  else
    Fresh = static_cast<Leaf *>(mapPages(sizeof(Leaf)));
  if (!Fresh)
    return false;
  Fresh->Count = 0;
  memmove(Leaves.Data + At + 1, Leaves.Data + At,
          (Leaves.Count - At) * sizeof(Leaf *));
  Leaves[At] = Fresh;
  ++Leaves.Count;
  return true;
}

/// Moves the upper half of a full leaf to a new one after it.
bool MappedRanges::split(uint32_t At) {
  if (!addLeaf(At + 1))
    return false;
  Leaf &From = *Leaves[At], &To = *Leaves[At + 1];
  const uint64_t Kept = From.Count / 2;
  To.Count = From.Count - Kept;
  memcpy(To.Ranges, From.Ranges + Kept, To.Count * sizeof(MappedRange));
  From.Count = Kept;
  return true;
}

bool MappedRanges::insertAt(Position P, const MappedRange &R) {
  if (P.Leaf == Leaves.Count) { // after the last range
    if (P.Leaf == 0) {
      if (!addLeaf(0))
        return false;
    } else {
      --P.Leaf;
    }
    P.At = static_cast<uint32_t>(Leaves[P.Leaf]->Count);
  }
  if (Leaves[P.Leaf]->Count == kPerLeaf) {
    if (!split(P.Leaf))
      return false;
    if (const uint64_t Kept = Leaves[P.Leaf]->Count; P.At > Kept) {
      P.At -= static_cast<uint32_t>(Kept);
      ++P.Leaf;
    }
  }
  Leaf &L = *Leaves[P.Leaf];
  memmove(L.Ranges + P.At + 1, L.Ranges + P.At,
          (L.Count - P.At) * sizeof(MappedRange));
  L.Ranges[P.At] = R;
  ++L.Count;
  return true;
}

void MappedRanges::eraseAt(Position P) {
  Leaf &L = *Leaves[P.Leaf];
  memmove(L.Ranges + P.At, L.Ranges + P.At + 1,
          (L.Count - P.At - 1) * sizeof(MappedRange));
  if (--L.Count > 0)
    return;
  memmove(Leaves.Data + P.Leaf, Leaves.Data + P.Leaf + 1,
          (Leaves.Count - P.Leaf - 1) * sizeof(Leaf *));
  --Leaves.Count;
  L.NextFree = Free;
  Free = &L;
}

bool MappedRanges::insert(const MappedRange &R) {
  const Position P = firstEndingAfter(R.Start);
  MappedRange *Before = rangeBefore(P), *Behind = rangeAt(P);
  const bool JoinsBefore =
      Before && Before->End == R.Start && Before->Id == R.Id;
  const bool JoinsBehind =
      Behind && Behind->Start == R.End && Behind->Id == R.Id;
  if (JoinsBefore && JoinsBehind) {
    const uintptr_t End = Behind->End;
    eraseAt(P);
    Before->End = End; // its leaf has not moved
    return true;
  }
  if (JoinsBefore) {
    Before->End = R.End;
    return true;
  }
  if (JoinsBehind) {
    Behind->Start = R.Start;
    return true;
  }
  return insertAt(P, R);
}

void MappedRanges::remove(uintptr_t Start, uintptr_t End, Visitor Visit,
                          void *Context) {
  while (true) {
    const Position P = firstEndingAfter(Start);
    MappedRange *R = rangeAt(P);
    if (!R || R->Start >= End)
      return;
    const MappedRange Whole = *R;
    const MappedRange Part = {Whole.Start > Start ? Whole.Start : Start,
                              Whole.End < End ? Whole.End : End, Whole.Id};
    if (Whole.Start < Part.Start) {
      R->End = Part.Start;
      if (Whole.End > Part.End)
        insertAt({P.Leaf, P.At + 1}, {Part.End, Whole.End, Whole.Id});
    } else if (Whole.End > Part.End) {
      R->Start = Part.End;
    } else {
      eraseAt(P);
    }
    Visit(Context, Part);
  }
}

void MappedRanges::clear() {
  while (Leaves.Count > 0) {
    Leaf *Last = Leaves[Leaves.Count - 1];
    --Leaves.Count;
    Last->NextFree = Free;
    Free = Last;
  }
}

} // namespace inmem::rt

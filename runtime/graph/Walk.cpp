//===- Walk.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Walk.h"

namespace inmem::rt {

void Walk::emit(const Step &S, uintptr_t Target, Relation How,
                const inmem_type *Type) {
  Edge E = {};
  E.Target = Target;
  E.How = How;
  E.Type = Type;
  E.Via = &S;
  if (Target)
    OnEdge(Context, E, *this);
}

void Walk::tellElement(const Step &S, uintptr_t Target, uint64_t Index) {
  Edge E = {};
  E.Target = Target;
  E.How = Relation::Element;
  E.Via = &S;
  E.Index = Index;
  E.IsElement = true;
  OnEdge(Context, E, *this);
}

void Walk::tellBuffer(const Step &S, uintptr_t Target, uintptr_t LiveBegin,
                      uintptr_t LiveEnd, uint64_t Index) {
  Edge E = {};
  E.Target = Target;
  E.How = Relation::Element;
  E.Type = S.Type;
  E.Via = &S;
  E.LiveBegin = LiveBegin;
  E.LiveEnd = LiveEnd;
  E.Index = Index;
  if (Target)
    OnEdge(Context, E, *this);
}

bool Walk::enter(const char *Label, uint64_t Index, bool HasIndex,
                 const char *Inner) {
  if (PieceCount == kMostPieces)
    return false;
  Pieces[PieceCount++] = {Label, Index, HasIndex, Inner};
  return true;
}

void Walk::objects(const Plan &P, uintptr_t Address, uint64_t Count,
                   uint64_t Bytes, bool Indexed, uint64_t FirstIndex,
                   const char *Inner) {
  if (!P.Count)
    tellLive(P.Type, Count);
  if (!P.Count || !P.Size || !Count)
    return;
  // As many elements as fit into one copy; a single larger one is copied whole,
  // with the bytes that follow it, up to a limit.
  constexpr uint64_t kAtOnce = 64 * 1024, kLargest = uint64_t{1} << 30;
  const uintptr_t End = Address + Bytes;
  uint64_t AtOnce = P.Size < kAtOnce ? kAtOnce / P.Size : 1;
  for (uint64_t I = 0; I < Count; I += AtOnce) {
    if (AtOnce > Count - I)
      AtOnce = Count - I;
    const uintptr_t From = Address + I * P.Size;
    uint64_t Length = AtOnce * P.Size;
    if (Count == 1 && Bytes > Length)
      Length = Bytes;
    if (Length > kLargest || !Copied.reserve(Length) ||
        !M.read(Copied.data(), From, Length))
      return;
    uint64_t Alive = 0;
    for (uint64_t K = 0; K < AtOnce; ++K) {
      if (Indexed && !enter("", FirstIndex + I + K, true, Inner))
        return;
      Alive += run(P, {Copied.data() + K * P.Size, From + K * P.Size,
                       Length - K * P.Size, End});
      if (Indexed)
        leave();
    }
    tellLive(P.Type, Alive);
  }
}

bool Walk::run(const Plan &P, const Frame &F) {
  if (P.Control) {
    // The object was destroyed; only the block is left.
    const uint64_t Owners = F.small(8, P.Libcxx ? 8 : 4);
    if (P.Libcxx ? Owners == UINT64_MAX : Owners == 0)
      return false;
  }
  for (uint32_t I = 0; I < P.Count; ++I)
    step(P.Steps[I], F);
  return true;
}

void Walk::step(const Step &S, const Frame &F) {
  switch (S.Kind) {
  case Op::Pointer:
    return emit(S, F.word(S.Offset),
                S.Hidden ? Relation::Inner : Relation::Owned, S.Type);
  case Op::Guess:
    return emit(S, S.A ? F.word(S.Offset) : F.word(S.Offset) & ~uint64_t{7},
                Relation::Guess);
  case Op::Guesses:
    return guesses(S, F);
  case Op::Array:
    return array(S, F, static_cast<uint64_t>(S.A));
  case Op::Flexible: {
    const uintptr_t At = F.Address + S.Offset;
    return array(
        S, F,
        F.BlockEnd > At ? (F.BlockEnd - At) / static_cast<uint64_t>(S.B) : 0);
  }
  case Op::Engaged:
    if (!F.small(static_cast<uint32_t>(S.B), 1))
      return;
    return array(S, F, 1);
  case Op::Variant:
    return variant(S, F);
  case Op::Vector:
    return vector(S, F);
  case Op::Deque:
    return deque(S, F);
  case Op::LibcxxDeque:
    return libcxxDeque(S, F);
  case Op::Chain:
    return chain(S, F, static_cast<uint32_t>(S.A), 0);
  case Op::Hash:
    return chain(S, F, 0, F.word(static_cast<uint32_t>(S.A)));
  case Op::Buckets:
    emit(S, F.word(S.Offset), Relation::Inner);
    return;
  case Op::Tree:
    // Header: colour, root, leftmost, rightmost.
    return tree(S, F.word(S.Offset + 16), F.Address + S.Offset, 16, 24, 8);
  case Op::LibcxxTree:
    return tree(S, F.word(S.Offset),
                F.Address + S.Offset + static_cast<uint32_t>(S.A), 0, 8, 16);
  case Op::String:
    return string(S, F);
  case Op::LibcxxString:
    return libcxxString(S, F);
  case Op::View:
    return emit(S, F.word(S.Offset), Relation::View, S.Type);
  case Op::Shared:
  case Op::Weak:
    return shared(S, F);
  }
}

void Walk::guesses(const Step &S, const Frame &F) {
  if (S.B >= 0 && !F.word(static_cast<uint32_t>(S.B)))
    return;
  for (uint32_t I = 0; I < static_cast<uint32_t>(S.A); I += 8)
    if (const uint64_t Word = F.word(S.Offset + I); Word - Lowest < Extent)
      emit(S, Word, Relation::Guess);
}

void Walk::array(const Step &S, const Frame &F, uint64_t Count) {
  if (!S.SubCount || !S.Subs[0])
    return;
  const bool Indexed = S.Kind != Op::Engaged;
  const auto Stride = static_cast<uint64_t>(Indexed ? S.B : 0);
  const char *Inner =
      Indexed && S.TypeName ? innerExtents(S.TypeName) : nullptr;
  for (uint64_t I = 0; I < Count; ++I) {
    const uint64_t Offset = S.Offset + I * Stride;
    if (Offset >= F.Size || !enter(S.Label, I, Indexed, Inner))
      return;
    run(*S.Subs[0],
        {F.Bytes + Offset, F.Address + Offset, F.Size - Offset, F.BlockEnd});
    if (S.Kind != Op::Array)
      tellLive(S.Subs[0]->Type, 1);
    leave();
  }
}

void Walk::variant(const Step &S, const Frame &F) {
  const uint64_t Index =
      F.small(static_cast<uint32_t>(S.B), static_cast<unsigned>(S.A));
  if (Index >= S.SubCount || !S.Subs[Index] || !enter(S.Label, 0, false))
    return;
  run(*S.Subs[Index], {F.Bytes + S.Offset, F.Address + S.Offset,
                       F.Size - S.Offset, F.BlockEnd});
  tellLive(S.Subs[Index]->Type, 1);
  leave();
}

void Walk::vector(const Step &S, const Frame &F) {
  const uintptr_t Begin = F.word(S.Offset);
  const uintptr_t End = F.word(S.Offset + static_cast<uint32_t>(S.A));
  const uintptr_t Room = F.word(S.Offset + static_cast<uint32_t>(S.B));
  if (!Begin || End < Begin)
    return;
  const uint64_t Each = S.Type && S.Type->size ? S.Type->size : 1;
  const uintptr_t Last = Room > End ? Room : End;
  tellContainer({&S, (End - Begin) / Each, (Last - Begin) / Each, Each, 0,
                 Begin, Last - Begin});
  tellBuffer(S, Begin, Begin, End, 0);
}

void Walk::deque(const Step &S, const Frame &F) {
  const auto Start = S.Offset + static_cast<uint32_t>(S.A);
  const auto Finish = S.Offset + static_cast<uint32_t>(S.B);
  // An iterator: current, first, last, node.
  const uintptr_t First = F.word(Start + 8), Last = F.word(Start + 16);
  const uintptr_t FirstNode = F.word(Start + 24);
  const uintptr_t LastNode = F.word(Finish + 24);
  emit(S, F.word(S.Offset), Relation::Inner);
  const uint64_t Buffer = Last - First;
  const uint64_t Each = S.Type && S.Type->size ? S.Type->size : 1;
  if (Last <= First || LastNode < FirstNode)
    return;
  uint64_t Index = 0;
  for (uintptr_t Node = FirstNode; Node <= LastNode; Node += 8) {
    uint64_t Begin;
    if (!M.word(Node, Begin) || Index * Each > MostElements * Each)
      return;
    const uintptr_t From = Node == FirstNode ? F.word(Start) : Begin;
    const uintptr_t To = Node == LastNode ? F.word(Finish) : Begin + Buffer;
    // An empty buffer still belongs to the container, but has no live element.
    tellBuffer(S, Begin, From, To > From ? To : From, Index);
    Index += To > From ? (To - From) / Each : 0;
  }
  const uintptr_t Map = F.word(S.Offset);
  tellContainer({&S, Index, ((LastNode - FirstNode) / 8 + 1) * Buffer / Each,
                 Each, 0, Map, LastNode + 8 - Map});
}

void Walk::libcxxDeque(const Step &S, const Frame &F) {
  const uintptr_t Map = F.word(S.Offset), Begin = F.word(S.Offset + 8);
  const uintptr_t End = F.word(S.Offset + 16);
  const uint64_t Start = F.word(S.Offset + static_cast<uint32_t>(S.A));
  const uint64_t Count = F.word(S.Offset + static_cast<uint32_t>(S.B));
  emit(S, Map, Relation::Inner);
  const uint64_t Each = S.Type && S.Type->size ? S.Type->size : 0;
  const uint64_t AtOnce = Each && Each < 256 ? 4096 / Each : 16;
  uint64_t From = 0; // index of the buffer's first element
  for (uintptr_t Node = Begin; Node < End; Node += 8, From += AtOnce) {
    uint64_t Buffer;
    if (!M.word(Node, Buffer) || From > MostElements)
      return;
    uint64_t Low = Start > From ? Start - From : 0;
    uint64_t High = Start + Count > From ? Start + Count - From : 0;
    Low = Low < AtOnce ? Low : AtOnce;
    High = High < AtOnce ? High : AtOnce;
    if (High < Low)
      High = Low;
    tellBuffer(S, Buffer, Buffer + Low * Each, Buffer + High * Each,
               From + Low > Start ? From + Low - Start : 0);
  }
  tellContainer({&S, Count, (End - Begin) / 8 * AtOnce, Each ? Each : 1, 0, Map,
                 End - Map});
}

void Walk::chain(const Step &S, const Frame &F, uint32_t NextAt,
                 uint64_t Buckets) {
  uintptr_t Node = F.word(S.Offset);
  const uintptr_t End = S.B < 0 ? 0 : F.Address + static_cast<uint32_t>(S.B);
  uint64_t I = 0;
  // Another thread may change the list: a loop that misses the end stops after
  // the maximum number of steps.
  for (; Node && Node != End && I < MostElements; ++I) {
    uint64_t Next;
    if (!M.word(Node + NextAt, Next))
      break;
    tellElement(S, Node, I);
    Node = Next;
  }
  if (!Buckets)
    return tellNodes(S, I);
  // A table with one bucket stores it inside; the buckets' address precedes
  // their number.
  const uintptr_t Array = F.word(static_cast<uint32_t>(S.A) - 8);
  tellContainer({&S, I, I, 0, Buckets, Array, Buckets > 1 ? Buckets * 8 : 0});
}

uintptr_t Walk::nextInTree(uintptr_t Node, unsigned Left, unsigned Right,
                           unsigned Parent, uintptr_t End) {
  uint64_t Next;
  if (!M.word(Node + Right, Next))
    return End;
  // No red-black tree is deeper than that.
  constexpr unsigned kDeepest = 128;
  if (Next) {
    for (unsigned I = 0; I < kDeepest; ++I) {
      uint64_t Further;
      if (!M.word(Next + Left, Further))
        return End;
      if (!Further)
        return Next;
      Next = Further;
    }
    return End;
  }
  for (unsigned I = 0; I < kDeepest; ++I) {
    uint64_t Up, Side;
    if (!M.word(Node + Parent, Up) || !Up || Up == End)
      return End;
    if (!M.word(Up + Right, Side))
      return End;
    if (Side != Node)
      return Up;
    Node = Up;
  }
  return End;
}

void Walk::tree(const Step &S, uintptr_t First, uintptr_t End, unsigned Left,
                unsigned Right, unsigned Parent) {
  uintptr_t Node = First;
  uint64_t I = 0;
  for (; Node && Node != End && I < MostElements; ++I) {
    tellElement(S, Node, I);
    Node = nextInTree(Node, Left, Right, Parent, End);
  }
  tellNodes(S, I);
}

void Walk::string(const Step &S, const Frame &F) {
  const uintptr_t Text = F.word(S.Offset);
  const uintptr_t Inline = F.Address + S.Offset + static_cast<uint32_t>(S.B);
  if (Text == Inline)
    return;
  const uint64_t Room = F.word(S.Offset + static_cast<uint32_t>(S.B));
  tellContainer({&S, F.word(S.Offset + static_cast<uint32_t>(S.A)), Room, 1, 0,
                 Text, Room});
  emit(S, Text, Relation::Element, S.Type);
}

void Walk::libcxxString(const Step &S, const Frame &F) {
  // Lowest bit set: the text is elsewhere.
  const uint64_t Room = F.word(S.Offset);
  if (!(Room & 1))
    return;
  const uintptr_t Text = F.word(S.Offset + 16);
  tellContainer({&S, F.word(S.Offset + 8), Room & ~uint64_t{1}, 1, 0, Text,
                 Room & ~uint64_t{1}});
  emit(S, Text, Relation::Element, S.Type);
}

void Walk::shared(const Step &S, const Frame &F) {
  const uintptr_t Control = F.word(S.Offset + 8);
  if (S.Kind == Op::Weak) {
    emit(S, Control, Relation::Weak);
    return;
  }
  emit(S, F.word(S.Offset), Relation::Owned, S.Type);
  emit(S, Control, Relation::Control);
}

} // namespace inmem::rt

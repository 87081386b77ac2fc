//===- ObjectTree.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/ObjectTree.h"

#include "graph/Types.h"

namespace inmem::rt {

namespace {

bool isObject(const inmem_type *T) {
  return T && T->size && !(T->flags & INMEM_TYPE_RAW);
}

/// Text assembled in a buffer; text that does not fit is cut.
class Label {
public:
  void add(const char *Text) {
    while (*Text && Length + 1 < sizeof Value)
      Value[Length++] = *Text++;
  }
  /// Appends the indices of element \p N, counted consecutively, of nested
  /// arrays with the inner extents \p Inner.
  void addIndices(uint64_t N, const char *Inner) {
    uint64_t Each = 1;
    for (const char *At = Inner; At && *At == '[';)
      Each *= extentAt(At);
    addIndex(Each ? N / Each : N);
    for (const char *At = Inner; At && *At == '[' && Each;) {
      N %= Each;
      Each /= extentAt(At);
      addIndex(Each ? N / Each : 0);
    }
  }
  void addIndex(uint64_t N) {
    char Digits[24];
    unsigned I = sizeof Digits;
    do
      Digits[--I] = static_cast<char>('0' + N % 10);
    while ((N /= 10) != 0);
    add("[");
    while (I < sizeof Digits && Length + 1 < sizeof Value)
      Value[Length++] = Digits[I++];
    add("]");
  }
  const char *text() const { return Value; }
  size_t length() const { return Length; }

private:
  /// Parses 2 from "[2][3]" and advances \p At to "[3]".
  static uint64_t extentAt(const char *&At) {
    uint64_t N = 0;
    for (++At; *At >= '0' && *At <= '9'; ++At)
      N = N * 10 + static_cast<uint64_t>(*At - '0');
    At += *At == ']';
    return N;
  }
  char Value[512];
  size_t Length = 0;
};

} // namespace

const char *Profiler::labelOf(const Edge &E) {
  Label L;
  bool Arrow = Details[Current].Arrow;
  auto Add = [&](const char *Text) {
    if (Text[0] == '.' && Arrow && L.length() == 0) {
      L.add("->");
      ++Text;
    }
    L.add(Text);
  };
  for (unsigned I = 0; I < W.pieceCount(); ++I) {
    const Walk::Piece &P = W.pieces()[I];
    Add(P.Label);
    if (P.HasIndex)
      L.addIndices(P.Index, P.Inner);
  }
  Add(E.Via->Label);
  if (E.IsElement)
    L.addIndex(E.Index);
  if (E.How == Relation::Inner)
    L.add(E.Via->Kind == Op::Buckets ? "(buckets)" : "(map)");
  if (E.How == Relation::Control || E.How == Relation::Weak)
    L.add("(control)");
  if (L.length() == 0)
    return "*";
  return Result.Labels.copy(L.text(), L.length());
}

uint32_t Profiler::add(const Edge &E, uintptr_t Address, uint64_t Bytes,
                       const inmem_type *Type, uint32_t Flags) {
  constexpr uint32_t kNone = 0;
  if (Result.Nodes.size() >= MostObjects) {
    Result.Truncated = true;
    return kNone;
  }
  const auto Node = static_cast<uint32_t>(Result.Nodes.size());
  inmem_graph_node *N = Result.Nodes.extend(1);
  Detail *D = N ? Details.extend(1) : nullptr;
  if (!D) {
    if (N)
      Result.Nodes.shrinkTo(Node);
    Result.Truncated = true;
    return kNone;
  }
  *N = {};
  *D = {};
  N->type = Type ? nameOf(*Type) : nullptr;
  N->field = labelOf(E);
  N->address = Address;
  N->shell = Bytes;
  N->elements = 1;
  N->age_ns = -1;
  N->parent = Current;
  N->refcount = 1;
  N->depth = Result.Nodes[Current].depth + 1;
  N->flags = Flags | (Type ? 0 : INMEM_GRAPH_UNTYPED);
  if (E.How == Relation::Guess)
    N->flags |= INMEM_GRAPH_GUESSED;
  D->P = planOf(Type);
  D->First = Address;
  D->Count = 1;
  D->Arrow = true;
  return Node;
}

void Profiler::refer(const Edge &E, uint32_t Node) {
  inmem_graph_node &N = Result.Nodes[Node];
  if (E.How == Relation::Weak || E.How == Relation::Inner)
    return;
  // shared_ptr's two words are one reference if both point to one block.
  if (E.How == Relation::Control && LastOwned == Node)
    return;
  if (N.flags & INMEM_GRAPH_WEAK) {
    N.flags &= ~uint32_t{INMEM_GRAPH_WEAK};
    N.refcount = 1;
    if (Details[Node].Expanded)
      Again.add(Node);
    return;
  }
  ++N.refcount;
}

void Profiler::describeElements(const Edge &E, const LiveBlock &B,
                                uint32_t Node, const SiteFacts &Facts) {
  inmem_graph_node &N = Result.Nodes[Node];
  Detail &D = Details[Node];
  const uint64_t Each = D.P ? D.P->Size : 0;
  D.First = B.Begin + Facts.Cookie;
  const bool Buffer = E.How == Relation::Element && !E.IsElement;
  if (Buffer || (E.How == Relation::Element && E.IsElement))
    N.flags |= INMEM_GRAPH_ELEMENT;
  // The container decides the type of a buffer allocated by uninstrumented
  // code.
  if (!Each || (!Facts.Type && !Buffer))
    return;
  const bool Single =
      Facts.Single || (Facts.Source && Facts.Source->flags & INMEM_SITE_EXTRA);
  const uint64_t Fits = (B.Size - Facts.Cookie) / Each;
  N.elements = D.Count = Single || Fits == 0 ? 1 : Fits;
  D.Indexed = D.Count > 1 || Buffer;
  if (D.Indexed && E.How == Relation::Owned && E.Via->TypeName)
    D.Inner = innerExtents(E.Via->TypeName);
  if (E.LiveBegin >= B.Begin && E.LiveEnd <= B.end() && E.LiveBegin) {
    D.First = E.LiveBegin;
    D.Count = (E.LiveEnd - E.LiveBegin) / Each;
    D.Index = E.Index;
  }
  // In ".m[2].second", the element is followed by ".", not by "->".
  D.Arrow = !D.Indexed && E.How != Relation::Element;
}

void Profiler::followBlock(const Edge &E, const LiveBlock &B) {
  const SiteFacts &Facts = knownTypes().site(B.Site);
  const inmem_type *Type = Facts.Type;
  // A typed pointer gives untyped bytes a type: the whole block, or one object
  // in an arena.
  const bool Better = !isObject(Type) && isObject(E.Type) &&
                      E.Type->size <= static_cast<uint64_t>(B.end() - E.Target);
  uintptr_t Key = B.Begin;
  uint64_t Bytes = B.Size;
  // A string that grew inside the library, where its type is unknown.
  if (!Type && E.How == Relation::Element && E.Type)
    Type = E.Type;
  if (Better && E.How == Relation::Owned) {
    Type = E.Type;
    if (E.Target != B.Begin) {
      Key = E.Target;
      Bytes = Type->size;
    }
  }
  uint64_t *Slot = Known.findOrMake(Key);
  if (!Slot) {
    Result.Truncated = true;
    return;
  }
  if (*Slot) {
    const auto Node = static_cast<uint32_t>(*Slot - 1);
    if (Node != Current || E.How != Relation::Guess)
      refer(E, Node);
    if (E.How == Relation::Owned)
      LastOwned = Node;
    return;
  }
  // Only the rest of the root's block, outside the root.
  if (RootBlock.Size && Key == RootBlock.Begin)
    Bytes -= RootEnd - RootBegin < Bytes ? RootEnd - RootBegin : Bytes;
  const uint32_t Node = add(E, Key, Bytes, Type, INMEM_GRAPH_HEAP);
  if (!Node)
    return;
  *Known.findOrMake(Key) = Node + 1;
  inmem_graph_node &N = Result.Nodes[Node];
  N.age_ns = ageOf(B.Birth);
  if (Key == B.Begin)
    describeElements(E, B, Node, Facts);
  const Plan *P = Details[Node].P;
  if (E.How == Relation::Control || E.How == Relation::Weak ||
      (P && P->Control))
    N.flags |= INMEM_GRAPH_CONTROL;
  if (E.How == Relation::Weak) {
    N.flags |= INMEM_GRAPH_WEAK;
    N.refcount = 0;
  }
  if (E.How == Relation::Inner) {
    N.flags |= INMEM_GRAPH_STRUCTURE;
    Details[Node].Expanded = true;
  }
  if (E.How == Relation::Owned)
    LastOwned = Node;
}

void Profiler::addView(const Edge &E) {
  if (uint32_t Node = add(E, E.Target, 0, E.Type, INMEM_GRAPH_NOT_OWNED)) {
    Details[Node].Expanded = true;
    Result.Nodes[Node].refcount = 0;
  }
}

/// Follows pointers to globals, to objects on stacks and in memory that the
/// program has mapped.
void Profiler::followElsewhere(const Edge &E) {
  if (E.How != Relation::Owned || !E.Type || !E.Type->size)
    return;
  const Mapping *In = M.mappings().find(E.Target);
  if (!In || !In->Readable || In->IsHeap)
    return;
  // Memory between an allocator's blocks is freed memory.
  if (!In->IsFile && !In->IsStack && previousBlock(M, E.Target, In->Start) != 0)
    return;
  uintptr_t Address = E.Target;
  const inmem_type *Type = E.Type;
  completeObject(M, Address, Type);
  uint64_t *Slot = Known.findOrMake(Address);
  if (!Slot)
    return;
  if (*Slot)
    return refer(E, static_cast<uint32_t>(*Slot - 1));
  // Constants belong to the program, not to the object.
  const uint32_t Node = add(E, Address, In->Writable ? Type->size : 0, Type,
                            In->Writable ? 0 : INMEM_GRAPH_NOT_OWNED);
  if (Node)
    *Known.findOrMake(Address) = Node + 1;
}

void Profiler::follow(const Edge &E) {
  if (E.How == Relation::Inner && E.Via->Hidden)
    return;
  if (E.Target - RootBegin < RootEnd - RootBegin)
    return; // points into the root itself
  if (E.How == Relation::View)
    return addView(E);
  LiveBlock B;
  const bool Found = findBlock(M, E.Target, B);
  if (!Found)
    return followElsewhere(E);
  // An integer is an address only if a block begins there.
  if (E.How == Relation::Guess && E.Via->Kind == Op::Guess && !E.Via->A &&
      B.Begin != E.Target)
    return;
  const inmem_graph_node &Self = Result.Nodes[Current];
  if (B.Begin == Self.address && Self.flags & INMEM_GRAPH_HEAP)
    return; // points to its own block
  followBlock(E, B);
}

void Profiler::noteLive(const inmem_type *Type, uint64_t Count) {
  if (size_t Noted = Result.Live.size()) {
    LiveObjects &Last = Result.Live[Noted - 1];
    if (Last.Node == Current && Last.Type == Type) {
      Last.Count += Count;
      return;
    }
  }
  if (!Result.Live.add({Type, Count, Current}))
    Result.Truncated = true;
}

void Profiler::expand(uint32_t Node) {
  Current = Node;
  const Detail D = Details[Node];
  Details[Node].Expanded = true;
  if (D.Expanded || Result.Nodes[Node].flags & INMEM_GRAPH_WEAK)
    return;
  if (!D.P)
    return;
  const inmem_graph_node &N = Result.Nodes[Node];
  const uint64_t Room =
      N.address + N.shell > D.First ? N.address + N.shell - D.First : D.P->Size;
  W.objects(*D.P, D.First, D.Count, Room, D.Indexed, D.Index, D.Inner);
}

/// Completes the root's type if a base was passed: in a block, uses the
/// allocated type; otherwise the type that the vtable names.
void Profiler::completeRoot(const inmem_type *&Type) {
  uint64_t TypeInfo;
  uintptr_t Top = RootBegin;
  LiveBlock B;
  if (findTop(M, Type, Top, TypeInfo) && findBlock(M, Top, B)) {
    const SiteFacts &Facts = knownTypes().site(B.Site);
    const inmem_type *Made = Facts.Type;
    const uintptr_t First = B.Begin + Facts.Cookie;
    if (isObject(Made) && Made->flags & INMEM_TYPE_POLYMORPHIC &&
        Top >= First && (Top - First) % Made->size == 0 &&
        B.end() - Top >= Made->size) {
      RootBegin = Top;
      Type = Made;
      return;
    }
  }
  completeObject(M, RootBegin, Type);
}

void Profiler::run(const void *Object, uint64_t Size, const inmem_type *Type) {
  RootBegin = reinterpret_cast<uintptr_t>(Object);
  if (!Result.Nodes.extend(1) || !Details.extend(1))
    return;
  completeRoot(Type);
  const bool Part = RootBegin != reinterpret_cast<uintptr_t>(Object);
  if (Part ||
      (Type && Type->flags & INMEM_TYPE_POLYMORPHIC && Type->size > Size))
    Size = Type->size;
  RootEnd = RootBegin + Size;
  inmem_graph_node &Root = Result.Nodes[0];
  Root.type = Type ? nameOf(*Type) : nullptr;
  Root.field = "root";
  Root.address = RootBegin;
  Root.shell = Size;
  Root.elements = 1;
  Root.age_ns = -1;
  Root.refcount = 1;
  Root.flags = Type ? 0 : INMEM_GRAPH_UNTYPED;
  Detail &D = Details[0];
  D.P = planOf(Type);
  D.First = RootBegin;
  D.Count = D.P && D.P->Size ? Size / D.P->Size : 1;
  Root.elements = D.Count ? D.Count : 1;
  D.Indexed = D.Count > 1;
  if (findBlock(M, RootBegin, RootBlock)) {
    Root.age_ns = ageOf(RootBlock.Birth);
    if (RootBlock.Begin == RootBegin && RootBlock.Size <= Size)
      Root.flags |= INMEM_GRAPH_HEAP;
  }
  for (uint32_t Node = 0; Node < Result.Nodes.size(); ++Node)
    expand(Node);
  // Expanding these may add further nodes.
  for (size_t I = 0, Next = Result.Nodes.size(); I < Again.size(); ++I) {
    Details[Again[I]].Expanded = false;
    expand(Again[I]);
    for (; Next < Result.Nodes.size(); ++Next)
      expand(static_cast<uint32_t>(Next));
  }
  addUp();
  orderChildren();
}

void Profiler::addUp() {
  Pages<inmem_graph_node> &Nodes = Result.Nodes;
  for (inmem_graph_node &N : Nodes)
    N.size = N.shell;
  // Children are stored after their parents.
  for (size_t I = Nodes.size(); I-- > 1;)
    Nodes[Nodes[I].parent].size += Nodes[I].size;
}

/// Radix-sorts all nodes by size, 16 bits at a time, and appends each to its
/// parent's children.
void Profiler::orderChildren() {
  Pages<inmem_graph_node> &Nodes = Result.Nodes;
  const size_t Count = Nodes.size();
  Pages<uint32_t> Order, Other, Counts;
  constexpr size_t kDigit = 1 << 16;
  if (!Order.extend(Count) || !Other.extend(Count) ||
      !Counts.extend(kDigit + 1) || !Result.Children.extend(Count))
    return;
  for (size_t I = 0; I < Count; ++I)
    Order[I] = static_cast<uint32_t>(I);
  for (unsigned Shift = 0; Shift < 64 && Nodes[0].size >> Shift; Shift += 16) {
    memset(Counts.data(), 0, (kDigit + 1) * sizeof(uint32_t));
    auto Digit = [&](uint32_t Node) {
      return kDigit - 1 - (Nodes[Node].size >> Shift & (kDigit - 1));
    };
    for (uint32_t Node : Order)
      ++Counts[Digit(Node) + 1];
    for (size_t I = 0; I < kDigit; ++I)
      Counts[I + 1] += Counts[I];
    for (uint32_t Node : Order)
      Other[Counts[Digit(Node)]++] = Node;
    Order.swap(Other);
  }
  for (size_t I = 1; I < Count; ++I)
    ++Nodes[Nodes[I].parent].child_count;
  uint32_t First = 0;
  for (inmem_graph_node &N : Nodes) {
    N.first_child = First;
    First += N.child_count;
    N.child_count = 0;
  }
  for (uint32_t Node : Order)
    if (Node) {
      inmem_graph_node &Parent = Nodes[Nodes[Node].parent];
      Result.Children[Parent.first_child + Parent.child_count++] = Node;
    }
}

} // namespace inmem::rt

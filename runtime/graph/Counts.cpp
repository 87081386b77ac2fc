//===- Counts.cpp - Number of objects of a type in a graph ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Counts.h"

#include "graph/PlanBuilder.h"

namespace inmem::rt {

namespace {

/// Counts objects of one type within objects of other types, according to their
/// records.
class Counter {
public:
  explicit Counter(const char *Wanted) : Wanted(Wanted) {}

  /// The number in one object of \p T, including itself and its bases.
  uint64_t in(const inmem_type &T) {
    uint64_t *Slot = Known.findOrMake(reinterpret_cast<uint64_t>(&T));
    // One more than the count: 0 means not computed yet.
    if (Slot && *Slot)
      return *Slot - 1;
    const uint64_t Count = of(T, /*Whole=*/true, /*Itself=*/true);
    if ((Slot = Known.findOrMake(reinterpret_cast<uint64_t>(&T))))
      *Slot = Count + 1;
    return Count;
  }
  /// Excluding itself and its bases.
  uint64_t below(const inmem_type &T) {
    return of(T, /*Whole=*/true, /*Itself=*/false);
  }

private:
  bool is(const char *Name) const { return strcmp(Name, Wanted) == 0; }

  uint64_t of(const inmem_type &T, bool Whole, bool Itself) {
    uint64_t Count = Itself && is(nameOf(T));
    const inmem_field *Fields = fieldsOf(T);
    if (!Fields || holdsAlternatives(T) || Depth > kMostDepth)
      return Count;
    ++Depth;
    if (!(T.flags & INMEM_TYPE_UNION)) {
      for (uint32_t I = 0; I < T.field_count; ++I)
        Count += ofField(Fields[I], Whole, Itself);
    } else if (const inmem_field *Live = liveMember(T)) {
      Count += ofField(*Live, Whole, Itself);
    }
    --Depth;
    return Count;
  }

  uint64_t ofField(const inmem_field &F, bool Whole, bool Itself) {
    // The type of a smart pointer's field is its pointee's.
    if (F.kind == INMEM_FIELD_SMART)
      return is(typeNameOf(F));
    const inmem_type *T = knownTypes().byId(F.type_id);
    if (!T || !(T->flags & INMEM_TYPE_CLASS))
      return 0;
    switch (F.kind) {
    case INMEM_FIELD_VALUE:
      return of(*T, /*Whole=*/true, /*Itself=*/true);
    case INMEM_FIELD_BASE:
      return of(*T, /*Whole=*/false, Itself);
    case INMEM_FIELD_VIRTUAL_BASE:
      return Whole ? of(*T, /*Whole=*/false, Itself) : 0;
    case INMEM_FIELD_ARRAY:
      return T->size && !isPointerArray(typeNameOf(F))
                 ? F.size / T->size * in(*T)
                 : 0;
    default:
      return 0;
    }
  }

  /// Deeper than any class nests.
  static constexpr unsigned kMostDepth = 300;
  const char *const Wanted;
  NumberMap Known;
  unsigned Depth = 0;
};

} // namespace

void countObjects(const inmem_graph &G, const char *Type, uint64_t *Counts) {
  Counter C(Type);
  const inmem_graph_node &Root = G.Nodes[0];
  bool RootIsDue = Root.elements == 1;
  for (size_t I = 0; I < G.Live.size(); ++I) {
    const LiveObjects &L = G.Live[I];
    // The root itself is not counted, only the objects within it.
    const bool IsRoot =
        RootIsDue && L.Node == 0 && Root.type == nameOf(*L.Type);
    RootIsDue = RootIsDue && !IsRoot;
    Counts[L.Node] += IsRoot ? C.below(*L.Type) : L.Count * C.in(*L.Type);
  }
}

} // namespace inmem::rt

//===- HeapWriter.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/HeapWriter.h"

#include "heap/HeapSort.h"
#include "hot/Mapped.h"
#include "platform/Clocks.h"
#include "platform/Process.h"
#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "state/Runtime.h"
#include "trace/format/Checksum.h"

namespace inmem::rt {

using heap::EdgeKind;

namespace {

/// Flags for the reasons why not every block of the program is known, and for
/// known mappings.
uint64_t headerFlags() {
  const Options &O = Process.Config;
  const bool Sampled = O.Every > 1 || O.SampleBytes != 0;
  const bool Filtered =
      O.MinSize || O.MaxSize || O.Include.Value[0] || O.Exclude.Value[0];
  return (Sampled ? heap::kFlagSampled : 0) |
         (Filtered ? heap::kFlagFiltered : 0) |
         (Process.WasStopped ? heap::kFlagStopped : 0) |
         (Process.Attached ? heap::kFlagAttached : 0) |
         (RecordsMappings == MapRecording::On ? heap::kFlagMapped : 0);
}
} // namespace

bool HeapWriter::write(uint64_t PauseNs) {
  if (!M.readDirectly() || !collect())
    return false;
  memcpy(H.Magic, heap::kMagic, sizeof H.Magic);
  H.Version = heap::kVersion;
  H.HeaderBytes = sizeof H;
  H.Pid = parentProcessId();
  H.UnixNs = realtimeNs();
  H.PauseNs = PauseNs;
  H.Flags = headerFlags() | (HasGraph ? 0 : heap::kFlagNoGraph);
  labelOf("", 0);
  if (HasGraph)
    writeGraph();
  else
    writePlainObjects();
  noteMappedSites();
  writeSites();
  writeCallers();
  writeInlined();
  writeTypes();
  writeResidency();
  writeLabels();
  H.FileBytes = Out.offset();
  return Out.flush() && writeAt(Fd, &H, sizeof H, 0) == sizeof H;
}

void HeapWriter::writeGraph() {
  writeRoots(); // also finds owners of buffers
  findBuffers();
  writeObjects();
  writeNamedRoots();
  writeVariables();
  writeContainers();
  writeAdopted();
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

bool HeapWriter::collect() {
  struct Context {
    HeapWriter &Self;
    uintptr_t Next; ///< where the next chunk's block would begin
    bool Good;
  } C = {*this, 0, true};
  forEachLiveBlock(
      [](void *Data, uintptr_t Granule, const Block &B, bool Exact) {
        auto &In = *static_cast<Context *>(Data);
        if (!In.Good || B.site() == 0)
          return;
        const uintptr_t Begin =
            Exact ? Granule : beginOf(In.Self.M, Granule, B.Size, In.Next);
        uint64_t Head = In.Self.M.wordOr0(Begin - 8) & ~uint64_t{7};
        In.Next = Begin + Head;
        In.Good = In.Self.Objects.add(
            {Begin, B.Size, B.birth(), calledSite(B.site()), 0});
      },
      &C);
  if (!C.Good || Objects.size() >= kNone)
    return false;
  // Blocks are in address order, except the side table's.
  sortInPlace(
      Objects.data(), Objects.size(),
      [](const Object &A, const Object &B) { return A.Begin < B.Begin; });
  findHeaps();
  const size_t Count = Objects.size();
  if (HasGraph && !ToldBy.extend(Count + 1))
    return false;
  Table.build({Objects.data(), sizeof(Object), Count});
  if (Count) {
    W.Lowest = Objects[0].Begin;
    W.Extent = Objects[Count - 1].Begin + Objects[Count - 1].Size - W.Lowest;
  } else {
    W.Extent = 0;
  }
  for (Object &O : Objects)
    H.Bytes += O.Size;
  return true;
}

uint32_t HeapWriter::find(uintptr_t Address) const {
  if (!mayBeInBlock(Address))
    return kNone;
  const size_t Number = Table.countUpTo(Address);
  if (Number == 0 ||
      Address - Objects[Number - 1].Begin >= Objects[Number - 1].Size)
    return kNone;
  return static_cast<uint32_t>(Number - 1);
}

void HeapWriter::addEdge(uint32_t To, uint32_t Label, EdgeKind Kind) {
  if (Holder)
    return addNamedRoot(*Holder, To, Label);
  if (To == kNone || To == Current || ToldBy[To] == Current + 1)
    return;
  ToldBy[To] = Current + 1;
  Edges.add({To, Label << 3 | static_cast<uint32_t>(Kind)});
}

void HeapWriter::noteEdge(const Edge &E) {
  const uint32_t To = find(E.Target);
  if (To == kNone)
    return;
  // An integer is an address if a block begins there.
  if (E.How == Relation::Guess && E.Via->Kind == Op::Guess && !E.Via->A &&
      Objects[To].Begin != E.Target)
    return;
  EdgeKind Kind = EdgeKind::Pointer;
  switch (E.How) {
  case Relation::Weak:
    Kind = EdgeKind::Weak;
    break;
  case Relation::Guess:
    Kind = EdgeKind::Guess;
    break;
  case Relation::Inner:
    Kind = EdgeKind::Inner;
    break;
  case Relation::Element:
    Kind = EdgeKind::Element;
    break;
  case Relation::View:
    return; // found by the conservative scan
  default:
    break;
  }
  const SiteFacts &Facts = factsOf(Objects[To]);
  if (!Facts.Type && E.Type && E.Type->size &&
      E.Type->size <= Objects[To].Size &&
      (Holder ? !ToldBy[To] : ToldBy[To] != Current + 1))
    Adoptions.add({To, typeOf(E.Type)});
  addEdge(To, wayOf(*E.Via, E.IsElement), Kind);
  if (PendingVia == E.Via && Holder) {
    HeldContainers.add(Pending);
    PendingVia = nullptr;
  }
  LastVia = E.Via;
}

/// Follows all other words: memory that the plan does not cover may hold
/// pointers too.
void HeapWriter::guess(uint32_t I) {
  const Object &O = Objects[I];
  const uintptr_t First = (O.Begin + 7) & ~uintptr_t{7};
  const uintptr_t End = O.Begin + O.Size;
  for (uintptr_t At = First; At + 8 <= End;) {
    const Mapping *In = M.mappings().find(At);
    if (!In || !In->Readable)
      return;
    const uintptr_t Last = (In->End < End ? In->End : End) - 8;
    for (; At <= Last; At += 8) {
      uint64_t Word;
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      memcpy(&Word, reinterpret_cast<const void *>(At), sizeof Word);
      if (mayBeInBlock(Word))
        addEdge(find(Word), 0, EdgeKind::Guess);
    }
  }
}

uint64_t HeapWriter::hashOf(const Object &O, const inmem_type *Type) {
  constexpr uint64_t kLeast = 8, kMost = 64 << 20;
  if (O.Size < kLeast || O.Size > kMost || !Content.reserve(O.Size) ||
      !M.read(Content.data(), O.Begin, O.Size))
    return 0;
  uint64_t Length = O.Size;
  if (!Type || Type->size == 1)
    // Memory after a string's end is not part of it.
    if (auto *End =
            static_cast<const char *>(memchr(Content.data(), 0, Length))) {
      auto Text = static_cast<uint64_t>(End - Content.data());
      bool Plain = Text >= 1;
      for (uint64_t I = 0; I < Text; ++I)
        Plain &= static_cast<unsigned char>(Content[I]) >= ' ' ||
                 Content[I] == '\n' || Content[I] == '\t' || Content[I] == '\r';
      if (Plain)
        Length = Text;
    }
  const uint64_t Hash = XXH64(Content.data(), Length, Length);
  return Hash ? Hash : 1;
}

/// Counts by type. The space after a buffer's last element has no objects. If
/// the owner is unknown, any element may be such space, so no element is
/// judged.
void HeapWriter::walk(uint32_t I, const SiteFacts &Facts) {
  const Object &O = Objects[I];
  const Plan *P = planOf(Facts.Type);
  if (!P || !P->Count || !P->Size || Facts.Cookie >= O.Size)
    return;
  const bool Single =
      Facts.Single || (Facts.Source && Facts.Source->flags & INMEM_SITE_EXTRA);
  const uint64_t Fits = (O.Size - Facts.Cookie) / P->Size;
  const bool Indexed = !Single && Fits > 1;
  const uint32_t Kind = Facts.Source ? Facts.Source->kind : INMEM_SITE_UNKNOWN;
  if (const Live *Part = Single ? nullptr : liveOf(I);
      Part && Kind != INMEM_SITE_NEW && Kind != INMEM_SITE_NEW_ARRAY &&
      (Part->End - Part->Begin) % P->Size == 0) {
    const uint64_t Bytes = Part->End - Part->Begin;
    return W.objects(*P, Part->Begin, Bytes / P->Size, Bytes, Indexed,
                     (Part->Begin - O.Begin) / P->Size);
  }
  Judges = Kind != INMEM_SITE_ALLOCATOR || !Indexed;
  W.objects(*P, O.Begin + Facts.Cookie, Single || !Fits ? 1 : Fits,
            O.Size - Facts.Cookie, Indexed);
  Judges = true;
}

/// Writes the first numbers of a record. \p Type: the type's number plus 1.
void HeapWriter::writeFacts(uint32_t I, uint32_t Type) {
  const Object &O = Objects[I];
  Out.number((O.Begin - (I ? Objects[I - 1].Begin : 0)) >> 3);
  Out.number(O.Size);
  Out.number(O.Site);
  Out.number(Type);
  const int64_t Age = ageOf(O.Birth);
  Out.number(Age < 0 ? 0 : static_cast<uint64_t>(Age) / 1000 + 1);
}

void HeapWriter::writeObject(uint32_t I) {
  const Object &O = Objects[I];
  Current = I;
  Edges.shrinkTo(0);
  const SiteFacts Facts = factsOf(O);
  walk(I, Facts);
  guess(I);
  const bool HasContent =
      Edges.size() == 0 &&
      (!Facts.Type || !(Facts.Type->flags & INMEM_TYPE_CLASS));
  const uint64_t Hash = HasContent ? hashOf(O, Facts.Type) : 0;
  writeFacts(I, Facts.Type ? typeOf(Facts.Type) + 1 : 0);
  Out.number(Hash != 0);
  if (Hash)
    Out.bytes(&Hash, sizeof Hash);
  Out.number(Edges.size());
  for (const Target &T : Edges) {
    Out.signedNumber(static_cast<int64_t>(T.Object) - I);
    Out.number(T.Label);
  }
  H.Edges += Edges.size();
  noteSite(O.Site);
}

/// Adds the site to the list of sites with a record in the file.
void HeapWriter::noteSite(uint32_t Site) {
  if (uint64_t *Known = SiteNumbers.findOrMake(uint64_t{Site} + 1);
      Known && !*Known) {
    *Known = 1;
    SiteList.add(Site);
  }
}

void HeapWriter::noteMappedSites() {
  mappedRanges().forEach([&](const MappedRange &R) {
    if (R.Id && R.Id != kAllocatorsRange)
      noteSite(R.Id);
  });
}

void HeapWriter::writeObjects() {
  H.Objects = {Out.offset(), Objects.size()};
  for (uint32_t I = 0; I < Objects.size(); ++I)
    writeObject(I);
  Current = kNone;
}

/// Writes objects without contents and edges. Neighbouring blocks often share a
/// site.
void HeapWriter::writePlainObjects() {
  H.Objects = {Out.offset(), Objects.size()};
  uint32_t Site = 0, Type = 0;
  for (uint32_t I = 0; I < Objects.size(); ++I) {
    if (I == 0 || Objects[I].Site != Site) {
      Site = Objects[I].Site;
      const inmem_type *Of = factsOf(Objects[I]).Type;
      Type = Of ? typeOf(Of) + 1 : 0;
      noteSite(Site);
    }
    writeFacts(I, Type);
    Out.number(0); // no hash
    Out.number(0); // no edges
  }
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

uint32_t HeapWriter::labelOf(const char *Text, size_t Length) {
  const uint64_t Hash = XXH64(Text, Length, 1) | 1;
  uint64_t *Number = Labels.findOrMake(Hash);
  if (!Number)
    return 0;
  if (!*Number) {
    char *To = LabelText.extend(Length);
    if (To && Length)
      memcpy(To, Text, Length);
    LabelEnds.add(LabelText.size());
    *Number = LabelEnds.size();
  }
  return static_cast<uint32_t>(*Number - 1);
}

/// The path without element numbers: "cache.entries[].second".
uint32_t HeapWriter::wayOf(const Step &Via, bool IsElement) {
  char Text[512];
  size_t Length = 0;
  auto Add = [&](const char *Part) {
    while (*Part && Length < sizeof Text)
      Text[Length++] = *Part++;
  };
  for (unsigned I = 0; I < W.pieceCount(); ++I) {
    Add(W.pieces()[I].Label);
    if (W.pieces()[I].HasIndex)
      Add("[]");
    for (const char *At = W.pieces()[I].Inner; At; At = strchr(At + 1, '['))
      Add("[]");
  }
  Add(Via.Label);
  if (IsElement)
    Add("[]");
  const bool Dot = Length && Text[0] == '.';
  return labelOf(Text + Dot, Length - Dot);
}

uint32_t HeapWriter::typeOf(const inmem_type *Type) {
  uint64_t *Number = TypeNumbers.findOrMake(reinterpret_cast<uint64_t>(Type));
  if (!Number)
    return 0;
  if (!*Number) {
    TypeList.add(Type);
    *Number = TypeList.size();
  }
  return static_cast<uint32_t>(*Number - 1);
}

/// True if a block holds the elements that a container claims to have. If not,
/// the container was destroyed, or never existed.
bool HeapWriter::hasRoom(const ContainerFacts &F) const {
  if (F.BufferBytes == 0)
    return true;
  const uint32_t In = find(F.Buffer);
  return In != kNone && F.Elements <= (F.Buckets ? F.Elements : F.Capacity) &&
         F.BufferBytes <= Objects[In].Begin + Objects[In].Size - F.Buffer;
}

void HeapWriter::noteContainer(const ContainerFacts &F) {
  constexpr uint64_t kLeast = 64;
  if (!Judges || !hasRoom(F))
    return;
  if (F.Capacity * F.ElementBytes < kLeast &&
      F.Elements + F.Buckets < kLeast / 8)
    return;
  const Container Found = {
      Current,    wayOf(*F.Via, false), labelOf(F.Via->TypeName),
      F.Elements, F.Capacity,           F.ElementBytes,
      F.Buckets};
  if (Holder)
    noteHeldContainer(Found, F.Via);
  else
    Containers.add(Found);
}

void HeapWriter::writeContainers() {
  auto Write = [this](uint64_t Owner, const Container &C) {
    const uint64_t Numbers[] = {Owner,      C.Label,    C.Name,
                                C.Elements, C.Capacity, C.ElementBytes,
                                C.Buckets};
    for (uint64_t N : Numbers)
      Out.number(N);
  };
  H.Containers = {Out.offset(), Containers.size()};
  for (const Container &C : Containers)
    Write(C.Object + uint64_t{1}, C);
  H.Held = {Out.offset(), HeldContainers.size()};
  for (const Container &C : HeldContainers)
    Write(C.Object, C);
}

void HeapWriter::writeAdopted() {
  H.Adopted = {Out.offset(), Adoptions.size()};
  for (const Adopted &A : Adoptions) {
    Out.number(A.Object);
    Out.number(A.Type);
  }
}

void HeapWriter::writeTypes() {
  H.Types.At = Out.offset();
  // Embedded classes are added to the list while it is written.
  for (size_t I = 0; I < TypeList.size(); ++I) {
    const inmem_type &T = *TypeList[I];
    const inmem_field *Fields = fieldsOf(T);
    Out.number(labelOf(nameOf(T)));
    Out.number(T.size);
    Out.number(T.align);
    Out.number(T.flags);
    const uint32_t Count = Fields ? T.field_count : 0;
    Out.number(Count);
    for (uint32_t F = 0; F < Count; ++F) {
      Out.number(labelOf(nameOf(Fields[F])));
      Out.number(labelOf(typeNameOf(Fields[F])));
      Out.number(Fields[F].offset);
      Out.number(Fields[F].size);
      Out.number(Fields[F].kind);
      Out.number(Fields[F].bit);
    }
  }
  H.Types.Count = TypeList.size();
}

void HeapWriter::writeLabels() {
  H.Labels = {Out.offset(), LabelEnds.size()};
  uint64_t Begin = 0;
  for (uint64_t End : LabelEnds) {
    Out.number(End - Begin);
    Out.bytes(LabelText.data() + Begin, End - Begin);
    Begin = End;
  }
}

} // namespace inmem::rt

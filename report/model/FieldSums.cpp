//===- FieldSums.cpp - Reads and writes of objects by field ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/FieldSums.h"
#include "report/model/PartObjects.h"

#include "inmem/abi.h"

#include <algorithm>

namespace inmem::report {

using trace::Trace;

/// The rows of \p Type's fields at \p FirstBit of the objects. Fields of base
/// classes replace the bases.
void FieldSums::layOut(const Trace &T, const trace::Type &Type,
                       uint64_t FirstBit, const std::string &Of, Class &Into) {
  for (const trace::Field &F : T.fields(Type)) {
    const bool IsBase =
        F.Kind == INMEM_FIELD_BASE || F.Kind == INMEM_FIELD_VIRTUAL_BASE;
    const bool BitField = F.Kind == INMEM_FIELD_BITFIELD;
    FieldResult Row;
    Row.FirstBit = FirstBit + uint64_t{F.Offset} * 8 + (BitField ? F.Bit : 0);
    Row.Bits = BitField ? F.Size : uint64_t{F.Size} * 8;
    const auto Found = IsBase ? std::find_if(T.Types.begin(), T.Types.end(),
                                             [&](const trace::Type &B) {
                                               return B.Index != 0 &&
                                                      B.Id == F.TypeId &&
                                                      F.TypeId != 0;
                                             })
                              : T.Types.end();
    if (Found != T.Types.end()) {
      Into.Bases.push_back({F.TypeId, Row.FirstBit, Row.Bits});
      layOut(T, *Found, Row.FirstBit, std::string(F.TypeName), Into);
      continue;
    }
    if (Row.Bits == 0)
      continue;
    Row.Name = F.Name;
    Row.Type = F.TypeName;
    Row.Of = Of;
    Row.Kind = F.Kind;
    // Virtual calls read it.
    Row.Opaque =
        F.Kind == INMEM_FIELD_VPTR || F.Kind == INMEM_FIELD_VIRTUAL_BASE;
    Row.TypeId = F.TypeId;
    Row.Class = F.Kind != INMEM_FIELD_POINTER &&
                F.Kind != INMEM_FIELD_REFERENCE && F.TypeId != 0;
    Into.Fields.push_back(std::move(Row));
  }
}

/// Adds rows for the bytes between fields, and after the last.
void FieldSums::addPadding(Class &Of, bool Union) {
  std::stable_sort(Of.Fields.begin(), Of.Fields.end(),
                   [](const FieldResult &A, const FieldResult &B) {
                     return A.FirstBit < B.FirstBit;
                   });
  if (Union)
    return;
  std::vector<FieldResult> Rows;
  uint64_t End = 0;
  const auto Gap = [&](uint64_t Until) {
    if (Until < End + 8)
      return;
    FieldResult Row;
    Row.Padding = true;
    Row.FirstBit = (End + 7) / 8 * 8;
    Row.Bits = Until - Row.FirstBit;
    if (Row.Bits > 0)
      Rows.push_back(std::move(Row));
  };
  for (FieldResult &Row : Of.Fields) {
    Gap(Row.FirstBit / 8 * 8);
    End = std::max(End, Row.FirstBit + Row.Bits);
    Rows.push_back(std::move(Row));
  }
  Gap(Of.Bits);
  Of.Fields = std::move(Rows);
}

FieldSums::Class *FieldSums::classOf(const Trace &T, const trace::Object &O) {
  const trace::Type &Type = T.type(O.Type);
  if (Type.Index == 0 || Type.Size == 0)
    return nullptr;
  auto [It, New] = Classes.try_emplace(Type.Id);
  Class &Of = It->second;
  if (New) {
    Of.Row = Types.ofClass(T, O);
    Of.Bits = Type.Size * 8;
    layOut(T, Type, 0, {}, Of);
    addPadding(Of, (Type.Flags & INMEM_TYPE_UNION) != 0);
  }
  return &Of;
}

/// True for records that matter for their bits, not for a count.
static bool countsNothing(uint8_t Event) {
  return Event == INMEM_OBJECT_FIELD_OPAQUE ||
         Event == INMEM_OBJECT_FIELD_UNCOUNTED ||
         Event == INMEM_OBJECT_FIELD_IN_SOURCE;
}

void FieldSums::add(const TracePart &Part) {
  const Trace &T = Part.T;
  const auto Counts = PartObjects::of(Part, Options);
  if (!Counts)
    return;
  std::map<uint32_t, bool> Accesses; // by module
  for (const trace::Object &O : T.Objects)
    Accesses[O.Module] |= O.Event >= INMEM_OBJECT_FIELD_READ;
  Incomplete |= std::any_of(Accesses.begin(), Accesses.end(),
                            [](const auto &Each) { return !Each.second; });
  Incomplete |= std::any_of(T.Sources.begin(), T.Sources.end(),
                            [](const trace::Source &S) {
                              return (S.Flags & INMEM_SOURCE_ACCESSES) == 0;
                            });
  for (const trace::Object &O : T.Objects) {
    if (O.Event < INMEM_OBJECT_FIELD_READ)
      continue;
    Class *Of = classOf(T, O);
    if (!Of)
      continue;
    Credit C;
    C.First = O.Key & 0xffffffff;
    C.Bits = O.Key >> 32;
    C.Event = O.Event;
    C.Count = Counts->within(O);
    C.Where = {Names.plain(O.Function), std::string(O.File), O.Line, O.Column};
    if (C.Bits > 0 && (C.Count > 0 || countsNothing(C.Event)))
      Of->Credits.push_back(std::move(C));
  }
}

void FieldSums::credit(FieldResult &To, const Credit &From, uint64_t Times) {
  const uint64_t Count = From.Count * Times;
  switch (From.Event) {
  case INMEM_OBJECT_FIELD_READ:
  case INMEM_OBJECT_FIELD_USED:
    To.Reads += Count;
    break;
  case INMEM_OBJECT_FIELD_ONE_READ:
    To.OneOf += Count;
    break;
  case INMEM_OBJECT_FIELD_RELEASED:
    To.Reads += Count;
    To.Released += Count;
    break;
  case INMEM_OBJECT_FIELD_COPIED:
    To.Copies += Count;
    break;
  case INMEM_OBJECT_FIELD_INITIALISED:
    To.Initialised += Count;
    To.Writes += Count;
    break;
  case INMEM_OBJECT_FIELD_WRITTEN:
    To.Writes += Count;
    break;
  case INMEM_OBJECT_FIELD_LOADED:
    To.Loaded += Count;
    return;
  case INMEM_OBJECT_FIELD_OPAQUE:
    To.Opaque = true;
    return;
  case INMEM_OBJECT_FIELD_UNCOUNTED:
    To.ReadUncounted = true;
    return;
  case INMEM_OBJECT_FIELD_IN_SOURCE:
    if (To.InSource.Line == 0)
      To.InSource = From.Where;
    return;
  default: // streamed: handled elsewhere
    return;
  }
  const bool Reads = From.Event != INMEM_OBJECT_FIELD_WRITTEN &&
                     From.Event != INMEM_OBJECT_FIELD_INITIALISED;
  // Reads decide, unless there are none.
  if (std::pair(Reads, Count) > std::pair(To.HottestReads, To.HottestCount)) {
    To.HottestReads = Reads;
    To.HottestCount = Count;
    To.Hottest = From.Where;
  }
}

/// Credits the rows of \p To with accesses to objects of another class of
/// \p ClassBits, which begin \p Distance bits into the objects of \p To.
void FieldSums::spread(Class &To, const std::vector<Credit> &From,
                       int64_t Distance, uint64_t ClassBits) {
  for (const Credit &C : From)
    for (FieldResult &Row : To.Fields) {
      // A wide access may extend into the next element of an array.
      uint64_t Times = 0;
      for (uint64_t Element = 0; Element < C.First + C.Bits;
           Element += ClassBits) {
        const int64_t First =
            static_cast<int64_t>(Row.FirstBit + Element) - Distance;
        const auto Last = First + static_cast<int64_t>(Row.Bits);
        Times += First < static_cast<int64_t>(C.First + C.Bits) &&
                 Last > static_cast<int64_t>(C.First) && Last > 0;
        if (countsNothing(C.Event))
          break;
      }
      if (Times > 0)
        credit(Row, C, Times);
    }
}

/// The number of array elements that an access covers with bits of \p Row.
static uint64_t elementsIn(const FieldResult &Row, uint64_t First,
                           uint64_t Bits, uint64_t ClassBits) {
  uint64_t Found = 0;
  for (uint64_t Element = 0; Element < First + Bits; Element += ClassBits)
    Found += Element + Row.FirstBit < First + Bits &&
             Element + Row.FirstBit + Row.Bits > First;
  return Found;
}

std::vector<StreamResult> FieldSums::streamsOf(const Class &Of) {
  // Keyed by the loop's location: executed accesses to these bits.
  std::map<std::tuple<std::string, std::string, uint32_t>,
           std::map<std::pair<uint64_t, uint64_t>, Credit>>
      Loops;
  for (const Credit &C : Of.Credits)
    if (C.Event == INMEM_OBJECT_FIELD_STREAMED) {
      auto [It, New] =
          Loops[{C.Where.Function, C.Where.File, C.Where.Line}].try_emplace(
              {C.First, C.Bits}, C);
      if (!New)
        It->second.Count += C.Count;
    }
  std::vector<StreamResult> Out;
  for (const auto &[Place, Accesses] : Loops) {
    StreamResult Loop;
    Loop.Where = Accesses.begin()->second.Where;
    Loop.Accessed.resize(Of.Fields.size());
    // Several accesses may concern one element.
    for (const auto &[Bits, C] : Accesses)
      for (size_t I = 0; I < Of.Fields.size(); ++I) {
        const uint64_t Here =
            C.Count * elementsIn(Of.Fields[I], C.First, C.Bits, Of.Bits);
        Loop.Accessed[I] = std::max(Loop.Accessed[I], Here);
        Loop.Elements = std::max(Loop.Elements, Here);
      }
    Out.push_back(std::move(Loop));
  }
  std::stable_sort(Out.begin(), Out.end(),
                   [](const StreamResult &A, const StreamResult &B) {
                     return A.Elements > B.Elements;
                   });
  return Out;
}

/// Accesses to members name the enclosing class. A field that is read there
/// cannot be removed from its class, either.
void FieldSums::markReadInOthers() {
  const auto Reads = [](const Credit &C) {
    // A library's class is opaque as a whole, without a line.
    if (C.Event == INMEM_OBJECT_FIELD_OPAQUE && C.Where.Line == 0)
      return false;
    return C.Event != INMEM_OBJECT_FIELD_WRITTEN &&
           C.Event != INMEM_OBJECT_FIELD_INITIALISED &&
           C.Event != INMEM_OBJECT_FIELD_COPIED &&
           C.Event != INMEM_OBJECT_FIELD_STREAMED &&
           C.Event != INMEM_OBJECT_FIELD_IN_SOURCE;
  };
  for (const auto &[Id, Outer] : Classes)
    for (const FieldResult &Member : Outer.Fields) {
      const auto Found =
          Member.Class ? Classes.find(Member.TypeId) : Classes.end();
      if (Found == Classes.end() || Found->first == Id)
        continue;
      Class &Inner = Found->second;
      for (const Credit &C : Outer.Credits)
        for (uint64_t At = Member.FirstBit;
             Reads(C) && At + Inner.Bits <= Member.FirstBit + Member.Bits;
             At += Inner.Bits)
          for (FieldResult &Row : Inner.Fields)
            Row.ReadInOthers |= C.First < At + Row.FirstBit + Row.Bits &&
                                At + Row.FirstBit < C.First + C.Bits;
    }
}

void FieldSums::finish() {
  markReadInOthers();
  for (auto &[Id, Of] : Classes) {
    if (Of.Fields.empty())
      continue;
    spread(Of, Of.Credits, 0, Of.Bits);
    bool Any = !Of.Credits.empty();
    // The code of base classes accesses its objects, too.
    for (const Base &B : Of.Bases)
      if (const auto Found = Classes.find(B.Id); Found != Classes.end())
        spread(Of, Found->second.Credits, static_cast<int64_t>(B.FirstBit),
               B.Bits);
    for (const auto &[DerivedId, Derived] : Classes)
      for (const Base &B : Derived.Bases)
        if (B.Id == Id) {
          std::vector<Credit> Inside;
          for (const Credit &C : Derived.Credits)
            if (C.First < B.FirstBit + B.Bits && C.First + C.Bits > B.FirstBit)
              Inside.push_back(C);
          Any |= !Inside.empty();
          spread(Of, Inside, -static_cast<int64_t>(B.FirstBit), Derived.Bits);
        }
    if (!Any)
      continue;
    for (FieldResult &Row : Of.Fields) {
      Row.Reads += (Row.OneOf + 1) / 2;
      Row.Opaque |= Incomplete && !Row.Padding;
    }
    Out.FieldsKnown = true;
    if (!selects(Options, Out.Types[Of.Row]))
      continue;
    Out.Types[Of.Row].Streams = streamsOf(Of);
    Out.Types[Of.Row].Fields = std::move(Of.Fields);
  }
}

} // namespace inmem::report

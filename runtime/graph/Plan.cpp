//===- Plan.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Plan.h"

#include "graph/PlanBuilder.h"

namespace inmem::rt {

namespace {

bool isReserved(const char *Name) {
  return !Name[0] || (Name[0] == '_' &&
                      (Name[1] == '_' || (Name[1] >= 'A' && Name[1] <= 'Z')));
}

/// Scalar types in which programs keep addresses.
bool mayHoldAddress(const inmem_field &F) {
  if (F.size != sizeof(void *))
    return false;
  const char *Name = typeNameOf(F);
  return strcmp(Name, "unsigned long") == 0 || strcmp(Name, "long") == 0;
}

bool isSmart(const char *Name, const char *Which) {
  size_t Length = strlen(Which);
  const char *At = strstr(Name, Which);
  // Matches in any namespace: std, boost.
  return At && At[Length] == '<' && (At == Name || At[-1] == ':') &&
         !memchr(Name, '<', static_cast<size_t>(At - Name));
}

} // namespace

const char *Builder::text(const char *Text, size_t Length) {
  return knownTypes().Texts.copy(Text, Length);
}

const char *Builder::label(const char *Outer, const char *Name) {
  if (isReserved(Name))
    return Outer;
  const size_t Before = strlen(Outer), Length = strlen(Name);
  auto *To =
      static_cast<char *>(knownTypes().Texts.allocate(Before + Length + 2));
  if (!To)
    return Outer;
  memcpy(To, Outer, Before + 1);
  To[Before] = '.';
  memcpy(To + Before + 1, Name, Length + 1);
  return To;
}

Step &Builder::add(Op Kind, uint32_t Offset, const char *Label) {
  static Step Nowhere;
  Step *S = Steps.extend(1);
  if (!S)
    return Nowhere;
  *S = {};
  S->Kind = Kind;
  S->Offset = Offset;
  S->Label = Label;
  return *S;
}

void Builder::use(Step &S, const Plan *Sub) {
  auto **Subs = knownTypes().Texts.make<const Plan *>();
  if (!Subs || !Sub)
    return;
  *Subs = Sub;
  S.Subs = Subs;
  S.SubCount = 1;
}

void Builder::addPointer(uint32_t Offset, const char *Label,
                         const char *TypeName, uint64_t Id) {
  if ((strstr(TypeName, "(*") || strstr(TypeName, "(&")) &&
      !innerExtents(TypeName))
    return; // pointer to a function
  const bool Untyped =
      strcmp(TypeName, "void *") == 0 || strcmp(TypeName, "const void *") == 0;
  Step &S = add(Untyped ? Op::Guess : Op::Pointer, Offset, Label);
  S.Type = knownTypes().byId(Id);
  if (!S.Type)
    S.Type = knownTypes().pointee(TypeName);
  S.TypeName = TypeName;
  S.A = Untyped ? 1 : 0;
}

/// The contents of a byte array are unknown.
void Builder::addBytes(uint32_t Offset, uint32_t Bytes, const char *Label,
                       int32_t If) {
  const uint32_t First = (Offset + 7) & ~7u, End = Offset + Bytes;
  if (First + 8 > End)
    return;
  Step &S = add(Op::Guesses, First, Label);
  S.A = static_cast<int32_t>((End - First) & ~7u);
  S.B = If;
}

void Builder::addArray(const inmem_field &F, uint32_t Offset,
                       const char *Label) {
  const Plan *Sub = nullptr;
  uint64_t Stride = sizeof(void *);
  const inmem_type *T = knownTypes().byId(F.type_id);
  const char *Name = typeNameOf(F);
  if (isPointerArray(Name)) {
    Sub = planOfPointer(text(Name, elementNameLength(Name)));
  } else if (T && (T->flags & INMEM_TYPE_CLASS) && T->size) {
    Sub = planOf(T);
    Stride = T->size;
  } else if (F.size) {
    if (startsWith(Name, "char") || startsWith(Name, "unsigned char") ||
        startsWith(Name, "std::byte") || startsWith(Name, "unsigned long"))
      addBytes(Offset, F.size, Label, -1);
    return;
  }
  if (!Sub || !Sub->Count)
    return;
  Step &S = add(F.size ? Op::Array : Op::Flexible, Offset, Label);
  S.A = static_cast<int32_t>(F.size / Stride);
  S.B = static_cast<int32_t>(Stride);
  S.Type = T;
  S.TypeName = Name;
  use(S, Sub);
}

void Builder::addSmart(const char *TypeName, uint64_t Id, uint32_t Offset,
                       uint32_t Size, const char *Label) {
  const bool Weak = isSmart(TypeName, "weak_ptr");
  const bool Counted = Weak || isSmart(TypeName, "shared_ptr") ||
                       startsWith(TypeName, "std::__shared_ptr<");
  Step &S = add(!Counted || Size < 2 * sizeof(void *) ? Op::Pointer
                : Weak                                ? Op::Weak
                                                      : Op::Shared,
                Offset, Label);
  S.Type = knownTypes().byId(Id);
  S.TypeName = TypeName;
}

void Builder::addField(const inmem_field &F, uint32_t At, const char *Outer) {
  const uint32_t Offset = At + F.offset;
  const char *Label = label(Outer, nameOf(F));
  switch (F.kind) {
  case INMEM_FIELD_POINTER:
  case INMEM_FIELD_REFERENCE:
    return addPointer(Offset, Label, typeNameOf(F), F.type_id);
  case INMEM_FIELD_SMART:
    return addSmart(typeNameOf(F), F.type_id, Offset, F.size, Label);
  case INMEM_FIELD_ARRAY:
    return addArray(F, Offset, Label);
  case INMEM_FIELD_VALUE: {
    const inmem_type *T = knownTypes().byId(F.type_id);
    if (T && (T->flags & INMEM_TYPE_CLASS))
      return addClass(*T, Offset, Label, /*Whole=*/true);
    if (isPointerName(typeNameOf(F)))
      return addPointer(Offset, Label, typeNameOf(F), 0);
    if (mayHoldAddress(F))
      add(Op::Guess, Offset, Label).A = 0;
    return;
  }
  default:
    return; // callers handle bases; other fields lead nowhere
  }
}

void Builder::addClass(const inmem_type &T, uint32_t At, const char *Label,
                       bool Whole) {
  if (++Depth > kMostDepth || addContainer(*this, T, At, Label)) {
    --Depth;
    return;
  }
  const inmem_field *Fields = fieldsOf(T);
  if (T.flags & INMEM_TYPE_UNION) {
    if (const inmem_field *Live = liveMember(T))
      addField(*Live, At, Label);
    else
      addBytes(At, static_cast<uint32_t>(T.size), Label, -1);
  } else {
    for (uint32_t I = 0; Fields && I < T.field_count; ++I) {
      const inmem_field &F = Fields[I];
      const bool Virtual = F.kind == INMEM_FIELD_VIRTUAL_BASE;
      if (F.kind != INMEM_FIELD_BASE && !Virtual) {
        addField(F, At, Label);
        continue;
      }
      const inmem_type *Base = knownTypes().byId(F.type_id);
      // Only the complete object knows the offset of a virtual base.
      if (Base && (!Virtual || Whole))
        addClass(*Base, At + F.offset, Label, /*Whole=*/false);
    }
  }
  --Depth;
}

const Plan *Builder::finish(const inmem_type *Type, Plan &P) {
  auto *Kept = knownTypes().Texts.make<Step>(Steps.size() ? Steps.size() : 1);
  if (!Kept)
    return nullptr;
  memcpy(Kept, Steps.data(), Steps.size() * sizeof(Step));
  P.Type = Type;
  P.Steps = Kept;
  P.Count = static_cast<uint32_t>(Steps.size());
  return &P;
}

const Plan *planOf(const inmem_type *Type) {
  if (!Type)
    return nullptr;
  uint64_t *Slot =
      knownTypes().Plans.findOrMake(reinterpret_cast<uint64_t>(Type));
  if (!Slot)
    return nullptr;
  if (*Slot)
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<const Plan *>(*Slot);
  auto *P = knownTypes().Texts.make<Plan>();
  if (!P)
    return nullptr;
  // Claim the class before its fields: an alternative may hold its own class
  // only by pointer, but a damaged record could nest it by value.
  *Slot = reinterpret_cast<uint64_t>(P);
  P->Size = Type->size;
  Builder B;
  const char *Name = nameOf(*Type);
  P->Control = startsWith(Name, "std::_Sp_counted_") ||
               startsWith(Name, "std::__shared_ptr_");
  P->Libcxx = P->Control && startsWith(Name, "std::__shared_ptr_");
  if (Type->flags & INMEM_TYPE_CLASS)
    B.addClass(*Type, 0, "", /*Whole=*/true);
  else if (isPointerName(Name))
    B.addPointer(0, "", Name, 0);
  else if (strcmp(Name, "unsigned long") == 0 || strcmp(Name, "long") == 0)
    B.add(Op::Guess, 0, "");
  B.hidePointers(nodePointers(Name));
  return B.finish(Type, *P);
}

const Plan *planOfPointer(const char *Name) {
  if (const inmem_type *T = knownTypes().byName(Name))
    return planOf(T);
  // One plan per spelling is kept for each use; there are few.
  auto *P = knownTypes().Texts.make<Plan>();
  if (!P)
    return nullptr;
  P->Size = sizeof(void *);
  Builder B;
  B.addPointer(0, "", Name, 0);
  return B.finish(nullptr, *P);
}

} // namespace inmem::rt

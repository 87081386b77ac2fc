//===- DynamicType.cpp - The class that a vtable belongs to ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Types.h"

namespace inmem::rt {

namespace {

/// Offset of the first vtable pointer of an object of \p Type; -1: it has none
/// of its own.
int64_t vtableAt(const inmem_type &Type, unsigned Depth = 0) {
  const inmem_field *Fields = fieldsOf(Type);
  if (Depth > 32)
    return -1;
  for (uint32_t I = 0; Fields && I < Type.field_count; ++I) {
    if (Fields[I].kind == INMEM_FIELD_VPTR)
      return Fields[I].offset;
    if (Fields[I].kind == INMEM_FIELD_BASE && Fields[I].offset == 0)
      if (const inmem_type *Base = knownTypes().byId(Fields[I].type_id))
        if (int64_t At = vtableAt(*Base, Depth + 1); At >= 0)
          return At;
  }
  return -1;
}

/// Appends part of a name as reports spell it; false without room.
bool append(const char *Part, size_t Length, char *Out, size_t &Used,
            size_t Room) {
  static constexpr char kUnnamed[] = "_GLOBAL__N_1";
  if (Length == sizeof kUnnamed - 1 && memcmp(Part, kUnnamed, Length) == 0) {
    Part = "(anonymous namespace)";
    Length = strlen(Part);
  }
  const size_t Colons = Used ? 2 : 0;
  if (Used + Colons + Length + 1 > Room)
    return false;
  memcpy(Out + Used, "::", Colons);
  memcpy(Out + Used + Colons, Part, Length);
  Used += Colons + Length;
  return true;
}

/// "N2ns3FooE" -> "ns::Foo"; names with template arguments or local to a
/// function are left out.
bool demangleName(const char *At, char *Out, size_t Room) {
  const bool Nested = *At == 'N';
  At += Nested;
  size_t Used = 0;
  bool Any = false;
  while (*At >= '1' && *At <= '9') {
    size_t Length = 0;
    while (*At >= '0' && *At <= '9' && Length < 4096)
      Length = Length * 10 + static_cast<size_t>(*At++ - '0');
    if (Length > strlen(At) || !append(At, Length, Out, Used, Room))
      return false;
    At += Length;
    Any = true;
    if (!Nested)
      break;
  }
  Out[Used] = 0;
  return Any && (Nested ? *At == 'E' && !At[1] : !*At);
}

} // namespace

bool findTop(Memory &M, const inmem_type *Type, uintptr_t &Address,
             uint64_t &TypeInfo) {
  if (!Type || !(Type->flags & INMEM_TYPE_POLYMORPHIC))
    return false;
  constexpr uint64_t kFurthest = 1 << 20;
  const int64_t At = vtableAt(*Type);
  uint64_t Table, ToTop;
  if (At < 0 || !M.word(Address + static_cast<uint64_t>(At), Table) ||
      !M.word(Table - 16, ToTop) || !M.word(Table - 8, TypeInfo) ||
      0 - ToTop > kFurthest)
    return false;
  Address += ToTop;
  return true;
}

void completeObject(Memory &M, uintptr_t &Address, const inmem_type *&Type) {
  uint64_t Info, NameAt;
  uintptr_t Top = Address;
  if (!findTop(M, Type, Top, Info) || !M.word(Info + 8, NameAt))
    return;
  char Mangled[1024], Name[256];
  size_t Length = 0;
  for (; Length + 1 < sizeof Mangled; ++Length)
    if (!M.read(Mangled + Length, NameAt + Length, 1) || !Mangled[Length])
      break;
  if (Length + 1 == sizeof Mangled)
    return;
  Mangled[Length] = 0;
  // Local to one unit.
  const char *Plain = Mangled[0] == '*' ? Mangled + 1 : Mangled;
  const inmem_type *Whole = nullptr;
  if (!demangleName(Plain, Name, sizeof Name))
    Whole = knownTypes().byMangledName(Plain);
  else if (!strstr(Name, "(anonymous namespace)") ||
           !knownTypes().isAmbiguous(Name))
    Whole = knownTypes().byName(Name);
  if (!Whole || !(Whole->flags & INMEM_TYPE_POLYMORPHIC))
    return;
  Address = Top;
  Type = Whole;
}

} // namespace inmem::rt

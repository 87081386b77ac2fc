//===- Types.h - Descriptions of types by id and by name --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All records of the registered modules, and facts that walks have derived from
// them. Kept from one walk to the next while no module is loaded or unloaded.
// Needs GraphLock.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_TYPES_H
#define INMEM_RUNTIME_TYPES_H

#include "graph/ObjectMemory.h"
#include "graph/Pages.h"
#include "inmem/abi.h"
#include "platform/Lock.h"
#include "registry/SiteRegistry.h"

namespace inmem::rt {

/// Held while walking over objects.
INMEM_HIDDEN extern Lock GraphLock;

inline const char *nameOf(const inmem_type &T) {
  const char *Name = textAt(T.name);
  return Name ? Name : "";
}
inline const inmem_field *fieldsOf(const inmem_type &T) {
  return relative<inmem_field>(T.fields);
}
inline const char *nameOf(const inmem_field &F) {
  const char *Name = textAt(F.name);
  return Name ? Name : "";
}
inline const char *typeNameOf(const inmem_field &F) {
  const char *Name = textAt(F.type_name);
  return Name ? Name : "";
}

inline bool startsWith(const char *Text, const char *Prefix) {
  return strncmp(Text, Prefix, strlen(Prefix)) == 0;
}
inline bool endsWith(const char *Text, const char *Suffix) {
  size_t Length = strlen(Text), Tail = strlen(Suffix);
  return Length >= Tail && strcmp(Text + Length - Tail, Suffix) == 0;
}
/// True for "Foo *", but not for pointers to functions.
inline bool isPointerName(const char *Name) { return endsWith(Name, "*"); }

/// Length of the element's spelling in an array's: of "Foo *[4][2]", "Foo *".
inline size_t elementNameLength(const char *Name) {
  size_t Length = strlen(Name);
  while (Length && Name[Length - 1] == ']')
    do
      --Length;
    while (Length && Name[Length] != '[');
  while (Length && Name[Length - 1] == ' ')
    --Length;
  return Length;
}
/// The rest of an array's spelling after its first extent, or of a spelled
/// pointer to arrays after the pointer: "[2]" for both "Foo *[4][2]" and "Foo
/// (*)[2]". Null for other spellings.
inline const char *innerExtents(const char *Name) {
  const char *At = Name + elementNameLength(Name);
  while (*At == ' ')
    ++At;
  if (At - Name < 3 || memcmp(At - 3, "(*)", 3) != 0)
    At = *At == '[' ? strchr(At, ']') + 1 : At;
  return *At == '[' ? At : nullptr;
}
inline bool isPointerArray(const char *Name) {
  const size_t Length = elementNameLength(Name);
  return Length && Name[Length - 1] == '*';
}

/// Facts about a site's blocks.
struct SiteFacts {
  const inmem_type *Type; ///< null: unknown
  const inmem_site *Source;
  uint8_t Cookie; ///< bytes before the first object of an array
  bool Single;    ///< a single object, even if bytes follow it
  bool Known;
};

struct Plan;

/// The tables. Valid when zero.
class Types {
public:
  /// Updates the tables for the modules registered now. Takes the runtime's
  /// mutex.
  void refresh();
  /// As refresh(), for a forked child, where no lock is held.
  void refreshLocked();

  const inmem_type *byId(uint64_t Id) const;
  /// The type of blocks (not an INMEM_TYPE_OBJECT) with that name, or null.
  const inmem_type *byName(const char *Name, size_t Length) const;
  const inmem_type *byName(const char *Name) const {
    return byName(Name, strlen(Name));
  }
  /// The polymorphic class with that mangled name, as in its std::type_info;
  /// null if units disagree on the name.
  const inmem_type *byMangledName(const char *Mangled);
  /// True if different types share that spelling, such as those in unnamed
  /// namespaces.
  bool isAmbiguous(const char *Name) const;
  const SiteFacts &site(uint32_t Id);
  /// The type char, which may have no record; null when out of memory.
  const inmem_type *charType();
  /// The pointee of a pointer type of that spelling, if it has a record.
  const inmem_type *pointee(const char *PointerName) const;

  /// State of Plan.cpp.
  NumberMap Plans;
  Arena Texts;

private:
  void clear();
  void add(const inmem_type *T);

  uint64_t Generation = 0;
  NumberMap ById, ByName, Ambiguous;
  NumberMap ByMangled; ///< cached lookups; 1: no type
  Pages<const inmem_type *> Polymorphic;
  Pages<SiteFacts> Sites;
};
Types &knownTypes();

/// Call this in a forked child: resets the lock, and abandons unfinished walks.
void forgetGraphs();

// DynamicType.cpp: The class that a vtable belongs to.

/// Sets \p Address to that of the complete object, according to the vtable of
/// the object of \p Type there; false if it has none. \p TypeInfo: its
/// std::type_info.
bool findTop(Memory &M, const inmem_type *Type, uintptr_t &Address,
             uint64_t &TypeInfo);

/// If \p Type is a polymorphic class, sets \p Address and \p Type to
/// the complete object, if its class is described.
void completeObject(Memory &M, uintptr_t &Address, const inmem_type *&Type);

} // namespace inmem::rt

#endif

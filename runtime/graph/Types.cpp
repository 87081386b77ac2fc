//===- Types.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Types.h"

#include "registry/Modules.h"
#include "state/Runtime.h"
#include "tables/Hash.h"
#include "trace/format/Checksum.h"

namespace inmem::rt {

constinit Lock GraphLock;

/// Never destroyed.
alignas(Types) static constinit char Storage[sizeof(Types)] = {};
Types &knownTypes() { return *reinterpret_cast<Types *>(Storage); }

namespace {

uint64_t hashOf(const char *Text, size_t Length) {
  return hashBytes(Text, Length) | 1;
}

/// Derives the id of a type as the plugin does (typeId in
/// plugin/SiteTable.cpp).
class Identity {
public:
  uint64_t of(const char *Mangled, const inmem_type &T) {
    Text.shrinkTo(0);
    add("_ZTS");
    add(Mangled);
    add('|', T.size);
    const inmem_field *Fields = fieldsOf(T);
    for (uint32_t I = 0; Fields && I < T.field_count; ++I) {
      const inmem_field &F = Fields[I];
      add("|");
      add(nameOf(F));
      add(":");
      add(typeNameOf(F));
      add(':', F.offset);
      add(':', F.size);
      add(':', F.kind);
      add(':', F.bit);
    }
    const uint64_t Hash = XXH64(Text.data(), Text.size(), 0);
    return Hash ? Hash : 1;
  }

private:
  void add(const char *Part) {
    const size_t Length = strlen(Part);
    if (char *To = Length ? Text.extend(Length) : nullptr)
      // NOLINTNEXTLINE(bugprone-not-null-terminated-result): parts of a text
      memcpy(To, Part, Length);
  }
  void add(char Before, uint64_t Number) {
    char Digits[24];
    size_t At = sizeof Digits - 1;
    Digits[At] = 0;
    do
      Digits[--At] = static_cast<char>('0' + Number % 10);
    while ((Number /= 10) != 0);
    Digits[--At] = Before;
    add(Digits + At);
  }
  Pages<char> Text;
};

} // namespace

void Types::clear() {
  ById.release();
  ByName.release();
  Ambiguous.release();
  ByMangled.release();
  Polymorphic.release();
  Sites.release();
  Plans.release();
  Texts.release();
  Generation = 0;
}

void Types::add(const inmem_type *T) {
  if (T->flags & INMEM_TYPE_OBJECT)
    return; // repeats the class, without fields
  if (uint64_t *Slot = ById.findOrMake(T->id); Slot && !*Slot) {
    *Slot = reinterpret_cast<uint64_t>(T);
    if (T->flags & INMEM_TYPE_POLYMORPHIC)
      Polymorphic.add(T);
  }
  const char *Name = nameOf(*T);
  if (uint64_t *Slot = ByName.findOrMake(hashOf(Name, strlen(Name)))) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    auto *Known = reinterpret_cast<const inmem_type *>(*Slot);
    if (Known && Known->size && T->size && Known->id != T->id)
      if (uint64_t *Mark = Ambiguous.findOrMake(hashOf(Name, strlen(Name))))
        *Mark = 1;
    // A unit that only declares a class emits a record without a size.
    if (!Known || (Known->size == 0 && T->size))
      *Slot = reinterpret_cast<uint64_t>(T);
  }
}

void Types::refreshLocked() {
  uint64_t Now = 1;
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    Now = (Now ^ reinterpret_cast<uintptr_t>(M->Descriptor)) *
          0x9E3779B97F4A7C15u;
  if (Now == Generation)
    return;
  clear();
  Generation = Now;
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    if (M->Descriptor)
      for (const inmem_type *T = M->Descriptor->types_begin;
           T < M->Descriptor->types_end; ++T)
        add(T);
}

void Types::refresh() {
  Locked L(Process.Mutex);
  refreshLocked();
}

bool Types::isAmbiguous(const char *Name) const {
  return Ambiguous.find(hashOf(Name, strlen(Name))) != nullptr;
}

const inmem_type *Types::byId(uint64_t Id) const {
  const uint64_t *Found = Id ? ById.find(Id) : nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return Found ? reinterpret_cast<const inmem_type *>(*Found) : nullptr;
}

const inmem_type *Types::byName(const char *Name, size_t Length) const {
  const uint64_t *Found = ByName.find(hashOf(Name, Length));
  if (!Found)
    return nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto *T = reinterpret_cast<const inmem_type *>(*Found);
  const char *Its = nameOf(*T);
  return strlen(Its) == Length && memcmp(Its, Name, Length) == 0 ? T : nullptr;
}

const inmem_type *Types::byMangledName(const char *Mangled) {
  constexpr uint64_t kNone = 1;
  uint64_t *Slot = ByMangled.findOrMake(hashOf(Mangled, strlen(Mangled)));
  if (!Slot)
    return nullptr;
  if (!*Slot) {
    *Slot = kNone;
    Identity Id;
    for (const inmem_type *T : Polymorphic)
      if (Id.of(Mangled, *T) == T->id)
        *Slot = reinterpret_cast<uint64_t>(T);
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return *Slot == kNone ? nullptr : reinterpret_cast<const inmem_type *>(*Slot);
}

const inmem_type *Types::pointee(const char *Name) const {
  size_t Length = strlen(Name);
  if (Length < 2 || (Name[Length - 1] != '*' && Name[Length - 1] != '&'))
    return nullptr;
  do
    --Length;
  while (Length && (Name[Length - 1] == '&' || Name[Length - 1] == ' '));
  static constexpr const char *kQualifiers[] = {"const ", "volatile "};
  for (const char *Qualifier : kQualifiers)
    if (Length > strlen(Qualifier) && startsWith(Name, Qualifier)) {
      Name += strlen(Qualifier);
      Length -= strlen(Qualifier);
    }
  return byName(Name, Length);
}

const inmem_type *Types::charType() {
  if (const inmem_type *Known = byName("char"))
    return Known;
  struct Named {
    inmem_type Type;
    char Name[8];
  };
  auto *Made = Texts.make<Named>();
  if (!Made)
    return nullptr;
  memcpy(Made->Name, "char", sizeof "char");
  Made->Type.id = hashOf("char", 4);
  Made->Type.size = Made->Type.align = 1;
  Made->Type.flags = INMEM_TYPE_TRIVIAL_DTOR | INMEM_TYPE_RAW;
  Made->Type.name = static_cast<int32_t>(
      Made->Name - reinterpret_cast<char *>(&Made->Type.name));
  add(&Made->Type);
  return &Made->Type;
}

const SiteFacts &Types::site(uint32_t Id) {
  static const SiteFacts None = {};
  if (Id >= Sites.size() && !Sites.extend(Id + 256 - Sites.size()))
    return None;
  SiteFacts &Facts = Sites[Id];
  if (!Facts.Known) {
    uint64_t Type = 0;
    {
      Locked L(Process.Mutex);
      Facts.Source = sourceOfSite(Id);
      Type = idOfType(typeOfSite(Id));
    }
    Facts.Known = true;
    Facts.Type = byId(Type);
    if (Facts.Source) {
      Facts.Cookie = Facts.Source->kind == INMEM_SITE_NEW_ARRAY
                         ? Facts.Source->array_cookie
                         : 0;
      Facts.Single = Facts.Source->flags & INMEM_SITE_ONE;
    }
  }
  return Facts;
}

void forgetGraphs() {
  GraphLock.reset();
  // Abandon walks in progress.
  memset(Storage, 0, sizeof Storage);
}

} // namespace inmem::rt

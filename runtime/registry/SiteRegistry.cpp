//===- SiteRegistry.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registry/SiteRegistry.h"

#include "index/LiveIndex.h"
#include "options/Options.h"
#include "platform/Message.h"
#include "registry/Modules.h"
#include "registry/RecordBuilder.h"
#include "state/Runtime.h"
#include "tables/Hash.h"
#include "tables/Numbers.h"
#include "tables/OpenTable.h"
#include "trace/format/FeatureRecords.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

struct SiteInfo {
  struct inmem_site *Source; ///< null once its library is gone
  uint32_t Type;
  uint8_t Kind;
  bool Excluded;
  uint16_t Callers = 0; ///< number of callers with ids of their own
  /// If the type is not the site's own: the site, and for INMEM_RULE_KEPT a
  /// site that has the type; else 0.
  uint32_t Place = 0, Typed = 0;
  uint64_t Key =
      0; ///< closedKey of the source, set when its library was closed
  const Module *File = nullptr;
};

/// Set for an id of a site and a stack; else 0.
struct SiteStack {
  uint32_t Site, Stack;
  const UserCall *Caller;
};

struct TypeInfo {
  const char *Name; ///< a copy: blocks may outlive the library
  TypeTotal *Total;
  uint64_t Id;
  uint64_t Size;
  bool Excluded;
  bool Raw; ///< INMEM_TYPE_RAW
};

// Address space for the maximum; pages are touched only when used.
constexpr uint32_t kMaxTypes = 1u << 20;
constinit SiteInfo *Sites = nullptr;
constinit TypeInfo *Types = nullptr;
constinit SiteStack *Stacked = nullptr; ///< by site id; null without stacks
/// Callers of one site that have ids of their own; the site represents all
/// others. Every line that appends to a string calls one site of libstdc++.so.
constexpr uint16_t kMostCallers = 4096;
constinit Numbers CalledSites = {}; ///< hash of site and caller -> id
/// Hash of a site and a type that its blocks have from elsewhere -> id.
constinit Numbers TypedSites = {};
constinit uint32_t NumSites = 0;
constinit uint32_t NumTypes = 0; ///< without index 0, the unknown type
constinit uint32_t NumModules = 0;

/// Type indexes by type id.
struct TypeSlot {
  uint32_t Index; ///< 0: empty

  explicit operator bool() const { return Index != 0; }
  static uint64_t hashOf(uint64_t Id) { return Id ^ Id >> 32; }
  uint64_t hash() const { return hashOf(Types[Index].Id); }
  bool is(uint64_t Id) const { return Types[Index].Id == Id; }
  bool isSame(const TypeSlot &Other) const { return Index == Other.Index; }
  void clear() { Index = 0; }
  void copy(const TypeSlot &Other) { Index = Other.Index; }
};
constinit OpenTable<TypeSlot, 1024> TypesById;

constinit ExtentHeader *TypesExtent = nullptr; ///< the newest
constinit uint32_t TypesExtents = 0;

/// Ids of sites in closed libraries, by key. They stay here when they get a
/// source again.
struct ClosedSite {
  struct Key {
    uint64_t Value;
    const Module *File;
  };
  uint32_t Id; ///< 0: none

  explicit operator bool() const { return Id != 0; }
  static uint64_t hashOf(const Key &K) { return K.Value ^ K.Value >> 32; }
  Key key() const { return {Sites[Id].Key, Sites[Id].File}; }
  uint64_t hash() const { return hashOf(key()); }
  bool is(const Key &K) const {
    return Sites[Id].Key == K.Value && Sites[Id].File == K.File;
  }
  bool isSame(const ClosedSite &Other) const { return is(Other.key()); }
  void clear() { Id = 0; }
  void copy(const ClosedSite &Other) { Id = Other.Id; }
};
constinit OpenTable<ClosedSite, 1024> Closed;

bool makeTables() {
  if (Sites)
    return true;
  auto *S = static_cast<SiteInfo *>(
      mapPages(size_t{kMaxSites + 1} * sizeof(SiteInfo)));
  auto *T =
      static_cast<TypeInfo *>(mapPages(size_t{kMaxTypes} * sizeof(TypeInfo)));
  if (!S || !T || !makeRecordBuffer())
    return false;
  Types = T;
  Sites = S;
  return true;
}

/// Takes a number before writing the record: a jump in between wastes the
/// number, but no two sites share one.
uint32_t takeSiteId() {
  ++NumSites;
  orderStores();
  return NumSites;
}

/// The TypeTotal of type \p Index, which is entry \p Index of the extents; all
/// before it exist. Null without room.
TypeTotal *addTotal(uint32_t Index) {
  constexpr uint32_t kPerExtent =
      (kPage - sizeof(ExtentHeader)) / sizeof(TypeTotal);
  if (Index / kPerExtent == TypesExtents) {
    ExtentHeader *Fresh = Process.Trace.addExtent(ExtentKind::Types, 0, 0,
                                                  kPage - sizeof(ExtentHeader));
    if (!Fresh)
      return nullptr;
    // A jump between the two lines leaves an empty extent, which is ignored.
    TypesExtent = Fresh;
    orderStores();
    ++TypesExtents;
  }
  const uint32_t At = Index % kPerExtent;
  __atomic_store_n(&TypesExtent->Used, At + 1, __ATOMIC_RELEASE);
  return reinterpret_cast<TypeTotal *>(TypesExtent + 1) + At;
}

/// Identifies a site when its library is opened again. Functions local to two
/// units of a library may share a key.
uint64_t closedKey(const struct inmem_site &Site) {
  return hashText(textAt(Site.file),
                  Site.key ^ (uint64_t{Site.line} << 16 | Site.column));
}

/// The id that \p Site had when its library was loaded before; 0: none.
uint32_t formerId(const struct inmem_site &Site) {
  const ClosedSite *Known =
      Closed.find(ClosedSite::Key{closedKey(Site), registeredModuleOf(&Site)});
  return Known && !Sites[Known->Id].Source ? Known->Id : 0;
}

bool isExcluded(const char *Name) {
  const Options &O = Process.Config;
  if (O.Include.Value[0] && (!Name || !matchesAnyGlob(O.Include.Value, Name)))
    return true;
  return O.Exclude.Value[0] && Name && matchesAnyGlob(O.Exclude.Value, Name);
}

bool writeType(uint32_t Index, const struct inmem_type &Type) {
  TypeRecord R = {};
  RecordBuilder Builder(RecordKind::Type, sizeof R);
  R.Index = Index;
  R.Align = Type.align;
  R.Id = Type.id;
  R.Size = Type.size;
  R.Flags = Type.flags;
  R.Name = Builder.string(textAt(Type.name));
  auto *Fields = relative<struct inmem_field>(Type.fields);
  uint32_t At = Fields && Type.field_count
                    ? Builder.reserve(Type.field_count * sizeof(FieldRecord))
                    : 0;
  if (At) {
    R.Fields = At;
    R.FieldCount = Type.field_count;
    for (uint32_t I = 0; I < Type.field_count; ++I) {
      const struct inmem_field &F = Fields[I];
      FieldRecord Out = {};
      Out.TypeId = F.type_id;
      Out.Offset = F.offset;
      Out.Size = F.size;
      Out.Name = Builder.string(textAt(F.name));
      Out.TypeName = Builder.string(textAt(F.type_name));
      Out.Kind = F.kind;
      Out.Bit = F.bit;
      memcpy(static_cast<FieldRecord *>(Builder.at(At)) + I, &Out, sizeof Out);
    }
  }
  return Builder.append(&R, sizeof R);
}

/// Least size of an object of \p Type: a struct may end in an array that is
/// only partly allocated.
uint64_t leastSize(const struct inmem_type &Type) {
  auto *Fields = relative<struct inmem_field>(Type.fields);
  const struct inmem_field *Last = nullptr;
  for (uint32_t I = 0; Fields && I < Type.field_count; ++I)
    if (!Last || Fields[I].offset >= Last->offset)
      Last = &Fields[I];
  return Last && Last->kind == INMEM_FIELD_ARRAY ? Last->offset : Type.size;
}

/// True if the site's type was inferred and its first block, of \p Size bytes,
/// is too small for it.
bool isTooSmall(const struct inmem_site &Site, const struct inmem_type *Type,
                uint64_t Size) {
  bool Concluded =
      (Site.rule >= INMEM_RULE_SIZEOF && Site.rule <= INMEM_RULE_VARIABLE) ||
      Site.rule == INMEM_RULE_FLOW;
  return Type && Concluded && Size < leastSize(*Type);
}

bool writeSite(uint32_t Id, uint32_t Type, uint32_t Flags, struct inmem_site &S,
               uint8_t Rule, uint64_t Key) {
  SiteRecord R = {};
  RecordBuilder Builder(RecordKind::Site, sizeof R);
  R.Id = Id;
  R.Type = Type;
  R.Key = Key;
  R.Kind = S.kind;
  R.Line = S.line;
  R.Column = S.column;
  R.ArrayCookie = S.array_cookie;
  R.Rule = Rule;
  R.Flags = static_cast<uint8_t>(Flags);
  if (S.kind == INMEM_SITE_CALLER) {
    auto &C = reinterpret_cast<CallerSite &>(S);
    R.Function = Builder.string(C.Symbol);
    R.SymbolOffset = C.SymbolOffset;
    if (C.Owner)
      R.Module = C.Owner->Id;
    R.ModuleOffset = C.Distance;
    return Builder.append(&R, sizeof R);
  }
  R.Function = Builder.string(textAt(S.function));
  R.File = Builder.string(textAt(S.file));
  if (Module *M = registeredModuleOf(&S))
    R.Module = M->Id;
  auto *Frames = relative<struct inmem_frame>(S.inlined);
  uint32_t At =
      Frames ? Builder.reserve(S.inlined_count * sizeof(FrameRecord)) : 0;
  if (At) {
    R.Frames = At;
    R.FrameCount = S.inlined_count;
    for (uint32_t I = 0; I < S.inlined_count; ++I) {
      const struct inmem_frame &F = Frames[I];
      FrameRecord Out = {Builder.string(textAt(F.function)),
                         Builder.string(textAt(F.file)), F.line, F.column,
                         F.flags};
      memcpy(static_cast<FrameRecord *>(Builder.at(At)) + I, &Out, sizeof Out);
    }
  }
  return Builder.append(&R, sizeof R);
}

bool writeSite(uint32_t Id, uint32_t Type, uint32_t Flags,
               struct inmem_site &S) {
  return writeSite(Id, Type, Flags, S, S.rule, S.key);
}

void writeModuleOf(const struct inmem_site &S) {
  Module *Owner = S.kind == INMEM_SITE_CALLER
                      ? reinterpret_cast<const CallerSite &>(S).Owner
                      : registeredModuleOf(&S);
  if (Owner)
    writeModule(Owner);
}

} // namespace

uint32_t registerType(const struct inmem_type *Type) {
  TypeSlot *Slot =
      Type && makeTables() ? TypesById.findOrMake(Type->id) : nullptr;
  if (!Slot)
    return 0;
  if (*Slot)
    return Slot->Index;
  if (NumTypes + 1 >= kMaxTypes || !typeTotal(0))
    return 0;
  // If a jump left before the type was entered in TypesById, writes it again.
  uint32_t Index =
      NumTypes && Types[NumTypes].Id == Type->id ? NumTypes : NumTypes + 1;
  TypeTotal *Total = addTotal(Index);
  if (!Total)
    return 0;
  const char *Name = textAt(Type->name);
  Types[Index] = {Name ? copyText(Name) : nullptr,
                  Total,
                  Type->id,
                  Type->size,
                  isExcluded(Name),
                  (Type->flags & INMEM_TYPE_RAW) != 0};
  orderStores();
  NumTypes = Index;
  orderStores();
  writeType(Index, *Type);
  orderStores();
  TypesById.add(Slot, {Index});
  return Index;
}

TypeTotal *typeTotal(uint32_t Index) {
  if (!makeTables())
    return nullptr;
  if (!Types[0].Total) {
    Types[0].Total = addTotal(0);
    Types[0].Excluded = isExcluded(nullptr);
  }
  return Types[Index].Total;
}

uint32_t registerSite(struct inmem_site *Site, uint64_t Size) {
  if (Site->id)
    return Site->id;
  if (!makeTables() || !typeTotal(0))
    return 0;
  if (NumSites >= kMaxSites)
    return 0;
  auto *Type = relative<struct inmem_type>(Site->type);
  if (uint32_t Former = formerId(*Site)) {
    Sites[Former].Source = Site;
    __atomic_store_n(&Site->id, Former, __ATOMIC_RELEASE);
    return Former;
  }
  bool TooSmall = isTooSmall(*Site, Type, Size);
  uint32_t TypeIndex = TooSmall ? 0 : registerType(Type);
  writeModuleOf(*Site);
  const uint32_t Id = takeSiteId();
  if (!writeSite(Id, TypeIndex,
                 (Site->flags & ~INMEM_SITE_THROWS) |
                     (TooSmall ? INMEM_SITE_TOO_SMALL : 0u),
                 *Site))
    return 0;
  Sites[Id] = {Site, TypeIndex, Site->kind, Types[TypeIndex].Excluded};
  __atomic_store_n(&Site->id, Id, __ATOMIC_RELEASE);
  return Id;
}

/// The id of blocks of the plain \p Site that have the type with index \p Type,
/// which is not the site's own. \p Typed: for INMEM_RULE_KEPT, a site that has
/// it.
static uint32_t registerTypedSite(uint32_t Site, uint32_t Type,
                                  enum inmem_type_rule Rule, uint32_t Typed) {
  const uint64_t Key =
      mix(uint64_t{Type} << 4 | static_cast<unsigned>(Rule), Site);
  if (uint32_t Known = TypedSites.find(Key))
    return Known;
  struct inmem_site *Source = Sites[Site].Source;
  if (!Type || !Source || NumSites >= kMaxSites)
    return 0;
  writeModuleOf(*Source);
  const uint32_t Id = takeSiteId();
  if (!writeSite(Id, Type, Source->flags & ~INMEM_SITE_THROWS, *Source,
                 static_cast<uint8_t>(Rule), Source->key ^ Types[Type].Id))
    return 0;
  Sites[Id] = {nullptr, Type, Sites[Site].Kind, Types[Type].Excluded};
  Sites[Id].Place = Site;
  Sites[Id].Typed = Typed;
  TypedSites.insert(Key, Id);
  return Id;
}

uint32_t registerPlacedSite(uint32_t Site, const struct inmem_type *Type) {
  return registerTypedSite(plainSite(Site), registerType(Type),
                           INMEM_RULE_PLACED, 0);
}

uint32_t siteWithTypeOf(uint32_t Site, uint32_t Old) {
  uint32_t Typed = plainSite(Old);
  if (Sites[Typed].Typed)
    Typed = Sites[Typed].Typed;
  const uint32_t With = registerTypedSite(plainSite(Site), Sites[Typed].Type,
                                          INMEM_RULE_KEPT, Typed);
  return With ? siteWithCallerOf(With, Site) : calledSite(Old);
}

uint32_t writeInheritedSite(uint32_t Id) {
  static constinit struct inmem_site Gone = {}; // for closed libraries
  const SiteInfo &Plain = Sites[plainSite(Id)];
  const auto SourceOf = [](uint32_t Site,
                           const SiteInfo &Own) -> struct inmem_site & {
    struct inmem_site *S = Site ? Sites[Site].Source : Own.Source;
    return S ? *S : Gone;
  };
  struct inmem_site &S = SourceOf(Plain.Place, Plain);
  uint32_t Type = registerType(
      relative<struct inmem_type>(SourceOf(Plain.Typed, Plain).type));
  writeModuleOf(S);
  writeSite(Id, Type, (S.flags & ~INMEM_SITE_THROWS) | INMEM_SITE_INHERITED, S);
  return Type;
}

namespace {

/// Limit for ids with stacks: a program has more stacks than sites, and sites
/// without an id are not recorded at all.
constexpr uint32_t kMaxWithStacks = kMaxSites / 4 * 3;

INMEM_COLD void sayStacksAreMany() {
  static constinit bool Said = false;
  if (Said)
    return;
  Said = true;
  constexpr const char *kText =
      "stacks=: too many distinct stacks; further allocations are counted by "
      "site only";
  Message().text(kText).emit();
  addWarning(kText);
}

} // namespace

static bool makeStacked() {
  if (!Stacked)
    Stacked = static_cast<SiteStack *>(
        mapPages(size_t{kMaxSites + 1} * sizeof(SiteStack)));
  return Stacked;
}

static uint32_t enterPair(uint32_t Id, const SiteStack &Of) {
  const SiteInfo &S = Sites[Of.Site];
  Sites[Id] = {nullptr, S.Type, S.Kind, S.Excluded};
  Stacked[Id] = Of;
  return Id;
}

uint32_t registerStackedSite(uint32_t Site, uint32_t Stack) {
  if (!makeStacked())
    return 0;
  if (NumSites >= kMaxWithStacks) {
    sayStacksAreMany();
    return 0;
  }
  const uint32_t Id = takeSiteId();
  StackedSiteRecord R = {};
  R.Header = {RecordKind::StackedSite, 0, sizeof R};
  R.Id = Id;
  R.Site = Site;
  R.Stack = Stack;
  return Process.Trace.appendRecord(&R.Header)
             ? enterPair(Id, {Site, Stack, nullptr})
             : 0;
}

uint32_t registerCalledSite(uint32_t Site, const UserCall &Caller,
                            bool &IsNew) {
  uint64_t Key = hashText(Caller.File, hashText(Caller.Function)) ^
                 (uint64_t{Caller.Line} << 16 | Caller.Column);
  Key = mix(Key ^ Caller.Return, Site);
  if (uint32_t Known = CalledSites.find(Key))
    return Known;
  if (!makeStacked() || Sites[Site].Callers == kMostCallers ||
      NumSites >= kMaxWithStacks)
    return 0;
  ++Sites[Site].Callers;
  const uint32_t Id = takeSiteId();
  CalledSiteRecord R = {};
  RecordBuilder Builder(RecordKind::CalledSite, sizeof R);
  R.Id = Id;
  R.Site = Site;
  R.Function = Builder.string(Caller.Function);
  R.File = Builder.string(Caller.File);
  R.Line = Caller.Line;
  R.Column = Caller.Column;
  if (!Builder.append(&R, sizeof R))
    return 0;
  auto *Slot = static_cast<UserCall *>(arenaAllocate(sizeof(UserCall)));
  if (Slot) // copied, as type names are
    *Slot = {Caller.Function ? copyText(Caller.Function) : nullptr,
             Caller.File ? copyText(Caller.File) : nullptr, Caller.Line,
             Caller.Column, Caller.Return};
  CalledSites.insert(Key, Id);
  IsNew = true;
  return enterPair(Id, {Site, 0, Slot});
}

uint32_t plainSite(uint32_t Id) {
  while (Stacked && Stacked[Id].Site) // stack pair -> caller pair -> site
    Id = Stacked[Id].Site;
  return Id;
}
uint32_t calledSite(uint32_t Id) {
  return Stacked && Stacked[Id].Stack ? Stacked[Id].Site : Id;
}
const UserCall *callerOfSite(uint32_t Id) {
  return Stacked ? Stacked[Id].Caller : nullptr;
}
uint32_t siteWithCallerOf(uint32_t Site, uint32_t Other) {
  const UserCall *Caller = callerOfSite(calledSite(Other));
  bool IsNew = false;
  const uint32_t Pair = Caller ? registerCalledSite(Site, *Caller, IsNew) : 0;
  return Pair ? Pair : Site;
}
uint32_t stackOfSite(uint32_t Id) { return Stacked ? Stacked[Id].Stack : 0; }

bool hasObjectType(uint32_t Id) {
  const TypeInfo &Type = Types[Sites[Id].Type];
  return Type.Size > 1 && !Type.Raw;
}
bool keepsType(uint32_t Id) { return Sites[plainSite(Id)].Typed != 0; }
uint32_t typeOfSite(uint32_t Id) { return Sites[Id].Type; }
uint8_t kindOfSite(uint32_t Id) { return Sites[Id].Kind; }
const struct inmem_site *sourceOfSite(uint32_t Id) {
  const uint32_t Place = Sites[Id].Place;
  return Sites[Place ? Place : Id].Source;
}
const char *nameOfType(uint32_t Index) { return Types[Index].Name; }
uint64_t idOfType(uint32_t Index) { return Types[Index].Id; }
uint64_t sizeOfType(uint32_t Index) { return Types[Index].Size; }
bool isSiteExcluded(uint32_t Id) { return Sites[Id].Excluded; }
uint32_t siteCount() { return NumSites; }
uint32_t typeCount() { return NumTypes; }

uint32_t writeModule(Module *M) {
  if (M->Id)
    return M->Id;
  if (!makeTables())
    return 0;
  ModuleRecord R = {};
  RecordBuilder Builder(RecordKind::Module, sizeof R);
  const uint32_t Id = ++NumModules;
  R.Id = Id;
  R.Base = traceAddress(M->Base);
  R.Path = Builder.string(M->Path);
  R.BuildIdBytes = M->BuildIdBytes;
  R.BuildId = M->BuildIdBytes ? Builder.bytes(M->BuildId, M->BuildIdBytes) : 0;
  if (!Builder.append(&R, sizeof R))
    return 0;
  return M->Id = Id;
}

void forgetNumbers() {
  for (uint32_t I = 1; I <= NumSites; ++I) {
    if (Sites[I].Source)
      Sites[I].Source->id = 0;
    Sites[I].Type = 0;
  }
  NumTypes = NumModules = 0;
  if (Types)
    Types[0] = {};
  TypesById.clear();
  TypesExtent = nullptr;
  TypesExtents = 0;
  TypedSites.clear();
  CalledSites.clear();
  Closed.clear();
}

void forgetSites(const struct inmem_site *Begin, const struct inmem_site *End,
                 const Module *File) {
  for (uint32_t I = 1; I <= NumSites; ++I) {
    SiteInfo &S = Sites[I];
    if (S.Source < Begin || S.Source >= End)
      continue;
    // Without a build id, the file at that path may be another one next time.
    if (File && File->BuildIdBytes > 0 && I > Process.InheritedSites) {
      S.Key = closedKey(*S.Source);
      S.File = File;
      if (ClosedSite *Slot = Closed.findOrMake(ClosedSite::Key{S.Key, File}))
        Closed.add(Slot, {I});
    }
    S.Source = nullptr;
  }
}

} // namespace inmem::rt

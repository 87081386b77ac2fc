//===- TypeRows.cpp - Types, as one row in all traces ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/LibraryMemory.h"
#include "report/model/Packing.h"
#include "report/model/ProfileBuilder.h"
#include "report/names/TypeName.h"

#include <algorithm>

namespace inmem::report {

using trace::Trace;

size_t ProfileBuilder::addTypeRow(TypeResult Type, bool CountsElements) {
  const size_t Row = Out.Types.size();
  if (Type.Name)
    TypesByName[*Type.Name].push_back(Row);
  Out.Types.push_back(std::move(Type));
  TypeLives.emplace_back();
  ElementsKnown.push_back(CountsElements);
  return Row;
}

/// A new row for a described type, or the one that reads the same if those are
/// one.
size_t ProfileBuilder::rowOf(TypeResult Type) {
  if (!Options.ByReadableName)
    return addTypeRow(std::move(Type), true);
  const auto [Where, New] = Readable.try_emplace(
      Type.Alias.empty() ? simplifyName(*Type.Name) : Type.Alias,
      Out.Types.size());
  if (New)
    return addTypeRow(std::move(Type), true);
  TypeResult &Row = Out.Types[Where->second];
  if (Row.Size != Type.Size)
    Row.Size.reset();
  if (Row.Align != Type.Align)
    Row.Align.reset();
  Row.Packed.reset();
  TypesByName[*Type.Name].push_back(Where->second);
  return Where->second;
}

/// The row of a type: the same name and id in any process.
size_t ProfileBuilder::typeOf(const Trace &T, uint32_t Index) {
  const trace::Type &Type = T.type(Index);
  const bool Known = Type.Index != 0 && !Type.Name.empty();
  const std::string Key =
      Known ? std::to_string(Type.Id) + ' ' + std::string(Type.Name)
            : std::string();
  const auto [Where, New] = TypeIndex.try_emplace(Key, Out.Types.size());
  if (const auto It = New ? Named.find(std::string(Type.Name)) : Named.end();
      It != Named.end()) {
    // Its record turns up after all.
    Where->second = It->second;
    TypeResult &R = Out.Types[It->second];
    R.Id = Type.Id;
    if (Type.Size > 0)
      R.Size = Type.Size;
    if (Type.Align > 0)
      R.Align = Type.Align;
    Named.erase(It);
  } else if (New) {
    TypeResult R;
    if (Known) {
      R.Name = std::string(Type.Name);
      R.Alias = aliasOf(Type.Name);
      R.Id = Type.Id;
      if (Type.Size > 0)
        R.Size = Type.Size;
      if (Type.Align > 0)
        R.Align = Type.Align;
      R.Packed = packingOf(T, Type);
    }
    Where->second =
        Known ? rowOf(std::move(R)) : addTypeRow(std::move(R), false);
  }
  return Where->second;
}

/// The row of a class whose objects are counted.
size_t ProfileBuilder::classOf(const Trace &T, const trace::Object &O) {
  if (O.Type != 0 && T.type(O.Type).Index != 0)
    return typeOf(T, O.Type);
  if (const auto Same = TypesByName.find(O.ClassName);
      Same != TypesByName.end())
    return Same->second.front();
  TypeResult R;
  R.Name = std::string(O.ClassName);
  R.Alias = aliasOf(O.ClassName);
  return addTypeRow(std::move(R), true);
}

/// The row of a type that no record of the trace describes, or the one that
/// has the same name. \p Size 0: unknown.
size_t ProfileBuilder::typeNamed(const std::string &Name, uint64_t Size) {
  if (const auto Same = TypesByName.find(Name); Same != TypesByName.end())
    return Same->second.front();
  TypeResult R;
  R.Name = Name;
  R.Alias = aliasOf(Name);
  if (Size > 0)
    R.Size = R.Align = Size;
  return Named[Name] = addTypeRow(std::move(R), true);
}

/// A type's blocks have the alias of its sites if that is the same for all:
/// none has another's name. So has a type without one, such as `char`.
void ProfileBuilder::nameAlias(TypeResult &Type) {
  if (!Type.Name) {
    if (!Type.Sites.empty() && std::ranges::all_of(Type.Sites, [&](size_t I) {
          return isLibraryMemory(Out, Out.Sites[I]);
        }))
      Type.BlocksAlias = kLibraryMemory;
    return;
  }
  const std::string *Shared = nullptr;
  for (const size_t Index : Type.Sites) {
    const SiteResult &Site = Out.Sites[Index];
    if (Site.Sum.Allocations == 0 && Site.Sum.CarriedAllocations == 0)
      continue;
    if (Shared && *Shared != Site.Alias)
      return;
    Shared = &Site.Alias;
  }
  if (Shared)
    (Type.Alias.empty() ? Type.Alias : Type.BlocksAlias) = *Shared;
}

} // namespace inmem::report

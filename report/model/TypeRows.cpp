//===- TypeRows.cpp - Types, as one row in all traces ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/TypeRows.h"
#include "report/model/TypeFacts.h"
#include "report/names/TypeName.h"

namespace inmem::report {

using trace::Trace;

size_t TypeRows::add(TypeResult Type) {
  const size_t Row = Rows.size();
  if (Type.Name)
    ByName[*Type.Name].push_back(Row);
  Rows.push_back(std::move(Type));
  return Row;
}

/// A new row for a described type or, if those are merged, the row that reads
/// the same.
size_t TypeRows::addDescribed(TypeResult Type) {
  if (!Options.ByReadableName)
    return add(std::move(Type));
  const auto [Where, New] = Readable.try_emplace(
      Type.Alias.empty() ? simplifyName(*Type.Name) : Type.Alias, Rows.size());
  if (New)
    return add(std::move(Type));
  TypeResult &Row = Rows[Where->second];
  if (Row.Size != Type.Size)
    Row.Size.reset();
  if (Row.Align != Type.Align)
    Row.Align.reset();
  Row.Packed.reset();
  ByName[*Type.Name].push_back(Where->second);
  return Where->second;
}

size_t TypeRows::of(const Trace &T, uint32_t Index) {
  const trace::Type &Type = T.type(Index);
  const bool Known = Type.Index != 0 && !Type.Name.empty();
  const std::string Key =
      Known ? std::to_string(Type.Id) + ' ' + std::string(Type.Name)
            : std::string();
  const auto [Where, New] = ByKey.try_emplace(Key, Rows.size());
  if (const auto It = New ? Named.find(std::string(Type.Name)) : Named.end();
      It != Named.end()) {
    // Its record appears later after all.
    Where->second = It->second;
    TypeResult &R = Rows[It->second];
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
    Where->second = Known ? addDescribed(std::move(R)) : add(std::move(R));
  }
  return Where->second;
}

size_t TypeRows::ofClass(const Trace &T, const trace::Object &O) {
  if (O.Type != 0 && T.type(O.Type).Index != 0)
    return of(T, O.Type);
  if (const auto Same = ByName.find(O.ClassName); Same != ByName.end())
    return Same->second.front();
  TypeResult R;
  R.Name = std::string(O.ClassName);
  R.Alias = aliasOf(O.ClassName);
  return add(std::move(R));
}

size_t TypeRows::named(const std::string &Name, uint64_t Size) {
  if (const auto Same = ByName.find(Name); Same != ByName.end())
    return Same->second.front();
  TypeResult R;
  R.Name = Name;
  R.Alias = aliasOf(Name);
  if (Size > 0)
    R.Size = Size;
  if (Size == 1)
    R.Align = Size;
  return Named[Name] = add(std::move(R));
}

TypeResult *TypeRows::followed(std::string_view ClassName) {
  const auto Same = ByName.find(ClassName);
  if (Same == ByName.end())
    return nullptr;
  for (const size_t Row : Same->second)
    if (Rows[Row].Objects)
      return &Rows[Row];
  return nullptr;
}

} // namespace inmem::report

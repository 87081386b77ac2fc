//===- RowFilter.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/RowFilter.h"

#include "report/model/Match.h"

#include <algorithm>

namespace inmem::tools {

using namespace report;

RowFilter::RowFilter(const trace::Trace &Trace, const Globs &Globs)
    : T(Trace), Of(Globs), TypeMatches(T.Types.size()),
      SiteMatches(T.Sites.size()), TypeWanted(T.Types.size()),
      SiteWanted(T.Sites.size()) {
  for (uint32_t I = 0; I < T.Types.size(); ++I)
    TypeMatches[I] = matchesTypes(I);
  for (uint32_t I = 0; I < T.Sites.size(); ++I)
    SiteMatches[I] = matchesSites(I);
  if (Of.MinBytes == 0 && Of.Sites.empty())
    TypeWanted = TypeMatches;
  if (Of.MinBytes == 0 && Of.Types.empty())
    SiteWanted = SiteMatches;
  for (const trace::Entry &E : T.Entries)
    if (E.Site < T.Sites.size() && E.Type < T.Types.size() &&
        TypeMatches[E.Type] && SiteMatches[E.Site] &&
        E.Totals.Bytes - E.Totals.MovedOutBytes >= Of.MinBytes)
      TypeWanted[E.Type] = SiteWanted[E.Site] = true;
  // Include the plain site of each site with a stack.
  for (uint32_t I = 0; I < T.Sites.size(); ++I)
    if (const uint32_t Plain = T.Sites[I].Plain;
        SiteWanted[I] && Plain < SiteWanted.size())
      SiteWanted[Plain] = true;
}

bool RowFilter::matchesTypes(uint32_t Index) const {
  if (Of.Types.empty())
    return true;
  const trace::Type &Type = T.type(Index);
  TypeResult As;
  if (Type.Index != 0 && !Type.Name.empty()) {
    As.Name = std::string(Type.Name);
    As.Alias = aliasOf(Type.Name);
  }
  return std::any_of(Of.Types.begin(), Of.Types.end(),
                     [&](const std::string &G) { return matchesType(G, As); });
}

bool RowFilter::matchesSites(uint32_t Id) const {
  if (Of.Sites.empty())
    return true;
  const trace::Site &S = T.site(Id);
  SiteResult As;
  As.Where = {demangle(S.Function), std::string(S.File), S.Line, S.Column};
  As.Module = std::string(T.module(S.Module).Path);
  for (const trace::Frame &F : T.frames(S))
    As.Chain.push_back(
        {demangle(F.Function), std::string(F.File), F.Line, F.Column});
  return std::any_of(Of.Sites.begin(), Of.Sites.end(),
                     [&](const std::string &G) { return matchesSite(G, As); });
}

bool RowFilter::row(uint32_t Site, uint32_t Type) const {
  const uint32_t Index = Type != 0 ? Type : T.site(Site).Type;
  return site(Site) && Index < TypeMatches.size() && TypeMatches[Index];
}

bool RowFilter::type(uint32_t Index) const {
  return Index < TypeWanted.size() ? TypeWanted[Index] : !Of.chooseRows();
}

bool RowFilter::site(uint32_t Id) const {
  return Id < SiteWanted.size() ? SiteWanted[Id] : !Of.chooseRows();
}

bool RowFilter::thread(uint32_t Index) const {
  if (Of.Threads.empty() || Index == 0)
    return true;
  const auto Known = T.Threads.find(Index);
  return std::any_of(
      Of.Threads.begin(), Of.Threads.end(), [&](const std::string &G) {
        return matchesThread(
            G, Index, Known == T.Threads.end() ? nullptr : &Known->second);
      });
}

} // namespace inmem::tools

//===- View.cpp - Selecting and sorting rows ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/View.h"

#include "inmem/abi.h"
#include "report/model/LibraryCode.h"
#include "report/model/ShownNames.h"

#include <algorithm>
#include <tuple>

namespace inmem::report {

std::span<const ByName> byNames() {
  static constexpr ByName kAll[] = {
      {By::Type, "type"},   {By::Site, "site"},   {By::Thread, "thread"},
      {By::Phase, "phase"}, {By::Time, "time"},   {By::Stack, "stack"},
      {By::Blame, "blame"}, {By::Frees, "frees"}, {By::Finding, "finding"},
      {By::Cpu, "cpu"},     {By::Field, "field"}};
  return kAll;
}

std::span<const SortName> sortNames() {
  static constexpr SortName kAll[] = {
      {Sort::Bytes, "bytes", "bytes allocated"},
      {Sort::Count, "count", "blocks allocated"},
      {Sort::Count, "blocks", "the same as count"},
      {Sort::Live, "live", "bytes alive at the end"},
      {Sort::Peak, "peak", "highest live bytes"},
      {Sort::Frees, "frees", "blocks freed"},
      {Sort::Temporary, "temporary", "blocks freed before the next came"},
      {Sort::Size, "size", "size of one object"},
      {Sort::Lifetime, "lifetime", "median lifetime"},
      {Sort::Name, "name", "name, ascending"},
      {Sort::Self, "self", "--by cpu: samples of the function itself"},
      {Sort::Total, "total", "--by cpu: samples of it and what it called"},
      {Sort::Interesting, "interesting",
       "--by cpu: samples where it was the first of the program's own"}};
  return kAll;
}

bool View::shows(By What) const {
  return std::find(Tables.begin(), Tables.end(), What) != Tables.end();
}

namespace {

uint64_t keyOf(const Counts &C, const Lifetime &Life, Sort Order) {
  switch (Order) {
  case Sort::Bytes:
  case Sort::Peak:
  case Sort::Size:
  case Sort::Name:
  case Sort::Self:
  case Sort::Total:
  case Sort::Interesting:
    return C.AllocatedBytes;
  case Sort::Count:
    return C.Allocations;
  case Sort::Live:
    return C.LiveBytes;
  case Sort::Frees:
    return C.Frees;
  case Sort::Temporary:
    return C.Temporary;
  case Sort::Lifetime:
    return Life.P50.value_or(0);
  }
  return 0;
}

/// Keeps the order of rows with equal keys, which are sorted by bytes, then
/// name.
template <class Less>
std::vector<size_t> select(size_t Count, const View &V, auto Keep,
                           Less Before) {
  std::vector<size_t> Rows;
  for (size_t I = 0; I < Count; ++I)
    if (Keep(I))
      Rows.push_back(I);
  std::sort(Rows.begin(), Rows.end(), [&](size_t A, size_t B) {
    return Before(A, B) || (!Before(B, A) && A < B);
  });
  if (V.Top != 0 && Rows.size() > V.Top)
    Rows.resize(V.Top);
  return Rows;
}

} // namespace

std::vector<size_t> selectTypes(const Profile &P, const View &V) {
  const auto Key = [&](const TypeResult &T) {
    if (V.Order == Sort::Peak)
      return T.PeakLiveBytes.value_or(0);
    if (V.Order == Sort::Size)
      return T.Size.value_or(0);
    return keyOf(T.Sum, T.Life, V.Order);
  };
  return select(
      P.Types.size(), V,
      [&](size_t I) {
        const Counts &C = P.Types[I].Sum;
        return C.AllocatedBytes >= V.MinBytes &&
               !(V.HeapOnly && C.Allocations + C.CarriedAllocations == 0);
      },
      [&](size_t A, size_t B) {
        if (V.Order == Sort::Name)
          return P.Types[A].Name < P.Types[B].Name;
        // Memory that libraries keep for themselves comes last.
        const bool OwnA = P.Types[A].BlocksAlias == kLibraryMemory,
                   OwnB = P.Types[B].BlocksAlias == kLibraryMemory;
        if (OwnA != OwnB)
          return OwnB;
        return Key(P.Types[A]) > Key(P.Types[B]);
      });
}

bool TypeRow::isLibrarys() const {
  return (Kind ? Kind->Name : Type->BlocksAlias) == kLibraryMemory;
}

std::optional<uint64_t> TypeRow::peak() const {
  return Kind ? std::nullopt : Type->PeakLiveBytes;
}

std::optional<uint64_t> TypeRow::peakAtMost() const {
  const auto Whole =
      Type->PeakLiveBytes ? Type->PeakLiveBytes : Type->PeakAtMost;
  return Kind && Whole ? std::min(*Whole, Kind->Sum.AllocatedBytes +
                                              Kind->Sum.CarriedBytes)
                       : Type->PeakAtMost;
}

std::string TypeRow::name() const {
  return Kind ? Kind->Name : shownType(*Type);
}

bool TypeRow::has(const Profile &P, size_t Of, size_t Site) const {
  // The sites of a kind are in ascending order.
  return &P.Types[Of] == Type &&
         (!Kind || std::ranges::binary_search(Kind->Sites, Site));
}

std::vector<TypeRow> typeRowsOf(const Profile &P) {
  std::vector<TypeRow> All;
  for (const TypeResult &T : P.Types) {
    for (const KindResult &Kind : T.Kinds)
      All.push_back({&T, &Kind});
    if (T.Kinds.empty())
      All.push_back({&T});
  }
  return All;
}

std::vector<TypeRow> selectTypeRows(const Profile &P, const View &V) {
  const std::vector<TypeRow> All = typeRowsOf(P);
  const auto Key = [&](const TypeRow &R) {
    if (V.Order == Sort::Peak)
      return R.peak().value_or(R.Kind ? R.peakAtMost().value_or(0) : 0);
    if (V.Order == Sort::Size)
      return R.Type->Size.value_or(0);
    return keyOf(R.sum(), R.life(), V.Order);
  };
  std::vector<TypeRow> Out;
  for (const size_t I : select(
           All.size(), V,
           [&](size_t I) {
             const Counts &C = All[I].sum();
             return C.AllocatedBytes >= V.MinBytes &&
                    !(V.HeapOnly && C.Allocations + C.CarriedAllocations == 0);
           },
           [&](size_t A, size_t B) {
             if (V.Order == Sort::Name)
               return All[A].Type->Name < All[B].Type->Name;
             if (All[A].isLibrarys() != All[B].isLibrarys())
               return All[B].isLibrarys();
             return Key(All[A]) > Key(All[B]);
           }))
    Out.push_back(All[I]);
  return Out;
}

std::vector<size_t> selectSites(const Profile &P, const View &V) {
  return select(
      P.Sites.size(), V,
      [&](size_t I) { return P.Sites[I].Sum.AllocatedBytes >= V.MinBytes; },
      [&](size_t A, size_t B) {
        const SiteResult &X = P.Sites[A], &Y = P.Sites[B];
        if (V.Order == Sort::Name)
          return std::tie(locationOf(X).File, locationOf(X).Line,
                          locationOf(X).Function) <
                 std::tie(locationOf(Y).File, locationOf(Y).Line,
                          locationOf(Y).Function);
        if (const bool OwnX = isLibraryMemory(P, X);
            OwnX != isLibraryMemory(P, Y))
          return !OwnX;
        return keyOf(X.Sum, X.Life, V.Order) > keyOf(Y.Sum, Y.Life, V.Order);
      });
}

std::vector<size_t> selectThreads(const Profile &P, const View &V) {
  return select(
      P.Threads.size(), V,
      [&](size_t I) { return P.Threads[I].AllocatedBytes >= V.MinBytes; },
      [&](size_t A, size_t B) {
        const ThreadResult &X = P.Threads[A], &Y = P.Threads[B];
        if (V.Order == Sort::Name)
          return X.Name < Y.Name;
        if (V.Order == Sort::Count)
          return X.Allocations > Y.Allocations;
        if (V.Order == Sort::Frees)
          return X.Frees > Y.Frees;
        return X.AllocatedBytes > Y.AllocatedBytes;
      });
}

MainBytes mainBytes(const Profile &P) {
  if (P.Totals.allocatedBytes())
    return {"allocated", P.Totals.AllocatedBytes};
  if (P.PeakLiveBytes)
    return {"at the peak", *P.PeakLiveBytes};
  return {"live", P.Totals.LiveBytes};
}

std::vector<CopyRow> copyRows(const Profile &P) {
  std::vector<CopyRow> Rows;
  for (size_t I = 0; I < P.Types.size(); ++I)
    if (P.Types[I].Objects)
      for (const ObjectSite &Site : P.Types[I].Objects->Sites)
        if (Site.Manner == INMEM_MANNER_COPY)
          Rows.push_back({I, &Site});
  const auto Bytes = [&](const CopyRow &R) {
    return R.Site->Constructed * P.Types[R.Type].Size.value_or(1);
  };
  std::sort(Rows.begin(), Rows.end(), [&](const CopyRow &A, const CopyRow &B) {
    const uint64_t X = Bytes(A), Y = Bytes(B);
    // All sites within a class belong to elements of one vector.
    return X != Y ? X > Y : std::tie(A.Type, A.Site) < std::tie(B.Type, B.Site);
  });
  return Rows;
}

} // namespace inmem::report

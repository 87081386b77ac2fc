//===- Order.cpp - Results in their order ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Accumulators.h"
#include "report/model/LibraryCode.h"
#include "report/model/TypeFacts.h"

#include <algorithm>
#include <numeric>

namespace inmem::report {

/// Most bytes first, then by name, so that output is stable. Types without
/// blocks or objects are dropped. \returns the new index of each
static std::vector<size_t> orderTypes(Profile &Out) {
  std::vector<size_t> Order(Out.Types.size());
  std::vector<size_t> NewIndex(Out.Types.size());
  for (size_t I = 0; I < Order.size(); ++I)
    Order[I] = I;
  std::erase_if(Order, [&](size_t I) {
    const TypeResult &T = Out.Types[I];
    return T.Sum.Allocations == 0 && T.Sum.CarriedAllocations == 0 &&
           !(T.Objects && T.Objects->constructed() + T.Objects->Destroyed +
                                  T.Objects->Carried.value_or(0) >
                              0);
  });
  std::sort(Order.begin(), Order.end(), [&](size_t A, size_t B) {
    const TypeResult &X = Out.Types[A], &Y = Out.Types[B];
    if (X.Sum.AllocatedBytes != Y.Sum.AllocatedBytes)
      return X.Sum.AllocatedBytes > Y.Sum.AllocatedBytes;
    if (X.Name != Y.Name)
      return X.Name < Y.Name;
    return X.Id < Y.Id;
  });
  std::vector<TypeResult> Types;
  for (const size_t I : Order) {
    NewIndex[I] = Types.size();
    Types.push_back(std::move(Out.Types[I]));
  }
  Out.Types = std::move(Types);
  for (SiteResult &S : Out.Sites)
    S.Type = NewIndex[S.Type];
  for (StackResult &S : Out.Calls.Stacks)
    S.Type = NewIndex[S.Type];
  std::stable_sort(Out.Calls.Stacks.begin(), Out.Calls.Stacks.end(),
                   [](const StackResult &A, const StackResult &B) {
                     return A.Sum.AllocatedBytes > B.Sum.AllocatedBytes;
                   });
  return NewIndex;
}

/// \returns the new index of each.
static std::vector<size_t> orderSites(Profile &Out) {
  std::vector<size_t> SiteOrder(Out.Sites.size());
  std::iota(SiteOrder.begin(), SiteOrder.end(), size_t{0});
  std::sort(
      SiteOrder.begin(), SiteOrder.end(), [&](size_t First, size_t Second) {
        const SiteResult &A = Out.Sites[First], &B = Out.Sites[Second];
        if (A.Sum.AllocatedBytes != B.Sum.AllocatedBytes)
          return A.Sum.AllocatedBytes > B.Sum.AllocatedBytes;
        const SourceLocation &X = locationOf(A), &Y = locationOf(B);
        return std::tie(X.File, X.Line, X.Column, X.Function, A.Where.File,
                        A.Where.Line, A.Where.Column, A.Where.Function,
                        A.Type) <
               std::tie(Y.File, Y.Line, Y.Column, Y.Function, B.Where.File,
                        B.Where.Line, B.Where.Column, B.Where.Function, B.Type);
      });
  std::vector<SiteResult> Sites;
  std::vector<size_t> NewSite(SiteOrder.size());
  for (const size_t I : SiteOrder) {
    NewSite[I] = Sites.size();
    Sites.push_back(std::move(Out.Sites[I]));
  }
  Out.Sites = std::move(Sites);
  return NewSite;
}

/// If all sites of a type have the same alias, its blocks get it. That includes
/// types without an alias, such as `char`.
static void nameAlias(const Profile &Out, TypeResult &Type) {
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

void orderResults(Profile &Out) {
  const std::vector<size_t> NewIndex = orderTypes(Out);
  const std::vector<size_t> NewSite = orderSites(Out);
  for (StackResult &S : Out.Calls.Stacks)
    S.Site = NewSite[S.Site];
  for (EntryRow &E : Out.Entries)
    E.Site = NewSite[E.Site];
  for (FreeResult &F : Out.Frees) {
    F.Type = NewIndex[F.Type];
    F.Site = NewSite[F.Site];
  }
  std::stable_sort(Out.Frees.begin(), Out.Frees.end(),
                   [](const FreeResult &A, const FreeResult &B) {
                     return A.FreedBytes > B.FreedBytes;
                   });
  for (size_t I = 0; I < Out.Sites.size(); ++I)
    Out.Types[Out.Sites[I].Type].Sites.push_back(I);
  for (TypeResult &Type : Out.Types) {
    nameAlias(Out, Type);
    Type.Kinds = kindsOf(Out, Type);
    if (Type.Objects)
      std::sort(Type.Objects->Sites.begin(), Type.Objects->Sites.end(),
                [](const ObjectSite &A, const ObjectSite &B) {
                  if (A.Constructed != B.Constructed)
                    return A.Constructed > B.Constructed;
                  return std::tie(A.Where.File, A.Where.Line, A.Where.Column,
                                  A.Where.Function, A.Storage, A.Manner) <
                         std::tie(B.Where.File, B.Where.Line, B.Where.Column,
                                  B.Where.Function, B.Storage, B.Manner);
                });
  }
  std::sort(Out.Threads.begin(), Out.Threads.end(),
            [](const ThreadResult &A, const ThreadResult &B) {
              return A.AllocatedBytes != B.AllocatedBytes
                         ? A.AllocatedBytes > B.AllocatedBytes
                         : std::tie(A.Pid, A.Index) < std::tie(B.Pid, B.Index);
            });
}

} // namespace inmem::report
